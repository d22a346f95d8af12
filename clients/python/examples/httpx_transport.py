"""Sends the requests of both clients with httpx 0.23 or newer: python3 httpx_transport.py

Set LEADLINE_BASE_URL to the address of the server.
"""

import asyncio
from contextlib import contextmanager
from typing import Awaitable, Callable, Generator

import httpx
from leadline import APIConnectionError, APITimeoutError, AsyncLeadline, Leadline
from leadline import Request, Response, Transport


def transport_of(http: httpx.Client) -> Transport:
    """Returns a transport for Leadline."""

    def send(request: Request) -> Response:
        headers = dict(request.headers)
        with errors():
            got = http.request(
                request.method,
                request.url,
                headers=headers,
                content=request.body,
                timeout=request.timeout,
            )
        return Response(got.status_code, dict(got.headers), got.content)

    return send


def async_transport_of(http: httpx.AsyncClient) -> Callable[[Request], Awaitable[Response]]:
    """Returns a transport for AsyncLeadline."""

    async def send(request: Request) -> Response:
        headers = dict(request.headers)
        with errors():
            got = await http.request(
                request.method,
                request.url,
                headers=headers,
                content=request.body,
                timeout=request.timeout,
            )
        return Response(got.status_code, dict(got.headers), got.content)

    return send


@contextmanager
def errors() -> Generator[None, None, None]:
    """Turns the errors of httpx into those that are tried again."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise APITimeoutError("httpx: no response in time") from error
    except httpx.TransportError as error:
        raise APIConnectionError(f"httpx: {type(error).__name__}") from error


async def main() -> None:
    async with httpx.AsyncClient() as http:
        async with AsyncLeadline(transport=async_transport_of(http)) as client:
            print("coroutine:", (await client.status.get()).status)


if __name__ == "__main__":
    with httpx.Client() as http:
        print("thread:", Leadline(transport=transport_of(http)).status.get().status)
    asyncio.run(main())
