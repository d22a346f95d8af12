"""Verification of the events that a Leadline server sends to your endpoint.

    event = verify_webhook(body, headers, secret)

The signature is that of Standard Webhooks (https://www.standardwebhooks.com).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import (
    Any,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Type,
    Union,
    cast,
    get_args,
    get_type_hints,
)

from ._errors import LeadlineError, WebhookVerificationError
from ._read import Mismatch, read
from ._types import KnownWebhookEvent

__all__ = [
    "Headers",
    "UnknownEvent",
    "WebhookEvent",
    "WebhookVerificationError",
    "read_event",
    "verify_webhook",
]

Text = Union[str, bytes]


class _Items(Protocol):
    def items(self) -> Iterable[Tuple[str, str]]: ...


Headers = Union[Mapping[str, str], _Items, Iterable[Tuple[Text, Text]]]
"""Headers as any framework has them: a mapping, or pairs; names in any case."""


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a kind that this version of the package does not know."""

    type: str
    timestamp: datetime
    data: Dict[str, Any]


WebhookEvent = Union[KnownWebhookEvent, UnknownEvent]
"""An event: narrow it with isinstance, for example with leadline.QuotaWarningEvent."""


def verify_webhook(
    body: Union[bytes, bytearray, memoryview, str],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Returns the event of a request, or raises WebhookVerificationError.

    body is the raw body as it arrived, in bytes or as text, before any JSON parser.
    secret is the signing secret, or several of them during a rotation. tolerance is the
    greatest difference, in seconds, between the time of the request and now (the clock,
    if it is not given).

    A body that was parsed already, or headers that are None, is a TypeError. A secret
    that is not base64 of at least 16 bytes, with or without "whsec_", is a LeadlineError.
    """
    raw = _bytes(body)
    keys = _keys(secret)
    fields = _fields(headers)
    message_id, sent, signatures = (
        _header(fields, f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    if not re.fullmatch(r"[0-9]{1,12}", sent):
        raise WebhookVerificationError("webhook-timestamp must be Unix seconds")
    if not abs((time.time() if now is None else now) - int(sent)) <= tolerance:
        raise WebhookVerificationError(
            f"webhook-timestamp is more than {tolerance:g} s off: the request is old, "
            "or a clock is wrong"
        )
    if not _matches(keys, f"{message_id}.{sent}.".encode() + raw, signatures):
        raise WebhookVerificationError(
            "no signature matches: the secret is another one, or the body was changed"
        )
    try:
        value: object = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        value = None
    event: Dict[str, Any] = cast(Dict[str, Any], value) if isinstance(value, dict) else {}
    if not isinstance(event.get("type"), str):
        raise LeadlineError("the body is signed, but is not an event")
    return read_event(event)


def read_event(body: Mapping[str, Any]) -> WebhookEvent:
    """Returns the typed event of a body, such as that of events.list.

    It does not verify anything.
    """
    kind = body.get("type")
    of: Type[Any] = _kinds().get(kind, UnknownEvent) if isinstance(kind, str) else UnknownEvent
    try:
        event: WebhookEvent = read(of, dict(body))
        return event
    except Mismatch as mismatch:
        raise LeadlineError(f"unexpected event: {mismatch}") from None


_known: Dict[str, Type[Any]] = {}


def _kinds() -> Dict[str, Type[Any]]:
    """Returns the class of each kind of event."""
    if not _known:
        for of in get_args(KnownWebhookEvent):
            _known[get_args(get_type_hints(of)["type"])[0]] = of
    return _known


def _bytes(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")  # half a surrogate pair was never signed
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(cast(bytes, body))
    raise TypeError(
        f"verify_webhook needs the raw body, not a parsed one ({type(body).__name__}): "
        "read it before a JSON parser"
    )


def _keys(secret: object) -> List[bytes]:
    """Returns the bytes of one or several secrets. Errors do not contain them."""
    secrets: Sequence[object] = (secret,)
    if isinstance(secret, (list, tuple)) and secret:
        secrets = cast("Sequence[object]", secret)
    keys: List[bytes] = []
    for one in secrets:
        if isinstance(one, (bytes, bytearray)):
            raise LeadlineError("invalid webhook secret: must be a str, not bytes")
        key = _base64(re.sub("^whsec_", "", one)) if isinstance(one, str) else b""
        if len(key) < 16:
            raise LeadlineError(
                'invalid webhook secret: must be "whsec_" and base64, as it was shown'
            )
        keys.append(key)
    return keys


def _base64(text: str) -> bytes:
    """Returns the bytes of base64. Padding and white space may be missing or added.

    Anything else returns no bytes.
    """
    text = re.sub(r"[ \t\n\f\r]", "", text)
    if len(text) % 4 == 0:
        text = re.sub("={1,2}$", "", text)
    if len(text) % 4 == 1 or not re.fullmatch("[A-Za-z0-9+/]*", text):
        return b""
    return base64.b64decode(text + "=" * (-len(text) % 4))


def _fields(headers: Headers) -> Dict[str, str]:
    """Returns the headers with lower-case names."""
    given: Any = headers
    if given is None:
        raise TypeError("verify_webhook needs the headers of the request, not None")
    pairs: Iterable[Tuple[Text, Text]] = given.items() if hasattr(given, "items") else given
    fields: Dict[str, str] = {}
    for name, value in pairs:
        name, value = _decode(name).lower(), _decode(value)
        fields[name] = f"{fields[name]} {value}" if name in fields else value
    return fields


def _decode(text: Text) -> str:
    return text if isinstance(text, str) else text.decode("latin-1")


def _header(fields: Mapping[str, str], name: str) -> str:
    value = fields.get(name, "")
    if not value:
        raise WebhookVerificationError(f"the header {name} is missing")
    if not re.fullmatch(r"[ -~]+", value):
        raise WebhookVerificationError(f"the header {name} is malformed")
    return value


def _matches(keys: Sequence[bytes], signed: bytes, signatures: str) -> bool:
    """Reports whether one signature is that of one key, in constant time for each."""
    given = [_base64(one[3:]) for one in signatures.split(" ") if one.startswith("v1,")]
    found = False
    for key in keys:
        want = hmac.new(key, signed, hashlib.sha256).digest()
        for one in given:
            found |= hmac.compare_digest(want, one)
    return found
