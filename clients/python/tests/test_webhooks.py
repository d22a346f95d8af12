"""Verification of webhooks, against a signer written separately and the reference library."""

import json
import os
import shutil
import subprocess
import unittest
from email.message import Message
from hashlib import sha256
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

from leadline import (
    LeadlineError,
    QuotaWarningEvent,
    UnknownEvent,
    WebhookTestEvent,
    WebhookVerificationError,
    read_event,
    verify_webhook,
)

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
ID = "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
NOW = 1795791730
EVENT = {
    "type": "webhook.test",
    "timestamp": "2026-11-27T15:02:10Z",
    "data": {
        "eventId": ID,
        "contractVersion": "2026-07-09",
        "endpoint": "we_4fT9kQ2mZx7LbN",
        "cause": "created",
        "message": "Test event. Respond with 2xx to enable the endpoint.",
    },
}
BODY = json.dumps(EVENT, separators=(",", ":")).encode()
# The clients in all languages must agree about these.
VECTORS: Any = json.loads(
    (Path(__file__).parents[2] / "vectors/webhooks.json").read_text("utf-8")
)
REFERENCE = Path(__file__).parents[1] / "tools/node_modules/standardwebhooks"

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64_of(data: bytes) -> str:
    """Returns base64 by its definition in RFC 4648."""
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 6)
    text = "".join(_ALPHABET[int(bits[at : at + 6], 2)] for at in range(0, len(bits), 6))
    return text + "=" * (-len(text) % 4)


def bytes_of(text: str) -> bytes:
    """Returns the bytes of base64 by its definition in RFC 4648."""
    bits = "".join(f"{_ALPHABET.index(one):06b}" for one in text.rstrip("="))
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) // 8 * 8, 8))


def sign(secret: str, message: str, time: int, body: bytes) -> str:
    """Returns a signature with HMAC by its definition in RFC 2104."""
    key = bytes_of(secret[len("whsec_") :]).ljust(64, b"\0")
    inner = bytes(one ^ 0x36 for one in key)
    outer = bytes(one ^ 0x5C for one in key)
    signed = f"{message}.{time}.".encode() + body
    return "v1," + base64_of(sha256(outer + sha256(inner + signed).digest()).digest())


def headers(**changes: str) -> Dict[str, str]:
    """Returns the headers of EVENT, with changes such as webhook_id=..."""
    fields = {
        "webhook-id": ID,
        "webhook-timestamp": str(NOW),
        "webhook-signature": sign(SECRET, ID, NOW, BODY),
    }
    fields.update({name.replace("_", "-"): value for name, value in changes.items()})
    return fields


