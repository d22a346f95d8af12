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
    body: Union[bytes, bytearray, memoryview],
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = 300.0,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Returns the event of a request, or raises WebhookVerificationError.

    body is the raw body, as it arrived. secret is the signing secret, or several of
    them during a rotation. tolerance is the greatest difference, in seconds, between
    the time of the request and now (the clock, if it is not given).
    """
    if not isinstance(cast(object, body), (bytes, bytearray, memoryview)):
        raise TypeError(
            f"body must be the raw bytes of the request, not {type(body).__name__}: "
            "verify it before it is decoded or parsed"
        )
    keys = _keys([secret] if isinstance(secret, str) else secret)
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
    raw = bytes(body)
    if not _matches(keys, f"{message_id}.{sent}.".encode() + raw, signatures):
        raise WebhookVerificationError(
            "no signature matches: the secret is another one, or the body was changed"
        )
    try:
        value: object = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise LeadlineError("the body is signed, but is not a JSON object")
    return read_event(cast(Dict[str, Any], value))


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


def _keys(secrets: Sequence[str]) -> List[bytes]:
    """Returns the bytes of secrets. Errors do not contain them."""
    keys: List[bytes] = []
    for secret in secrets:
        text = secret[6:] if secret.startswith("whsec_") else secret
        try:
            key = base64.b64decode(text, validate=True)
        except ValueError:
            key = b""
        if len(key) < 16:
            raise LeadlineError('invalid secret: must be "whsec_" and base64, as it was shown')
        keys.append(key)
    if not keys:
        raise LeadlineError("secret is missing: pass the signing secret of the endpoint")
    return keys


def _fields(headers: Headers) -> Dict[str, str]:
    """Returns the headers with lower-case names."""
    given: Any = headers
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
    given = [
        one[3:].encode("ascii")
        for one in signatures.split(" ")
        if one.startswith("v1,")
    ]
    found = False
    for key in keys:
        want = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for one in given:
            found |= hmac.compare_digest(want, one)
    return found
