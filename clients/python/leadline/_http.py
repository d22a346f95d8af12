"""The transport: sends a request over http.client, with connections that are kept open.

A transport is a callable that takes a Request and returns a Response. It does not
retry, follow redirects or look at the status. It raises OSError, HTTPException or
APIConnectionError if no complete response arrives.
"""

from __future__ import annotations

import base64
import io
import os
import select
import socket
import ssl
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import Any, Callable, Deque, Dict, Mapping, Optional, Tuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from ._errors import CallCancelledError, LeadlineError

MAX_BODY = 32 << 20
_MAX_IDLE = 8


class SecretHeaders(Dict[str, str]):
    """Headers of a request; the credential is not in their repr."""

    def __repr__(self) -> str:
        return repr({k: "***" if k == "Authorization" else v for k, v in self.items()})


class Cancel:
    """Cancels calls from another thread.

    Pass it with options={"cancel": cancel}. cancel() ends the wait between attempts
    and closes the connection; the call raises CallCancelledError.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._closers: Dict[int, Callable[[], None]] = {}

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        """Cancels all calls that use it, now and later."""
        with self._lock:
            self._event.set()
            closers = list(self._closers.values())
        for close in closers:
            close()

    def check(self) -> None:
        """Raises CallCancelledError once it is cancelled."""
        if self._event.is_set():
            raise CallCancelledError("the call was cancelled")

    def wait(self, seconds: float) -> None:
        """Returns after a number of seconds, or raises as soon as it is cancelled."""
        self._event.wait(seconds)
        self.check()

    def attach(self, close: Callable[[], None]) -> int:
        """Adds a function that ends an attempt, and returns its number."""
        with self._lock:
            number = id(close)
            self._closers[number] = close
        if self.cancelled:
            close()
        return number

    def detach(self, number: int) -> None:
        with self._lock:
            self._closers.pop(number, None)


@dataclass(frozen=True)
class Request:
    """A request for a transport. timeout is in seconds, for the whole attempt."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Optional[bytes]
    timeout: float
    may_repeat: bool = True
    """Whether sending it twice is harmless."""
    cancel: Cancel = field(default_factory=Cancel, repr=False)


@dataclass(frozen=True)
class Response:
    """A response from a transport: status, headers by name, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Transport = Callable[[Request], Response]


class Connections:
    """Sends requests to one server, over up to 8 connections that stay open.

    Threads may share it. Proxies come from the environment, but for loopback
    addresses. Certificates are those of the system, or of SSL_CERT_FILE.
    """

    def __init__(self) -> None:
        self._idle: Deque[_Connection] = deque()
        self._context: Optional[ssl.SSLContext] = None
        self._process = os.getpid()

    def __call__(self, request: Request) -> Response:
        url = urlsplit(request.url)
        until = time.monotonic() + request.timeout
        if request.may_repeat:
            kept = self._take(url)
            if kept is not None:
                try:
                    return self._send(kept, url, request, until)
                except (HTTPException, ConnectionError) as error:
                    if isinstance(error, IncompleteRead) or request.cancel.cancelled:
                        raise
                    # The server had closed the kept connection: that is not a failed attempt.
        fresh = _connect(url, until, self._tls, request.cancel)
        return self._send(fresh, url, request, until)

    def close(self) -> None:
        """Closes all connections that are not in use."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        self.close()

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            context = ssl.create_default_context()
            context.set_alpn_protocols(["http/1.1"])
            self._context = context
        return self._context

    def _take(self, url: SplitResult) -> Optional[_Connection]:
        if self._process != os.getpid():  # a forked process does not share connections
            self.close()
            self._process = os.getpid()
        while True:
            try:
                kept = self._idle.pop()
            except IndexError:
                return None
            # A readable idle connection was closed, or has bytes that nobody asked for.
            if kept.origin == (url.scheme, url.netloc) and not kept.readable():
                return kept
            kept.close()

    def _send(
        self, connection: _Connection, url: SplitResult, request: Request, until: float
    ) -> Response:
        number = request.cancel.attach(connection.interrupt)
        try:
            response, keep = connection.send(url, request, until)
        except BaseException:
            connection.close()
            raise
        finally:
            request.cancel.detach(number)
        if keep and len(self._idle) < _MAX_IDLE and not request.cancel.cancelled:
            self._idle.append(connection)
        else:
            connection.close()
        return response


