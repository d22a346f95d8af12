"""Keys and signing secrets are in no repr, message, traceback or log."""

import copy
import io
import logging
import traceback
import unittest
from typing import Any, List

import leadline
from leadline import Leadline, LeadlineError, NewWebhook, Request, Response
from leadline._http import SecretHeaders
from leadline._settings import FixedKey

from .scripted import Scripted, Step, answer, failure, raw

KEY = "ldl_live_7LqQBDDabcdefghijklmnopqrstuvwxyz0123456789ABCD"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def shown(value: object) -> str:
    """Returns what a debugger shows of an object and of the objects in it."""
    parts: List[str] = []
    todo, seen = [value], set()
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, (type, type(unittest))):
            continue
        seen.add(id(one))
        parts += [repr(one), str(one)]
        todo += list(getattr(one, "__dict__", {}).values())
    return "\n".join(parts)


class Secrets(unittest.TestCase):
    def assertHidden(self, text: str) -> None:
        self.assertNotIn(KEY, text)
        self.assertNotIn(KEY[9:], text)
        self.assertNotIn(SECRET[6:], text)

    def test_a_client(self) -> None:
        for key in (KEY, lambda: KEY):
            client = Leadline("http://127.0.0.1:1", api_key=key)
            self.assertHidden(shown(client))
            self.assertIn("127.0.0.1", repr(client))
        self.assertEqual(FixedKey(KEY)(), KEY)

    def test_a_request(self) -> None:
        seen: List[Request] = []

        def transport(request: Request) -> Response:
            seen.append(request)
            raise OSError("no network")

        client = Leadline("https://h.example", api_key=KEY, transport=transport, max_retries=0)
        with self.assertRaises(LeadlineError) as caught:
            client.stations.search()
        self.assertEqual(seen[0].headers["Authorization"], f"Bearer {KEY}")
        self.assertHidden(shown(seen[0]))
        self.assertHidden(repr(copy.copy(seen[0])))
        self.assertHidden("".join(traceback.format_exception(
            type(caught.exception), caught.exception, caught.exception.__traceback__)))
        self.assertNotIn("Bearer", repr(SecretHeaders({"Authorization": "Bearer x"})))

    def test_a_transport_that_quotes_the_request(self) -> None:
        def transport(request: Request) -> Response:
            raise OSError(f"invalid header {dict(request.headers)}")

        client = Leadline("https://h.example", api_key=KEY, transport=transport, max_retries=0)
        with self.assertRaises(LeadlineError) as caught:
            client.stations.search()
        self.assertHidden(str(caught.exception) + repr(caught.exception))

    def test_errors_of_every_kind(self) -> None:
        echo = f"<html>You sent Authorization: Bearer {KEY}</html>".encode()
        steps: List[Step] = [
            failure(401, "invalid_credential", f"the key {KEY} is revoked"),
            answer(echo, 502),
            answer(echo),
            answer({"endpoint": {}, "secret": SECRET}),
            answer({"secret": SECRET}, 500),
            answer(('{"secret": "' + SECRET).encode()),
            answer(b"", 302, Location=f"https://x.example/?key={KEY}"),
            answer(b"", 302, Location=f"https://x.example/{KEY}"),
            raw(f"HTTP/1.1 {KEY}\r\n\r\n".encode()),
        ]
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        logging.getLogger().addHandler(handler)
        logging.getLogger().setLevel(logging.DEBUG)
        self.addCleanup(logging.getLogger().removeHandler, handler)
        self.addCleanup(logging.getLogger().setLevel, logging.WARNING)
        for step in steps:
            with Scripted(step) as server:
                client = Leadline(server.url, api_key=KEY)
                with self.assertRaises(LeadlineError) as caught:
                    client.webhooks.create({"url": "https://hooks.example.com/"})
                error = caught.exception
                self.assertHidden(str(error) + repr(error))
                self.assertHidden("".join(traceback.format_exception(
                    type(error), error, error.__traceback__)))
        self.assertEqual(log.getvalue(), "")

    def test_keys_that_no_header_can_have(self) -> None:
        for key in (KEY + "\n", KEY + "\r\nX: y", "ü" + KEY, KEY + " ", KEY.encode()):
            wrong: Any = key
            for given in (wrong, lambda wrong=wrong: wrong):
                with self.assertRaises(LeadlineError) as caught:
                    Leadline("http://127.0.0.1:1", api_key=given).stations.search()
                self.assertHidden(str(caught.exception))
                self.assertIsNone(caught.exception.__cause__)

    def test_plain_http_is_for_loopback(self) -> None:
        refused = ("http://h.example", "http://10.0.0.1", "http://127.0.0.1.example",
                   "http://127.1", "http://[::2]", "http://0.0.0.0", "http://2130706433")
        for address in refused:
            for key in (KEY, lambda: KEY):
                with self.assertRaises(LeadlineError) as caught:
                    Leadline(address, api_key=key).stations.search()
                self.assertIn("use https", str(caught.exception))
                self.assertHidden(str(caught.exception))
        for address in ("http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:1",
                        "http://localhost", "http://a.localhost", "https://h.example"):
            Leadline(address, api_key=KEY)
        Leadline("http://h.example")

    def test_a_new_endpoint(self) -> None:
        attempt = None
        endpoint = {
            "id": "we_4fT9kQ2mZx7LbN", "url": "https://hooks.example.com/", "description": "",
            "events": ["*"], "state": "pending", "disabledReason": None, "secretHint": "aSw",
            "oldSecretUntil": None, "createdAt": "2026-11-22T00:00:00Z", "enabledAt": None,
            "failingSince": None, "pausedUntil": None, "last": attempt, "pending": 0,
        }
        with Scripted(answer({"endpoint": endpoint, "secret": SECRET})) as server:
            with Leadline(server.url) as client:
                created = client.webhooks.create({"url": "https://hooks.example.com/"})
        self.assertIsInstance(created, NewWebhook)
        self.assertEqual(created.secret, SECRET)
        self.assertHidden(repr(created) + str(created))

    def test_webhook_secrets(self) -> None:
        for secret in (SECRET + "!", SECRET[:12], "whsec_", ""):
            with self.assertRaises(LeadlineError) as caught:
                leadline.verify_webhook(b"{}", {}, secret)
            self.assertNotIn(SECRET[6:12], str(caught.exception))
            self.assertIsNone(caught.exception.__cause__)


if __name__ == "__main__":
    unittest.main()
