"""An HTTP server that follows a script, byte by byte, for the faults that servers have."""

import json
import socket
import ssl
import threading
from collections import deque
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional

STATION = {
    "id": "8443970",
    "name": "Boston",
    "state": "MA",
    "latitude": 42.35389,
    "longitude": -71.05028,
    "timeZone": "America/New_York",
}
SOURCE = {
    "id": "tide-prediction",
    "label": "Tide predictions",
    "provider": "NOAA CO-OPS",
    "kind": "prediction",
    "required": True,
    "available": True,
    "freshness": "fresh",
    "sourceAt": None,
    "receivedAt": "2026-11-22T22:43:27Z",
    "ageMinutes": 3,
    "attributionUrl": "https://tidesandcurrents.noaa.gov/",
}
FOUND = {
    **STATION,
    "predicts": "tides",
    "predictionKind": "harmonic",
    "match": "exact",
}


def stations(*rows: Dict[str, Any], offset: int = 0, following: Optional[int] = None) -> Any:
    """Returns the body of a station search."""
    return {
        "sources": [SOURCE],
        "missing": [],
        "notes": [],
        "total": len(rows),
        "offset": offset,
        "nextOffset": following,
        "stations": list(rows),
    }


class Received(NamedTuple):
    """A request as it arrived."""

    method: str
    target: str
    headers: Dict[str, str]
    body: bytes
    connection: int


# A step sends the response to a request, and returns whether the connection stays open.
Step = Callable[[socket.socket], bool]


def answer(
    body: Any = None, status: int = 200, close: bool = False, **headers: str
) -> Step:
    """A complete response. Header names have underscores: Retry_After."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    fields.update({name.replace("_", "-"): value for name, value in headers.items()})
    head = f"HTTP/1.1 {status} Status\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())

    def step(connection: socket.socket) -> bool:
        connection.sendall(head.encode() + b"\r\n" + data)
        return not close

    return step


def failure(status: int, code: str, message: str = "No.", **headers: str) -> Step:
    """An error of the server."""
    return answer({"error": {"code": code, "message": message}}, status, **headers)


def raw(data: bytes) -> Step:
    """Bytes, after which the connection is closed."""

    def step(connection: socket.socket) -> bool:
        connection.sendall(data)
        return False

    return step


def hang(data: bytes = b"") -> Step:
    """Bytes, after which nothing follows until the client gives up."""

    def step(connection: socket.socket) -> bool:
        connection.sendall(data)
        connection.settimeout(20)
        try:
            connection.recv(1)
        except OSError:
            pass
        return False

    return step


class Scripted:
    """A server on loopback. Each request gets the next step, the last one repeats."""

    def __init__(self, *steps: Step, tls: Optional[ssl.SSLContext] = None) -> None:
        self._tls = tls
        self.steps: Deque[Step] = deque(steps)
        self.received: List[Received] = []
        self.connections = 0
        self.sockets: List[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = f"http://{self.address}"

    def __enter__(self) -> "Scripted":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for connection in self.sockets:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self.sockets.append(connection)
            threading.Thread(
                target=self._serve, args=(connection, self.connections), daemon=True
            ).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
                self.sockets.append(connection)
        except OSError:
            return
        reader = connection.makefile("rb")
        try:
            while True:
                request = _read(reader, number)
                if request is None:
                    break
                self.received.append(request)
                step = self.steps.popleft() if len(self.steps) > 1 else self.steps[0]
                if not step(connection):
                    break
        except OSError:
            pass
        finally:
            reader.close()
            connection.close()


def _read(reader: Any, number: int) -> Optional[Received]:
    first = reader.readline().decode("latin-1").split()
    if len(first) < 2:
        return None
    headers: Dict[str, str] = {}
    while True:
        line = reader.readline().decode("latin-1").strip()
        if not line:
            break
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = reader.read(int(headers.get("content-length", "0")))
    return Received(first[0], first[1], headers, body, number)