class _Connection:
    """An open connection to the server, or to its proxy."""

    def __init__(
        self, sock: _Socket, origin: Tuple[str, str], forward: Optional[Dict[str, str]]
    ) -> None:
        self.origin = origin
        self._forward = forward  # headers for a proxy that forwards plain http
        self._sock = sock
        url = urlsplit(f"//{origin[1]}")
        self._http = HTTPConnection(cast(str, url.hostname), url.port or _PORTS[origin[0]])
        self._http.sock = cast(socket.socket, sock)

    def send(self, url: SplitResult, request: Request, until: float) -> Tuple[Response, bool]:
        """Returns the response, and whether the connection can be used again."""
        self._sock.until = until
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        headers = {"Host": url.netloc, **request.headers}
        if self._forward is not None:
            target = f"{url.scheme}://{url.netloc}{target}"
            headers.update(self._forward)
        self._http.request(request.method, target, request.body, headers)
        response = self._http.getresponse()
        announced = response.length
        body = _body(response)
        if announced is not None and len(body) < min(announced, MAX_BODY + 1):
            raise IncompleteRead(b"", announced - len(body))
        if announced is None and not response.chunked and not body and response.status == 200:
            raise IncompleteRead(b"")  # http.client takes the end of a connection for a head's
        fields: Dict[str, str] = {}
        for name, value in response.getheaders():
            name = name.lower()
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        keep = len(body) <= MAX_BODY and not response.will_close
        return Response(response.status, fields, body), keep

    def readable(self) -> bool:
        return self._sock.readable()

    def interrupt(self) -> None:
        self._sock.interrupt()

    def close(self) -> None:
        self._http.close()
        self._sock.shut()


_PORTS = {"http": 80, "https": 443}


def _body(response: HTTPResponse) -> bytes:
    """Returns the body, but not more than one byte over the limit."""
    body = bytearray()
    while len(body) <= MAX_BODY:
        part = response.read(min(1 << 16, MAX_BODY + 1 - len(body)))
        if not part:
            break
        body += part
    return bytes(body)


class _Socket:
    """A socket whose operations all end at one deadline. http.client reads through it."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.until = 0.0

    def arm(self) -> socket.socket:
        """Returns the socket with the time that remains as its timeout."""
        remaining = self.until - time.monotonic()
        if remaining <= 0:
            raise socket.timeout("timed out")
        self.sock.settimeout(remaining)
        return self.sock

    def sendall(self, data: bytes) -> None:
        self.arm().sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def readable(self) -> bool:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self.sock, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([self.sock], [], [], 0)[0])

    def interrupt(self) -> None:
        """Ends an operation in another thread. It does not touch the state of TLS."""
        try:
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
        except OSError:
            pass  # it is not connected, or closed

    def close(self) -> None:
        """Does nothing: http.client closes before it has read a last response."""

    def shut(self) -> None:
        self.sock.close()


class _Reader(io.RawIOBase):
    def __init__(self, sock: _Socket) -> None:
        super().__init__()
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._sock.arm().recv_into(buffer)


def _connect(
    url: SplitResult, until: float, tls: Callable[[], ssl.SSLContext], cancel: Cancel
) -> _Connection:
    """Opens a connection, through the proxy of the environment if there is one."""
    host, port = cast(str, url.hostname), url.port or _PORTS[url.scheme]
    proxy = _proxy(url)
    if proxy is None:
        sock = _open(host, port, until, cancel)
    else:
        sock = _open(cast(str, proxy.hostname), proxy.port or 80, until, cancel)
    number = cancel.attach(sock.interrupt)
    try:
        forward = None if proxy is None else _proxy_headers(proxy)
        if url.scheme == "https":
            if forward is not None:
                _tunnel(sock, host, port, forward)
            forward = None
            sock.sock = tls().wrap_socket(sock.arm(), server_hostname=host)
        return _Connection(sock, (url.scheme, url.netloc), forward)
    except BaseException:
        sock.shut()
        raise
    finally:
        cancel.detach(number)


def _open(host: str, port: int, until: float, cancel: Cancel) -> _Socket:
    """Connects to the first address of a host that accepts before the deadline."""
    failure: OSError = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        sock = _Socket(socket.socket(family, kind, protocol))
        sock.until = until
        number = cancel.attach(sock.interrupt)
        try:
            sock.arm().connect(address)
            sock.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as error:
            failure = error
            sock.shut()
        finally:
            cancel.detach(number)
        cancel.check()
    raise failure


def _proxy(url: SplitResult) -> Optional[SplitResult]:
    """Returns the proxy for an address. Loopback addresses never have one."""
    host = cast(str, url.hostname)
    if is_loopback(host):
        return None
    from urllib.request import getproxies, proxy_bypass  # takes 15 ms to import

    proxies = getproxies()
    address = proxies.get(url.scheme) or proxies.get("all")
    if not address or proxy_bypass(host):
        return None
    proxy = urlsplit(address if "://" in address else f"http://{address}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise LeadlineError(f"invalid proxy for {url.scheme}: must be http://HOST:PORT")
    return proxy


def _proxy_headers(proxy: SplitResult) -> Dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}


def _tunnel(sock: _Socket, host: str, port: int, headers: Mapping[str, str]) -> None:
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"))
    response = HTTPResponse(cast(socket.socket, sock), method="CONNECT")
    response.begin()
    if response.status != 200:
        raise OSError(f"the proxy refused a connection to {authority}: HTTP {response.status}")


def is_loopback(host: str) -> bool:
    """Reports whether a host name or address is this machine's own."""
    if host in ("localhost", "::1") or host.endswith(".localhost"):
        return True
    try:
        return socket.inet_aton(host)[0] == 127 and host.count(".") == 3
    except (OSError, UnicodeError):
        return False
