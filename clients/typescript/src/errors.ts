import type { ErrorResponse } from "./contract.js";
import type { Meta } from "./http.js";

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
  override get name(): string {
    return "APIError";
  }

  constructor(
    readonly code: APIErrorCode,
    message: string,
    /** HTTP status. */
    readonly status: number,
    /** Every rule that the request breaks. */
    readonly issues: readonly RequestIssue[],
    /** Seconds after which another attempt can succeed, if the server said so. */
    readonly retryAfter: number | undefined,
    /** Request id, limits and headers of the response. */
    readonly meta: Meta,
  ) {
    super(message + (meta.requestId ? ` (request ${meta.requestId})` : ""));
  }
}

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

const unexpected = "unexpected_answer";

/** Returns the error of a response whose body is not that of a result. */
export function errorOf(
  meta: Meta,
  text: string,
  parse: (text: string) => object | undefined,
): APIError {
  const given = (parse(text) as { error?: Partial<ErrorBody> } | undefined)?.error;
  const known = typeof given?.code === "string" && typeof given.message === "string";
  const after = secondsOf(meta.headers.get("retry-after")) ?? given?.retryAfterSeconds;
  return new (byStatus[meta.status] ?? APIError)(
    known ? given.code! : unexpected,
    known ? given.message! : `HTTP ${meta.status} with the body ${excerpt(text)}`,
    meta.status,
    known && Array.isArray(given.issues) ? given.issues : [],
    typeof after === "number" ? after : undefined,
    meta,
  );
}

/** Returns the error of a response that this client does not accept. */
export function refusal(meta: Meta, message: string): APIError {
  return new APIError(unexpected, message, meta.status, [], undefined, meta);
}

/** Returns the seconds of a Retry-After header, which may also be a date. */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const until = (Date.parse(header) - Date.now()) / 1000;
  const wait = Math.max(0, seconds >= 0 ? seconds : until);
  return wait >= 0 ? wait : undefined;
}

/** Returns the first 200 characters of a body, without control characters. */
function excerpt(text: string): string {
  return text.slice(0, 200).replace(/[\0- \x7f-\x9f]+/g, " ") || "(empty)";
}
