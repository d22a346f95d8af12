"""AsyncLeadline: concurrency, cancellation, transports."""

import asyncio
import inspect
import threading
import unittest
from typing import List

from leadline import (
    APIError,
    AsyncLeadline,
    CallCancelledError,
    Cancel,
    Leadline,
    Request,
    Response,
    meta_of,
)

from .scripted import FOUND, Scripted, answer, failure, hang, stations

STATUS = (
    b'{"status": "operational", "components": [], "incidents": [], "maintenance": [], '
    b'"verification": null}'
)


class Async(unittest.TestCase):
    def test_pages(self) -> None:
        async def ids(url: str) -> List[str]:
            async with AsyncLeadline(url) as client:
                return [one.id async for one in client.stations.each(state="MA")]

        first = answer(stations({**FOUND, "id": "a"}, following=1))
        with Scripted(first, answer(stations({**FOUND, "id": "b"}, offset=1))) as server:
            self.assertEqual(asyncio.run(ids(server.url)), ["a", "b"])

    def test_calls_run_together(self) -> None:
        together = threading.Barrier(32)

        def meet(connection: object) -> bool:
            together.wait(10)
            return answer(stations())(connection)  # type: ignore[arg-type]

        async def many(url: str) -> None:
            async with AsyncLeadline(url, max_retries=0, timeout=20) as client:
                await asyncio.gather(*(client.stations.search() for _ in range(64)))

        with Scripted(meet) as server:
            asyncio.run(many(server.url))
            self.assertEqual(len(server.received), 64)
            self.assertLessEqual(server.connections, 64)

    def test_cancellation_closes_the_connection(self) -> None:
        async def main(server: Scripted) -> None:
            async with AsyncLeadline(server.url) as client:
                call = asyncio.ensure_future(client.stations.search())
                while not server.received:
                    await asyncio.sleep(0.01)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                while server.sockets[0].fileno() != -1:  # hang returns, so the client has closed
                    await asyncio.sleep(0.01)

        with Scripted(hang()) as server:
            asyncio.run(asyncio.wait_for(main(server), 15))
            self.assertEqual(len(server.received), 1)

    def test_a_deadline_of_the_caller(self) -> None:
        async def main(url: str) -> None:
            async with AsyncLeadline(url) as client:
                await asyncio.wait_for(client.stations.search(), 0.3)

        with Scripted(failure(429, "rate_limited", Retry_After="20")) as server:
            with self.assertRaises(asyncio.TimeoutError):
                asyncio.run(main(server.url))
            self.assertEqual(len(server.received), 1)

    def test_a_cancel_of_the_caller(self) -> None:
        async def main(url: str) -> None:
            cancel = Cancel()
            async with AsyncLeadline(url) as client:
                asyncio.get_running_loop().call_later(0.2, cancel.cancel)
                await client.stations.search(options={"cancel": cancel})

        with Scripted(hang()) as server:
            with self.assertRaises(CallCancelledError):
                asyncio.run(main(server.url))

    def test_errors(self) -> None:
        async def main(url: str) -> None:
            async with AsyncLeadline(url) as client:
                await client.stations.get("8443970")

        with Scripted(failure(404, "station_not_found")) as server:
            with self.assertRaises(APIError) as caught:
                asyncio.run(main(server.url))
            self.assertEqual(caught.exception.code, "station_not_found")

    def test_transports(self) -> None:
        async def waiting(request: Request) -> Response:
            await asyncio.sleep(0)
            return Response(200, {"x-request-id": request.method}, STATUS)

        def direct(request: Request) -> Response:
            return Response(200, {"x-request-id": request.method}, STATUS)

        async def main() -> None:
            for transport in (waiting, direct):
                async with AsyncLeadline("http://h.example", transport=transport) as client:
                    self.assertEqual(meta_of(await client.status.get()).request_id, "GET")

        asyncio.run(main())

    def test_a_transport_is_cancelled(self) -> None:
        ended: List[str] = []

        async def slow(_: Request) -> Response:
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            raise AssertionError("not cancelled")

        async def main() -> None:
            async with AsyncLeadline("http://h.example", transport=slow, timeout=0.2) as client:
                with self.assertRaises(APIError.__mro__[1]):
                    await client.status.get(options={"max_retries": 0})
            async with AsyncLeadline("http://h.example", transport=slow) as client:
                call = asyncio.ensure_future(client.status.get())
                await asyncio.sleep(0.2)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                while len(ended) < 2:
                    await asyncio.sleep(0.01)

        asyncio.run(asyncio.wait_for(main(), 15))
        self.assertEqual(ended, ["cancelled"] * 2)

    def test_methods_are_those_of_the_other_client(self) -> None:
        one, two = Leadline("http://h.example"), AsyncLeadline("http://h.example")
        for name, group in vars(one).items():
            if name.startswith("_"):
                continue
            other = getattr(two, name)
            for method, function in inspect.getmembers(group, inspect.ismethod):
                if method.startswith("_"):
                    continue
                twin = getattr(other, method)
                got, want = inspect.signature(twin), inspect.signature(function)
                self.assertEqual(list(got.parameters.values()), list(want.parameters.values()))
                self.assertTrue(
                    inspect.iscoroutinefunction(twin) or inspect.isasyncgenfunction(twin)
                )


if __name__ == "__main__":
    unittest.main()
