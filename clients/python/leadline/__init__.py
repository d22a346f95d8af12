"""Client of the Leadline REST API: tides, observations, forecasts, decisions, events.

    from leadline import Leadline

    client = Leadline("https://leadline.example.org")
    tides = client.stations.predictions("8443970")

Results are frozen dataclasses. Planning aid only. Not for navigation.
"""

from . import _types
from ._async_core import AsyncTransport
from ._client import AsyncLeadline, Leadline
from ._core import VERSION
from ._errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    CallCancelledError,
    InvalidRequestError,
    LeadlineError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnavailableError,
    WebhookVerificationError,
)
from ._http import Cancel, Request, Response, Transport
from ._meta import Headers, Meta, Quota, RateLimit
from ._read import to_wire
from ._results import Point, is_fresh, meta_of, missing_inputs, points, raw_of
from ._settings import DeprecationInfo, Options, RequestInfo, ResponseInfo
from ._types import *
from .webhooks import UnknownEvent, WebhookEvent, read_event, verify_webhook

__version__ = VERSION

__all__ = [
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AsyncLeadline",
    "AsyncTransport",
    "AuthenticationError",
    "CallCancelledError",
    "Cancel",
    "DeprecationInfo",
    "Headers",
    "InvalidRequestError",
    "Leadline",
    "LeadlineError",
    "Meta",
    "NotFoundError",
    "Options",
    "PermissionDeniedError",
    "Point",
    "Quota",
    "RateLimit",
    "RateLimitError",
    "Request",
    "RequestInfo",
    "Response",
    "ResponseInfo",
    "Transport",
    "UnavailableError",
    "UnknownEvent",
    "VERSION",
    "WebhookEvent",
    "WebhookVerificationError",
    "is_fresh",
    "meta_of",
    "missing_inputs",
    "points",
    "raw_of",
    "read_event",
    "to_wire",
    "verify_webhook",
]
__all__ += _types.__all__
