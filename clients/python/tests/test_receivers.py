"""The receivers of the README and of the examples survive faults of senders and of work."""

import base64
import hashlib
import hmac
import http.client
import os
import re
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Dict

PYTHON = Path(__file__).parents[1]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENT = (
    b'{"type":"webhook.test","timestamp":"2026-11-27T15:02:10Z","data":{"eventId":"msg_1",'
    b'"contractVersion":"2026-07-09","endpoint":"we_1","cause":"created","message":"Test."}}'
)

# Placed before a program, this makes its work fail: it prints each event.
FAIL = """
import builtins
def fail(*values, **options): raise RuntimeError("work")
builtins.print = fail
"""


def programs() -> Dict[str, str]:
    """Returns the text of each program."""
    readme = (PYTHON / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (block,) = (one for one in blocks if "serve_forever" in one)
    return {
        "README.md": block,
        "webhook_server.py": (PYTHON / "examples/webhook_server.py").read_text("utf-8"),
    }


class Receivers(unittest.TestCase):
    def test_they_verify_while_a_sender_is_idle(self) -> None:
        for name, program in programs().items():
            with self.subTest(name):
                port = self.start(program)
                with half_a_body(port):
                    self.assertEqual(post(port, EVENT, sign(EVENT)), 204)
                self.assertEqual(post(port, EVENT + b" ", sign(EVENT)), 400)
                self.assertEqual(post(port, b"{}", sign(b"{}")), 500)
                for length in ("65537", "-1", "x"):
                    self.assertEqual(post(port, b"", {"Content-Length": length}), 413)
                self.assertEqual(post(port, EVENT, sign(EVENT)), 204)

    def test_an_idle_connection_is_closed(self) -> None:
        for name, program in programs().items():
            with self.subTest(name):
                short = program.replace("    timeout = 10  #", "    timeout = 0.1  #")
                self.assertNotEqual(short, program)
                with half_a_body(self.start(short)) as idle:
                    self.assertEqual(idle.recv(1), b"")

    def test_work_that_fails_does_not_end_them(self) -> None:
        for name, program in programs().items():
            with self.subTest(name):
                port = self.start(FAIL + program)
                for _ in range(2):
                    self.assertEqual(post(port, EVENT, sign(EVENT)), 204)

    def test_a_malformed_secret_is_their_own_fault(self) -> None:
        for name, program in programs().items():
            with self.subTest(name):
                port = self.start(program, secret="whsec_AAAA")
                self.assertEqual(post(port, EVENT, sign(EVENT)), 500)

    def start(self, program: str, secret: str = SECRET) -> int:
        """Starts a program and returns its port."""
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port: int = unused.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            env={
                **os.environ,
                "PORT": str(port),
                "PYTHONPATH": str(PYTHON),
                "LEADLINE_WEBHOOK_SECRET": secret,
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while True:
            self.assertIsNone(process.poll(), "the program has ended")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=60).close()
                return port
            except ConnectionRefusedError:
                time.sleep(0.05)


def half_a_body(port: int) -> socket.socket:
    """Returns a connection on which a request has begun."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
    return connection


def post(port: int, body: bytes, headers: Dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/", body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def sign(body: bytes) -> Dict[str, str]:
    """Returns the headers of a signed request."""
    sent = str(int(time.time()))
    key, signed = base64.b64decode(SECRET[6:]), f"msg_1.{sent}.".encode() + body
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": sent,
        "webhook-signature": f"v1,{signature}",
    }


if __name__ == "__main__":
    unittest.main()