class Verification(unittest.TestCase):
    def test_a_good_one(self) -> None:
        event = verify_webhook(BODY, headers(), SECRET, now=NOW)
        assert isinstance(event, WebhookTestEvent)
        self.assertEqual(event.data.event_id, ID)
        self.assertEqual(event.data.cause, "created")
        self.assertEqual(event.timestamp.isoformat(), "2026-11-27T15:02:10+00:00")

    def test_vectors(self) -> None:
        for vector in VECTORS["cases"]:
            with self.subTest(vector["name"]):
                request = {**VECTORS["request"], **vector}
                fields = {**VECTORS["request"]["headers"], **request["headers"]}
                fields = {name: value for name, value in fields.items() if value is not None}
                body, secrets = request["body"], request["secrets"]
                options = {"now": VECTORS["now"], "tolerance": request.get("tolerance", 300)}
                for form in (body, body.encode()):
                    if vector["want"] == "event":
                        event = verify_webhook(form, fields, secrets, **options)
                        self.assertEqual(event.type, json.loads(body)["type"])
                        continue
                    with self.assertRaises(LeadlineError) as caught:
                        verify_webhook(form, fields, secrets, **options)
                    self.assertEqual(type(caught.exception).__name__, vector["want"])
                    for secret in secrets:
                        if secret and len(secret) > 6:
                            self.assertNotIn(secret[6:], str(caught.exception))

    def test_headers_of_frameworks(self) -> None:
        fields = headers()
        message = Message()
        for name, value in fields.items():
            message[name.title()] = value
        kinds: List[Any] = [
            {name.upper(): value for name, value in fields.items()},
            list(fields.items()),
            [(name.encode(), value.encode()) for name, value in fields.items()],
            message,
        ]
        for kind in kinds:
            verify_webhook(BODY, kind, SECRET, now=NOW)

    def test_kinds_of_bodies(self) -> None:
        for body in (BODY, bytearray(BODY), memoryview(BODY), BODY.decode()):
            verify_webhook(body, headers(), SECRET, now=NOW)

    def test_half_a_surrogate_pair(self) -> None:
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(BODY.decode() + "\ud800", headers(), SECRET, now=NOW)

    def test_parsed_bodies_are_refused(self) -> None:
        for body in (EVENT, None, [EVENT]):
            with self.assertRaises(TypeError) as caught:
                verify_webhook(body, headers(), SECRET, now=NOW)  # type: ignore[arg-type]
            self.assertIn("read it before a JSON parser", str(caught.exception))

    def test_faults_of_the_program(self) -> None:
        with self.assertRaises(LeadlineError) as wrong:
            verify_webhook(BODY, headers(), SECRET.encode(), now=NOW)  # type: ignore[arg-type]
        self.assertEqual(str(wrong.exception), "invalid webhook secret: must be a str, not bytes")
        with self.assertRaises(TypeError) as missing:
            verify_webhook(BODY, None, SECRET, now=NOW)  # type: ignore[arg-type]
        self.assertIn("needs the headers of the request, not None", str(missing.exception))

    def test_rotation(self) -> None:
        both = sign(OTHER, ID, NOW, BODY) + " " + sign(SECRET, ID, NOW, BODY)
        for secret in (SECRET, OTHER, [SECRET], [OTHER, SECRET], (SECRET, OTHER)):
            verify_webhook(BODY, headers(webhook_signature=both), secret, now=NOW)
        verify_webhook(BODY, headers(), [OTHER, SECRET], now=NOW)

    def test_refused(self) -> None:
        good = sign(SECRET, ID, NOW, BODY)
        cases = {
            "no signature": headers(webhook_signature=""),
            "no id": headers(webhook_id=""),
            "no time": headers(webhook_timestamp=""),
            "other secret": headers(webhook_signature=sign(OTHER, ID, NOW, BODY)),
            "other id": headers(webhook_id=ID[:-1] + "5"),
            "other time": headers(webhook_timestamp=str(NOW + 1)),
            "other version": headers(webhook_signature="v1a" + good[2:]),
            "no version": headers(webhook_signature=good[3:]),
            "cut": headers(webhook_signature=good[:-2]),
            "longer": headers(webhook_signature=good + "A"),
            "not ASCII": headers(webhook_signature="v1,é"),
            "line break": headers(webhook_id=ID + "\n"),
            "old": headers(webhook_timestamp=str(NOW - 301)),
            "early": headers(webhook_timestamp=str(NOW + 301)),
            "not a number": headers(webhook_timestamp="1e9"),
            "digits of others": headers(webhook_timestamp="١٧٩٥٧٩١٧٣٠"),
            "negative": headers(webhook_timestamp=f"-{NOW}"),
            "long": headers(webhook_timestamp="1" * 5000),
        }
        for name, fields in cases.items():
            with self.subTest(name):
                with self.assertRaises(WebhookVerificationError):
                    verify_webhook(BODY, fields, SECRET, now=NOW)
        for body in (b"", BODY + b" ", BODY[:-1], BODY.replace(b"created", b"rotated")):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(body, headers(), SECRET, now=NOW)

    def test_the_time_is_checked_first(self) -> None:
        old = headers(webhook_timestamp=str(NOW - 301), webhook_signature="v1,x")
        with mock.patch("hmac.new") as new, self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook(BODY, old, SECRET, now=NOW)
        new.assert_not_called()
        self.assertIn("webhook-timestamp", str(caught.exception))

    def test_the_clock(self) -> None:
        with mock.patch("time.time", lambda: NOW + 299.0):
            verify_webhook(BODY, headers(), SECRET)
        with mock.patch("time.time", lambda: NOW + 301.0):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(BODY, headers(), SECRET)
            verify_webhook(BODY, headers(), SECRET, tolerance=400)
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(BODY, headers(), SECRET, tolerance=float("nan"))

    def test_secrets(self) -> None:
        wrong: List[Any] = [None, (), b"bytes", 7, [SECRET, None]]
        for secret in wrong:
            with self.assertRaises(LeadlineError) as caught:
                verify_webhook(BODY, headers(), secret, now=NOW)
            self.assertNotIsInstance(caught.exception, WebhookVerificationError)


