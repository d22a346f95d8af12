"""The core of AsyncLeadline: the same calls, each in a thread."""

from __future__ import annotations

import asyncio
import contextvars
import socket
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Awaitable, Callable, Mapping, Optional, Type, TypeVar, Union

from ._core import Core, Value
from ._errors import CallCancelledError
from ._http import Cancel, Request, Response, Transport
from ._settings import Options
from ._types import Status

T = TypeVar("T")
AsyncTransport = Callable[[Request], Union[Response, Awaitable[Response]]]

_MAX_CALLS = 32  # at a time; others wait

_loop: contextvars.ContextVar[asyncio.AbstractEventLoop] = contextvars.ContextVar("_loop")


class AsyncCore:
    """Calls operations of the server from coroutines. Cancellation closes the connection."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self._threads = ThreadPoolExecutor(_MAX_CALLS, thread_name_prefix="leadline")

    async def get(
        self, of: Type[T], path: str, query: Mapping[str, Value], options: Optional[Options]
    ) -> T:
        return await self._run(lambda inner: self.core.get(of, path, query, inner), options)

    async def ask(self, of: Type[T], path: str, body: object, options: Optional[Options]) -> T:
        return await self._run(lambda inner: self.core.ask(of, path, body, inner), options)

    async def change(
        self, of: Type[T], method: str, path: str, body: object, options: Optional[Options]
    ) -> T:
        return await self._run(
            lambda inner: self.core.change(of, method, path, body, inner), options
        )

    async def status(self, of: Type[Status], path: str, options: Optional[Options]) -> Status:
        return await self._run(lambda inner: self.core.status(of, path, inner), options)

    def close(self) -> None:
        self._threads.shutdown(wait=False)

    async def _run(self, call: Callable[[Options], T], options: Optional[Options]) -> T:
        given: Options = options or {}
        outer, cancel = given.get("cancel"), Cancel()
        inner = given.copy()
        inner["cancel"] = cancel
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        context.run(_loop.set, loop)
        number = outer.attach(cancel.cancel) if outer else 0
        try:
            return await loop.run_in_executor(self._threads, lambda: context.run(call, inner))
        except asyncio.CancelledError:
            cancel.cancel()
            raise
        finally:
            if outer:
                outer.detach(number)


def in_threads(transport: AsyncTransport) -> Transport:
    """Returns a transport that waits in its thread for a coroutine of the event loop."""

    def send(request: Request) -> Response:
        response = transport(request)
        if isinstance(response, Response):
            return response
        future = asyncio.run_coroutine_threadsafe(_await(response), _loop.get())
        number = request.cancel.attach(lambda: None if future.cancel() else None)
        try:
            return future.result(request.timeout)
        except FutureTimeoutError:
            future.cancel()
            raise socket.timeout("timed out") from None
        except CancelledError:
            raise CallCancelledError("the call was cancelled") from None
        finally:
            request.cancel.detach(number)

    return send


async def _await(response: Awaitable[Response]) -> Response:
    return await response
