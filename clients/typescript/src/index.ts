export * from "./client.js";
export {
  APIConnectionError,
  APIError,
  APITimeoutError,
  AuthenticationError,
  InvalidRequestError,
  LeadlineError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnavailableError,
} from "./errors.js";
export type { APIErrorCode, RequestIssue } from "./errors.js";
export type {
  CallOptions,
  CallSettings,
  DeprecationNotice,
  Limit,
  Meta,
  Options,
  Quota,
  RequestNotice,
  ResponseNotice,
  Result,
} from "./http.js";
export type * from "./paths.js";
export * from "./results.js";
export type * from "./types.js";
export { CONTRACT, VERSION } from "./version.js";
