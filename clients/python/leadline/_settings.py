"""Settings of a client and of a call, and the hooks that see each attempt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Dict, Optional, TypedDict, Union, cast
from urllib.parse import urlsplit

from ._errors import LeadlineError
from ._http import Cancel, Transport

APIKey = Union[str, Callable[[], str]]


@dataclass(frozen=True)
class RequestInfo:
    """What the hook on_request receives before each attempt; the first one is 1.

    The path is that of the route, without base_url and query.
    """

    method: str
    path: str
    attempt: int


@dataclass(frozen=True)
class ResponseInfo:
    """What the hook on_response receives after each attempt.

    The status is None if no complete response arrived.
    """

    method: str
    path: str
    attempt: int
    status: Optional[int]
    ms: float
    request_id: str


@dataclass(frozen=True)
class DeprecationInfo:
    """What the hook on_deprecation receives.

    A time is None if the server did not send it. link is the Link header, with the
    documentation and the successor.
    """

    contract: str
    deprecated_at: Optional[datetime]
    sunset_at: Optional[datetime]
    link: Optional[str]


class Options(TypedDict, total=False):
    """Settings of one call, in place of those of the client."""

    api_key: APIKey
    timeout: float
    max_retries: int
    max_retry_wait: float
    app_info: str
    transport: Transport
    cancel: Cancel
    on_request: Callable[[RequestInfo], None]
    on_response: Callable[[ResponseInfo], None]
    on_deprecation: Callable[[DeprecationInfo], None]


@dataclass(frozen=True, repr=False)
class Settings:
    """Settings of a client or a call. The key is a function, so that no repr shows it."""

    api_key: Callable[[], str]
    timeout: float
    max_retries: int
    max_retry_wait: float
    app_info: str
    transport: Transport
    on_request: Optional[Callable[[RequestInfo], None]] = None
    on_response: Optional[Callable[[ResponseInfo], None]] = None
    on_deprecation: Optional[Callable[[DeprecationInfo], None]] = None
    cancel: Optional[Cancel] = None

    def __post_init__(self) -> None:
        _check_number("timeout", self.timeout, 0.001)
        _check_number("max_retries", self.max_retries, 0)
        _check_number("max_retry_wait", self.max_retry_wait, 0)
        if not re.fullmatch(r"[ -~]*", self.app_info):
            raise LeadlineError('invalid app_info: use printable ASCII, such as "mysite/1.2"')

    def with_options(self, options: Optional[Options]) -> Settings:
        if not options:
            return self
        unknown = sorted(set(options) - _OPTION_NAMES)
        if unknown:
            raise LeadlineError(f"unknown option {unknown[0]!r}: use {sorted(_OPTION_NAMES)}")
        values: Dict[str, Any] = {**vars(self), **options}
        values["api_key"] = key_function(values["api_key"])
        return Settings(**values)


_OPTION_NAMES = frozenset(Options.__annotations__)


class FixedKey:
    """A key that does not change. Neither its repr nor its attributes show it."""

    def __init__(self, key: str) -> None:
        self._read: Callable[[], str] = lambda: key

    def __call__(self) -> str:
        return self._read()


def key_function(key: Optional[APIKey]) -> Callable[[], str]:
    """Returns a function that returns the key, "" if there is none."""
    if callable(key):
        return key
    if key == "":
        raise LeadlineError(
            'invalid api_key: must not be empty; leave it out, or pass a function that returns ""'
        )
    return FixedKey(key or "")


def _check_number(name: str, value: object, least: float) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not least <= cast(float, value) < 1e9:
        raise LeadlineError(
            f"invalid {name} {value!r}: must be a number of at least {least:g} and below 1e9"
        )


def checked_base_url(address: Optional[str]) -> str:
    """Returns the address of the server without a final slash."""
    if not address:
        raise LeadlineError("base_url is missing: pass base_url or set LEADLINE_BASE_URL")
    url = urlsplit("")
    try:
        url = urlsplit(address)
        valid = url.scheme in ("http", "https") and bool(url.hostname)
        valid = valid and url.port != 0 and bool(re.fullmatch(r"[!-~]+", address))
    except ValueError:
        valid = False
    if not valid:
        raise LeadlineError('invalid base_url: must be such as "https://leadline.example.org"')
    if "@" in url.netloc or url.query or url.fragment:
        raise LeadlineError("invalid base_url: must not have a password, query or fragment")
    return f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"
