"""Connections over TLS, directly and through a proxy."""

import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from leadline import (
    APIConnectionError,
    APITimeoutError,
    CallCancelledError,
    Cancel,
    Leadline,
    meta_of,
)

from .scripted import FOUND, Scripted, Step, answer, hang, stations

OK = answer(stations(FOUND))


def relay(address: str) -> Step:
    """Responds to CONNECT, and passes bytes on to another server."""
    host, port = address.split(":")

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while True:
                data = source.recv(4096)
                if not data:
                    break
                target.sendall(data)
        except OSError:
            pass
        target.close()

    def step(connection: socket.socket) -> bool:
        server = socket.create_connection((host, int(port)))
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        threading.Thread(target=pump, args=(server, connection), daemon=True).start()
        pump(connection, server)
        return False

    return step


class TLS(unittest.TestCase):
    folder: "tempfile.TemporaryDirectory[str]"
    context: ssl.SSLContext

    @classmethod
    def setUpClass(cls) -> None:
        if not shutil.which("openssl"):
            if os.environ.get("LEADLINE_REQUIRE"):
                raise AssertionError("openssl is missing")
            raise unittest.SkipTest("openssl is missing")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        key, certificate = (Path(cls.folder.name) / name for name in ("key.pem", "cert.pem"))
        subprocess.run(
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=leadline.test",
                "-addext", "subjectAltName=DNS:leadline.test,IP:127.0.0.1",
            ],
            check=True,
            capture_output=True,
        )  # fmt: skip
        cls.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.context.load_cert_chain(certificate, key)
        cls.certificate = str(certificate)

    def setUp(self) -> None:
        environment = mock.patch.dict(os.environ, SSL_CERT_FILE=self.certificate)
        environment.start()
        self.addCleanup(environment.stop)
        pause = mock.patch("leadline._core.pause")
        self.pause = pause.start()
        self.addCleanup(pause.stop)

    def serve(self, *steps: Step) -> Scripted:
        server = Scripted(*steps, tls=self.context)
        server.__enter__()
        self.addCleanup(server.__exit__)
        return server

    def client(self, address: str, **settings: object) -> Leadline:
        client = Leadline(f"https://{address}", **settings)  # type: ignore[arg-type]
        self.addCleanup(client.close)
        return client

    def test_connections_are_kept(self) -> None:
        server = self.serve(OK)
        client = self.client(server.address, api_key="k")
        for _ in range(3):
            self.assertEqual(client.stations.search().stations[0].id, "8443970")
        self.assertEqual(server.connections, 1)
        self.assertEqual(server.received[0].headers["authorization"], "Bearer k")

    def test_a_stale_connection_is_replaced(self) -> None:
        server = self.serve(answer(stations(), close=True), OK)
        client = self.client(server.address, max_retries=0)
        for _ in range(2):
            self.assertEqual(meta_of(client.stations.search()).retries, 0)
        self.assertEqual(server.connections, 2)

    def test_an_unknown_certificate_is_refused_at_once(self) -> None:
        del os.environ["SSL_CERT_FILE"]
        server = self.serve(OK)
        with self.assertRaises(APIConnectionError) as caught:
            self.client(server.address, api_key="k").stations.search()
        self.assertIn("certificate", str(caught.exception))
        self.assertEqual(server.received, [])
        self.pause.assert_not_called()

    def test_another_name_is_refused(self) -> None:
        server = self.serve(OK)
        address = server.address.replace("127.0.0.1", "localhost")
        with self.assertRaises(APIConnectionError):
            self.client(address, api_key="k").stations.search()
        self.assertEqual(server.received, [])

    def test_a_server_without_tls(self) -> None:
        def refuse() -> None:
            connection, _ = listener.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.close()

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=refuse, daemon=True).start()
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            with self.assertRaises(APIConnectionError):
                self.client(address, max_retries=0, timeout=5).stations.search()

    def test_a_server_that_hangs(self) -> None:
        server = self.serve(hang(b"HTTP/1.1 200 OK\r\n"))
        with self.assertRaises(APITimeoutError):
            self.client(server.address, timeout=0.5, max_retries=0).stations.search()

    def test_a_handshake_that_hangs(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"127.0.0.1:{silent.getsockname()[1]}"
            with self.assertRaises(APITimeoutError):
                self.client(address, timeout=0.5, max_retries=0).stations.search()

    def test_cancellation(self) -> None:
        server = self.serve(hang())
        cancel = Cancel()
        threading.Timer(0.3, cancel.cancel).start()
        with self.assertRaises(CallCancelledError):
            self.client(server.address).stations.search(options={"cancel": cancel})

    def test_a_proxy(self) -> None:
        server = self.serve(OK)
        proxy = Scripted(relay(server.address))
        with proxy, mock.patch.dict(os.environ, https_proxy=proxy.url, no_proxy=""):
            client = self.client("leadline.test", api_key="k")
            for _ in range(2):
                client.stations.search()
        self.assertEqual([one.target for one in proxy.received], ["leadline.test:443"])
        self.assertEqual([one.target for one in server.received], ["/api/v1/stations"] * 2)
        self.assertEqual(server.received[0].headers["host"], "leadline.test")


if __name__ == "__main__":
    unittest.main()
