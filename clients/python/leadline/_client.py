"""The two clients: Leadline, and AsyncLeadline for coroutines."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Callable, Optional, Type

from ._async import (
    AsyncAccountUsage,
    AsyncDecisions,
    AsyncEvents,
    AsyncKeys,
    AsyncPlanning,
    AsyncService,
    AsyncSky,
    AsyncStations,
    AsyncWatches,
    AsyncWebhooks,
)
from ._async_core import AsyncCore, AsyncTransport, in_threads
from ._core import Core
from ._http import Connections, Transport
from ._operations import (
    AccountUsage,
    Decisions,
    Events,
    Keys,
    Planning,
    Service,
    Sky,
    Stations,
    Watches,
    Webhooks,
)
from ._settings import APIKey, DeprecationInfo, RequestInfo, ResponseInfo, Settings, key_function

OnRequest = Optional[Callable[[RequestInfo], None]]
OnResponse = Optional[Callable[[ResponseInfo], None]]
OnDeprecation = Optional[Callable[[DeprecationInfo], None]]


class Leadline:
    """A client of a Leadline server. Threads may share it.

    base_url is the server's address, or LEADLINE_BASE_URL. api_key is a key or a
    function that returns one, or LEADLINE_API_KEY. An empty one is refused; a function
    returns "" to send none. timeout is in seconds, for each attempt. max_retries is
    the number of attempts after the first; a wait of more than max_retry_wait seconds
    is an error at once. app_info names your program to the server, such as
    "mysite/1.2". transport sends a request in place of http.client. on_request and
    on_response see each attempt. on_deprecation is called once, when the server
    announces the end of the contract; without it, a DeprecationWarning is issued once
    in a process.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        *,
        api_key: Optional[APIKey] = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        max_retry_wait: float = 20.0,
        app_info: str = "",
        transport: Optional[Transport] = None,
        on_request: OnRequest = None,
        on_response: OnResponse = None,
        on_deprecation: OnDeprecation = None,
    ) -> None:
        self._connections = Connections()
        settings = Settings(
            api_key=_key(api_key),
            timeout=timeout,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            app_info=app_info,
            transport=transport or self._connections,
            on_request=on_request,
            on_response=on_response,
            on_deprecation=on_deprecation,
        )
        core = self._core = Core(base_url, settings)
        self.stations = Stations(core)
        self.astronomy = Sky(core)
        self.decisions = Decisions(core)
        self.status = Service(core)
        self.usage = AccountUsage(core)
        self.keys = Keys(core)
        self.webhooks = Webhooks(core)
        self.events = Events(core)
        self.watches = Watches(core)
        self.planning = Planning(core)

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self._connections.close()

    def __enter__(self) -> Leadline:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Leadline({self._core.base_url!r})"


class AsyncLeadline:
    """A client with the methods of Leadline as coroutines.

    Each call runs in a thread, at most 32 at a time. Cancelling its task closes its
    connection. The arguments are those of Leadline; transport may be a coroutine
    function.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        *,
        api_key: Optional[APIKey] = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        max_retry_wait: float = 20.0,
        app_info: str = "",
        transport: Optional[AsyncTransport] = None,
        on_request: OnRequest = None,
        on_response: OnResponse = None,
        on_deprecation: OnDeprecation = None,
    ) -> None:
        self._connections = Connections()
        send: Transport = self._connections
        if transport is not None:
            send = in_threads(transport)
        settings = Settings(
            api_key=_key(api_key),
            timeout=timeout,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            app_info=app_info,
            transport=send,
            on_request=on_request,
            on_response=on_response,
            on_deprecation=on_deprecation,
        )
        core = self._core = AsyncCore(Core(base_url, settings))
        self.stations = AsyncStations(core)
        self.astronomy = AsyncSky(core)
        self.decisions = AsyncDecisions(core)
        self.status = AsyncService(core)
        self.usage = AsyncAccountUsage(core)
        self.keys = AsyncKeys(core)
        self.webhooks = AsyncWebhooks(core)
        self.events = AsyncEvents(core)
        self.watches = AsyncWatches(core)
        self.planning = AsyncPlanning(core)

    async def close(self) -> None:
        """Closes the connections that are kept open, and the threads."""
        self._core.close()
        self._connections.close()

    async def __aenter__(self) -> AsyncLeadline:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncLeadline({self._core.core.base_url!r})"


def _key(given: Optional[APIKey]) -> Callable[[], str]:
    return key_function((os.environ.get("LEADLINE_API_KEY") or None) if given is None else given)
