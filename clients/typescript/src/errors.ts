import type { Meta } from "./http.js";
import type { ErrorResponse } from "./types.js";

type ErrorBody = ErrorResponse["error"];

/** A rule of the request that is broken: which field, which rule, and what to do. */
export type RequestIssue = NonNullable<ErrorBody["issues"]>[number];

/**
 * Why the server refused: a code of the contract, or `unexpected_answer` for a response that
 * is not one of Leadline's.
 */
export type APIErrorCode = ErrorBody["code"] | "unexpected_answer" | (string & {});

// The names are accessors, so that minifiers keep them and stacks begin with them.

/** Every error that this package throws. An aborted call throws the reason of its signal. */
export class LeadlineError extends Error {
  override get name(): string {
    return "LeadlineError";
  }
}

/** No response: the connection failed, or it ended before the response was complete. */
export class APIConnectionError extends LeadlineError {
  override get name(): string {
    return "APIConnectionError";
  }
}

/** No complete response within `timeout`. */
export class APITimeoutError extends APIConnectionError {
  override get name(): string {
    return "APITimeoutError";
  }
}

/** A response that is an error. The classes derived from it are those of single statuses. */
export class APIError extends LeadlineError {
  declare readonly code: APIErrorCode;
  /** HTTP status. */
  declare readonly status: number;
  /** Every rule that the request breaks. */
  declare readonly issues: readonly RequestIssue[];
  /** Seconds after which another attempt can succeed, if the server said so. */
  declare readonly retryAfter: number | undefined;
  /** Request id, limits and headers of the response. */
  declare readonly meta: Meta;

  override get name(): string {
    return "APIError";
  }

  constructor(message: string, facts: APIErrorFacts) {
    const { requestId } = facts.meta;
    super(message + (requestId && ` (request ${requestId})`));
    Object.assign(this, facts);
  }
}

/** What an APIError knows besides its message. */
export type APIErrorFacts = Pick<APIError, "code" | "status" | "issues" | "retryAfter" | "meta">;

/** 400: `issues` lists everything that is wrong with the request. */
export class InvalidRequestError extends APIError {
  override get name(): string {
    return "InvalidRequestError";
  }
}

/** 401: the key is missing, malformed, revoked or expired. */
export class AuthenticationError extends APIError {
  override get name(): string {
    return "AuthenticationError";
  }
}

/** 403: the key lacks a scope, or the plan a feature. */
export class PermissionDeniedError extends APIError {
  override get name(): string {
    return "PermissionDeniedError";
  }
}

/** 404: there is no such station, endpoint, event or watch, or the station lacks the product. */
export class NotFoundError extends APIError {
  override get name(): string {
    return "NotFoundError";
  }
}

/** 429: the rate limit (`rate_limited`) or the monthly quota (`quota_exceeded`) is used up. */
export class RateLimitError extends APIError {
  override get name(): string {
    return "RateLimitError";
  }
}

/** 503: a provider or the store is down, or the server has too much to do. */
export class UnavailableError extends APIError {
  override get name(): string {
    return "UnavailableError";
  }
}

const byStatus: Record<number, typeof APIError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  429: RateLimitError,
  503: UnavailableError,
};

/**
 * Returns the error of a response. Without a body of Leadline's, it is one that this client
 * does not accept.
 */
export function failure(meta: Meta, message: string, body?: Partial<ErrorBody>): APIError {
  const { status, headers } = meta;
  const header = headers.get("retry-after");
  // Seconds, or a date; not a number without the header.
  const after = Math.max(
    0,
    +header! >= 0 ? parseInt(header!) : (Date.parse(header!) - Date.now()) / 1000,
  );
  return new (byStatus[status] ?? APIError)(message.replace(/[\0- \x7f-\x9f]+/g, " "), {
    code: body?.code ?? "unexpected_answer",
    status,
    issues: Array.isArray(body?.issues) ? body.issues : [],
    retryAfter: after >= 0 ? after : body?.retryAfterSeconds,
    meta,
  });
}
