"""Errors that calls raise. All of them are a LeadlineError."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Type

from ._meta import Meta
from ._types import Issue


class LeadlineError(Exception):
    """Base of all errors of this package; by itself: the client is used wrongly."""


class CallCancelledError(LeadlineError):
    """The call was cancelled by its Cancel."""


class APIConnectionError(LeadlineError):
    """No complete response arrived."""


class APITimeoutError(APIConnectionError):
    """No complete response arrived in time."""


class APIError(LeadlineError):
    """The server refused the request, or its response cannot be used.

    code is one of ErrorCode, or "unexpected_answer" for a response that does not
    follow the contract. message is the server's sentence; str() adds the request id.
    issues lists every fault of the request. retry_after is in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        issues: Sequence[Issue],
        retry_after: Optional[float],
        meta: Meta,
    ) -> None:
        request = f" (request {meta.request_id})" if meta.request_id else ""
        super().__init__(message + request)
        self.message = message
        self.code = code
        self.status = status
        self.issues: Tuple[Issue, ...] = tuple(issues)
        self.retry_after = retry_after
        self.meta = meta

    def __reduce__(self) -> Tuple[Callable[..., APIError], Tuple[Any, ...]]:
        return _rebuild, (type(self), self.__dict__)


class InvalidRequestError(APIError):
    """400: a parameter, or a property of the body, is missing, unknown or invalid."""


class AuthenticationError(APIError):
    """401: the key is missing, malformed, expired or revoked."""


class PermissionDeniedError(APIError):
    """403: the scope or the plan of the key does not include the operation."""


class NotFoundError(APIError):
    """404: the station or another object does not exist, or lacks the product."""


class RateLimitError(APIError):
    """429: the rate limit (rate_limited) or the monthly quota (quota_exceeded) is used up."""


class UnavailableError(APIError):
    """503: a provider or the store is unavailable. No data is invented."""


class WebhookVerificationError(LeadlineError):
    """The request does not come from the server, or is too old."""


BY_STATUS: Dict[int, Type[APIError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    429: RateLimitError,
    503: UnavailableError,
}


def _rebuild(kind: Type[APIError], facts: Dict[str, Any]) -> APIError:
    """Returns an error that was pickled."""
    return kind(facts["message"], **{name: facts[name] for name in facts if name != "message"})
