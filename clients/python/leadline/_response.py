"""Results and errors from responses, without any trust in what a response contains."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections import deque
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Deque, Dict, List, NoReturn, Optional, Type, TypeVar, cast

from ._errors import BY_STATUS, APIError
from ._http import MAX_BODY, Response
from ._meta import Meta
from ._read import Mismatch, read
from ._results import attach
from ._settings import DeprecationInfo
from ._types import CONTRACT, Issue

T = TypeVar("T")


def check_size(response: Response, meta: Meta) -> None:
    """Raises an error for a response that is too large."""
    if len(response.body) > MAX_BODY:
        _unexpected("the response is larger than 32 MiB", meta)


def result(of: Type[T], response: Response, meta: Meta, key: str) -> T:
    """Returns the body as an instance of its class, if it is what the contract describes."""
    if meta.contract not in (None, CONTRACT):
        _unexpected(
            f"the server answered by contract {plain(str(meta.contract), key)}, "
            f"this client needs {CONTRACT}",
            meta,
        )
    raw = decoded(response.body)
    if not raw:
        _unexpected(f"the response is not a JSON object: {_excerpt(response.body, key)}", meta)
    try:
        return attach(read(of, raw), meta, raw)
    except Mismatch as mismatch:
        _unexpected(
            f"{of.__name__}: {mismatch}: the server may be older than this client",
            meta,
        )
    except RecursionError:
        _unexpected("the response is nested too deeply", meta)


def _unexpected(message: str, meta: Meta) -> NoReturn:
    raise APIError(
        message,
        code="unexpected_answer",
        status=meta.status,
        issues=(),
        retry_after=None,
        meta=meta,
    )


def error(response: Response, meta: Meta, key: str) -> APIError:
    """Returns the error that a response describes."""
    found = decoded(response.body).get("error")
    kind = BY_STATUS.get(response.status, APIError)
    after = _retry_after(meta.headers.get("retry-after"))
    facts: Dict[str, Any] = cast(Dict[str, Any], found) if isinstance(found, dict) else {}
    if isinstance(facts.get("code"), str) and isinstance(facts.get("message"), str):
        if after is None and isinstance(facts.get("retryAfterSeconds"), int):
            after = float(facts["retryAfterSeconds"])
        code = plain(facts["code"], key)
        message = plain(facts["message"], key)
        issues = _issues(facts.get("issues"))
    else:
        code, issues = "unexpected_answer", []
        message = f"HTTP {response.status} without a JSON error"
        if 300 <= response.status < 400:
            target = plain(meta.headers.get("location", "")[:200].split("?")[0], key)
            message = f"the server redirects to {target or 'an unknown address'}: set base_url"
        elif response.body:
            message += f": {_excerpt(response.body, key)}"
    return kind(
        message,
        code=code,
        status=response.status,
        issues=issues,
        retry_after=after,
        meta=meta,
    )


def _issues(found: object) -> List[Issue]:
    issues: List[Issue] = []
    if isinstance(found, list):
        for one in cast(List[object], found):
            try:
                issues.append(read(Issue, one))
            except Mismatch:
                pass  # an issue of another shape adds nothing to the message
    return issues


def _retry_after(text: Optional[str]) -> Optional[float]:
    """Returns the seconds to wait, from a number or from an HTTP date."""
    if not text:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    at = _http_date(text)
    return None if at is None else max(0.0, (at - datetime.now(timezone.utc)).total_seconds())


def _http_date(text: Optional[str]) -> Optional[datetime]:
    """Returns the time of an HTTP date, or None if the text is not one."""
    try:
        at = parsedate_to_datetime(text or "")
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def decoded(body: bytes) -> Dict[str, Any]:
    """Returns the JSON object of a body; an empty one if it is anything else."""
    try:
        value: object = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return {}
    return cast(Dict[str, Any], value) if isinstance(value, dict) else {}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _excerpt(body: bytes, key: str) -> str:
    return repr(plain(body[:2000].decode("utf-8", "replace"), key)[:200])


# A key begins with a public id of seven characters, which messages of the server name.
_SECRETS = re.compile(r"(whsec_|ldl_live_[0-9A-Za-z]{7})[0-9A-Za-z+/=]+")


def plain(text: str, key: str) -> str:
    """Returns text of the server without control characters and secrets."""
    if key:
        text = text.replace(key, "***")
    text = _SECRETS.sub(r"\1***", text)
    return "".join(c if c.isprintable() else " " for c in text)


# The functions that were called about a deprecation, the newest ones.
_announced: Deque[object] = deque(maxlen=100)


def announce_deprecation(meta: Meta, hook: Optional[Callable[[DeprecationInfo], None]]) -> None:
    """Reports that the server will stop to serve the contract, once to each function."""
    since = meta.headers.get("deprecation")
    call = hook or _warn
    if since is None or call in _announced:
        return
    _announced.append(call)
    deprecated_at: Optional[datetime] = None
    if re.fullmatch(r"@[0-9]{1,11}", since):  # a date of RFC 9745
        deprecated_at = datetime.fromtimestamp(int(since[1:]), timezone.utc)
    sunset_at = _http_date(meta.headers.get("sunset"))
    call(DeprecationInfo(CONTRACT, deprecated_at, sunset_at, meta.headers.get("link")))


def _warn(info: DeprecationInfo) -> None:
    since, until = (
        f"{at:%Y-%m-%d}" if at else "a day that is not known"
        for at in (info.deprecated_at, info.sunset_at)
    )
    warnings.warn(
        f"Leadline contract {info.contract} is deprecated since {since} and ends {until}: "
        "update the package leadline",
        DeprecationWarning,
        stacklevel=_depth_of_caller(),
    )


def _depth_of_caller() -> int:
    """Returns the stack level, for warnings.warn, of the first frame outside this package."""
    folder = os.path.dirname(__file__)
    depth, frame = 1, sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        depth, frame = depth + 1, frame.f_back
    return depth
