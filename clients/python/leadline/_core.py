"""The core of both clients: a call with its attempts."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import socket
import ssl
import sys
import time
from dataclasses import dataclass
from datetime import date
from http.client import HTTPException
from typing import Mapping, Optional, Type, TypeVar, Union, cast
from urllib.parse import quote, urlencode, urlsplit

from ._errors import APIConnectionError, APIError, APITimeoutError, LeadlineError
from ._http import Cancel, Request, Response, SecretHeaders, is_loopback
from ._meta import Headers, meta_from
from ._read import to_wire
from ._response import announce_deprecation, check_size, decoded, error, plain, result
from ._settings import FixedKey, Options, RequestInfo, ResponseInfo, Settings, checked_base_url
from ._types import CONTRACT, Status

VERSION = "20260709.0.0"

T = TypeVar("T")
Value = Union[str, int, float, date, None]


class Core:
    """Calls operations of the server. Threads may share it."""

    def __init__(self, base_url: Optional[str], settings: Settings) -> None:
        self.base_url = checked_base_url(base_url or os.environ.get("LEADLINE_BASE_URL"))
        self.settings = settings
        if isinstance(settings.api_key, FixedKey):
            self._key(settings)

    def get(
        self, of: Type[T], path: str, query: Mapping[str, Value], options: Optional[Options]
    ) -> T:
        """Calls an operation that reads."""
        given = {name: _text(value) for name, value in query.items() if value is not None}
        target = f"{path}?{urlencode(given)}" if given else path
        return self.call(of, Call("GET", target), options)

    def ask(self, of: Type[T], path: str, body: object, options: Optional[Options]) -> T:
        """Calls an operation that takes a body and changes nothing."""
        return self.call(of, Call("POST", path, _json(body)), options)

    def change(
        self, of: Type[T], method: str, path: str, body: object, options: Optional[Options]
    ) -> T:
        """Calls an operation that changes something. None is no body."""
        data = None if body is None else _json(body)
        return self.call(of, Call(method, path, data, may_repeat=False), options)

    def status(self, of: Type[Status], path: str, options: Optional[Options]) -> Status:
        """Calls the status operation: its 503 with a status is a result."""
        return self.call(of, Call("GET", path, is_status=True), options)

    def call(self, of: Type[T], call: Call, options: Optional[Options]) -> T:
        """Returns the result of a call, after as many attempts as it takes."""
        settings = self.settings.with_options(options)
        cancel = settings.cancel or Cancel()
        retries = 0
        while True:
            cancel.check()
            key = self._key(settings)
            wait = min(random.uniform(0, 0.5 * 2 ** min(retries, 3)), settings.max_retry_wait)
            try:
                response = self._send(call, settings, key, cancel, retries)
            except (OSError, HTTPException, APIConnectionError) as fault:
                cancel.check()
                if retries >= settings.max_retries or not call.may_repeat or _is_final(fault):
                    # What http.client quotes of a response may contain a secret.
                    cause = None if isinstance(fault, HTTPException) else fault
                    raise _connection_error(fault, call, settings.timeout, key) from cause
            else:
                meta = meta_from(response.status, Headers(response.headers.items()), retries)
                announce_deprecation(meta, settings.on_deprecation)
                check_size(response, meta)
                if _is_result(response, call):
                    return result(of, response, meta, key)
                failure = error(response, meta, key)
                if retries >= settings.max_retries or not _may_retry(failure, call):
                    raise failure
                if failure.retry_after is not None:
                    if failure.retry_after > settings.max_retry_wait:
                        raise failure
                    wait = failure.retry_after * random.uniform(1.0, 1.1)
            pause(cancel, wait)
            retries += 1

    def _key(self, settings: Settings) -> str:
        """Returns the key, unless it must not be sent to the server."""
        key = settings.api_key()
        if not key:
            return ""
        if not isinstance(cast(object, key), str) or not re.fullmatch(r"[!-~]+", key):
            raise LeadlineError("invalid api_key: must be printable ASCII without spaces")
        url = urlsplit(self.base_url)
        if url.scheme != "https" and not is_loopback(url.hostname or ""):
            raise LeadlineError(
                f"refused to send the key to {self.base_url}: use https, or no key"
            )
        return key

    def _send(
        self, call: Call, settings: Settings, key: str, cancel: Cancel, retries: int
    ) -> Response:
        """Makes one attempt."""
        request = Request(
            method=call.method,
            url=self.base_url + call.target,
            headers=_headers(settings, key, call),
            body=call.body,
            timeout=settings.timeout,
            may_repeat=call.may_repeat,
            cancel=cancel,
        )
        path = urlsplit(call.target).path
        if settings.on_request:
            settings.on_request(RequestInfo(call.method, path, retries + 1))
        begin = time.perf_counter()
        status, request_id = None, ""
        try:
            response = settings.transport(request)
            status = response.status
            request_id = Headers(response.headers.items()).get("x-request-id", "")
            return response
        finally:
            if settings.on_response:
                ms = (time.perf_counter() - begin) * 1000
                settings.on_response(
                    ResponseInfo(call.method, path, retries + 1, status, ms, request_id)
                )


@dataclass(frozen=True)
class Call:
    """An operation with its inputs."""

    method: str
    target: str
    body: Optional[bytes] = None
    may_repeat: bool = True
    is_status: bool = False


def pause(cancel: Cancel, seconds: float) -> None:
    """Waits between two attempts."""
    cancel.wait(seconds)


def segment(value: str) -> str:
    """Returns a value as a part of a path."""
    if not isinstance(cast(object, value), str) or value in ("", ".", ".."):
        raise LeadlineError(f"invalid id {value!r}: must be a string such as \"8443970\"")
    return quote(value, safe="")


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):  # a datetime too
        return value.isoformat()
    return str(value)


def _json(body: object) -> bytes:
    try:
        return json.dumps(to_wire(body), allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as fault:
        raise LeadlineError(
            f"invalid body: {fault}; use strings such as \"06:30\", numbers, dates, lists and dicts"
        ) from fault


def _headers(settings: Settings, key: str, call: Call) -> SecretHeaders:
    agent = f"leadline-python/{VERSION} (python/{sys.version_info[0]}.{sys.version_info[1]}; "
    agent += f"{platform.system().lower() or 'unknown'})"
    headers = SecretHeaders(
        {
            "Accept": "application/json",
            "Leadline-Version": CONTRACT,
            "User-Agent": f"{agent} {settings.app_info}".rstrip(),
        }
    )
    if key:
        headers["Authorization"] = f"Bearer {key}"
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    return headers


def _is_final(error: Exception) -> bool:
    """Reports whether another attempt would fail in the same way."""
    return isinstance(error, ssl.SSLCertVerificationError)


def _connection_error(
    error: Exception, call: Call, timeout: float, key: str
) -> APIConnectionError:
    if isinstance(error, APIConnectionError):
        return error
    what = f"{call.method} {call.target.split('?')[0]}"
    if isinstance(error, (socket.timeout, TimeoutError)):
        return APITimeoutError(f"{what}: no complete response within {timeout:g} s")
    if isinstance(error, HTTPException):
        return APIConnectionError(f"{what}: no complete response ({type(error).__name__})")
    return APIConnectionError(f"{what}: {type(error).__name__}: {plain(str(error), key)}")


def _is_result(response: Response, call: Call) -> bool:
    if call.is_status and response.status == 503:
        return isinstance(decoded(response.body).get("components"), list)
    return 200 <= response.status < 300


def _may_retry(error: APIError, call: Call) -> bool:
    if error.code == "quota_exceeded":
        return False
    return error.status in ((429, 502, 503, 504) if call.may_repeat else (429, 503))