class Events(unittest.TestCase):
    def test_kinds_of_tomorrow(self) -> None:
        body = {"type": "tide.king", "timestamp": EVENT["timestamp"], "data": {"a": 1}}
        event = read_event(body)
        assert isinstance(event, UnknownEvent)
        self.assertEqual((event.type, event.data), ("tide.king", {"a": 1}))

    def test_properties_of_tomorrow(self) -> None:
        read_event({**EVENT, "newer": 1})

    def test_a_quota_warning(self) -> None:
        data = {
            "eventId": ID,
            "contractVersion": "2026-07-09",
            "account": {"id": "0195c0de-0000-7000-8000-000000000001", "plan": "pro"},
            "month": "2026-11",
            "level": "critical",
            "limit": 250000,
            "used": 237500,
            "remaining": 12500,
            "resetsAt": "2026-12-01T00:00:00Z",
        }
        event = read_event({**EVENT, "type": "quota.warning", "data": data})
        assert isinstance(event, QuotaWarningEvent)
        self.assertEqual(event.data.remaining, 12500)

    def test_wrong_ones(self) -> None:
        for body in ({}, {"type": 7}, {"type": "webhook.test"}, {**EVENT, "data": None}):
            with self.assertRaises(LeadlineError):
                read_event(body)


class Reference(unittest.TestCase):
    """The library of Standard Webhooks for JavaScript, in both directions."""

    def setUp(self) -> None:
        if not REFERENCE.is_dir() or not shutil.which("node"):
            if os.environ.get("LEADLINE_REQUIRE"):
                self.fail("there is no standardwebhooks: run clients/python/check")
            self.skipTest("there is no standardwebhooks: run clients/python/check")

    def node(self, script: str, *arguments: str) -> str:
        script = f"const {{ Webhook }} = require({json.dumps(str(REFERENCE))});" + script
        return subprocess.run(
            ["node", "-e", script, *arguments], check=True, capture_output=True, text=True
        ).stdout

    def test_what_it_signs_is_verified(self) -> None:
        signature = self.node(
            "const [secret, id, time, body] = process.argv.slice(1);"
            "console.log(new Webhook(secret).sign(id, new Date(time * 1000), body));",
            SECRET,
            ID,
            str(NOW),
            BODY.decode(),
        ).strip()
        verify_webhook(BODY, headers(webhook_signature=signature), SECRET, now=NOW)

    def test_what_is_signed_here_it_verifies(self) -> None:
        import time

        now = int(time.time())
        fields = headers(
            webhook_timestamp=str(now), webhook_signature=sign(SECRET, ID, now, BODY)
        )
        verify_webhook(BODY, fields, SECRET)
        got = self.node(
            "const [secret, body, headers] = process.argv.slice(1);"
            "console.log(JSON.stringify("
            "new Webhook(secret).verify(body, JSON.parse(headers))));",
            SECRET,
            BODY.decode(),
            json.dumps(fields),
        )
        self.assertEqual(json.loads(got), EVENT)


if __name__ == "__main__":
    unittest.main()
