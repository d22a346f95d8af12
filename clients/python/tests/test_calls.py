"""What a call does when a server or a network does not do what it should."""

import os
import socket
import threading
import time
import unittest
import warnings
from datetime import datetime, timezone
from typing import Any, List
from unittest import mock

from leadline import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    CallCancelledError,
    Cancel,
    DeprecationInfo,
    InvalidRequestError,
    Leadline,
    LeadlineError,
    RateLimitError,
    Request,
    RequestInfo,
    Response,
    ResponseInfo,
    meta_of,
    raw_of,
)
from leadline import _http, _response

from .scripted import FOUND, Scripted, Step, answer, failure, hang, raw, stations

OK = answer(stations(FOUND))
LIMITS = {
    "X_Request_Id": "0190-1",
    "X_RateLimit_Limit": "30",
    "X_RateLimit_Remaining": "29",
    "X_RateLimit_Reset": "1795387468",
    "X_Quota_Month_Limit": "1000",
    "X_Quota_Month_Remaining": "100",
    "X_Quota_Month_Reset": "1796083200",
    "X_Quota_Warning": "approaching",
    "Leadline_Version": "2026-07-09",
}


class Case(unittest.TestCase):
    """Replaces the wait between attempts, and records it."""

    def setUp(self) -> None:
        self.waits: List[float] = []
        patch = mock.patch("leadline._core.pause", lambda _, wait: self.waits.append(wait))
        patch.start()
        self.addCleanup(patch.stop)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        for name in list(os.environ):
            if name.startswith("LEADLINE_") or name.lower().endswith("_proxy"):
                del os.environ[name]

    def serve(self, *steps: Step) -> Scripted:
        server = Scripted(*steps)
        server.__enter__()
        self.addCleanup(server.__exit__)
        return server

    def client(self, server: Scripted, **settings: Any) -> Leadline:
        client = Leadline(server.url, **settings)
        self.addCleanup(client.close)
        return client


class Retries(Case):
    def test_reads_are_repeated(self) -> None:
        cases = {
            "rate_limited": failure(429, "rate_limited", Retry_After="1"),
            "502": answer(b"<html>bad gateway</html>", 502),
            "503": failure(503, "provider_unavailable"),
            "504": answer(b"", 504),
            "closed": raw(b""),
            "cut in the first line": raw(b"HTTP/1.1 200"),
            "cut in the head": raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCo"),
            "truncated": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"),
            "truncated chunk": raw(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"
            ),
            "no HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
        }
        for name, step in cases.items():
            with self.subTest(name):
                server = self.serve(step, step, OK)
                result = self.client(server).stations.search()
                self.assertEqual(result.stations[0].name, "Boston")
                self.assertEqual(meta_of(result).retries, 2)
                self.assertEqual(len(server.received), 3)

    def test_decisions_are_repeated(self) -> None:
        server = self.serve(raw(b""), failure(404, "station_not_found"))
        with self.assertRaises(APIError):
            self.client(server).decisions.trip_health(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": "2026-11-28",
                    "localTime": "09:00",
                }
            )
        self.assertEqual(len(server.received), 2)

    def test_changes_are_repeated_after_a_refusal_only(self) -> None:
        cases = (
            (failure(429, "rate_limited"), 3),
            (failure(503, "overloaded"), 3),
            (failure(502, "bad_gateway"), 1),
            (failure(504, "timeout"), 1),
            (raw(b""), 1),
            (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"), 1),
        )
        for step, attempts in cases:
            for call in ("delete", "test", "rotate"):
                server = self.serve(step)
                with self.assertRaises(LeadlineError):
                    getattr(self.client(server).webhooks, call)("we_4fT9kQ2mZx7LbN")
                self.assertEqual(len(server.received), attempts)

    def test_changes_never_use_a_kept_connection(self) -> None:
        server = self.serve(OK, raw(b""))
        client = self.client(server)
        client.stations.search()
        with self.assertRaises(APIConnectionError):
            client.webhooks.delete("we_4fT9kQ2mZx7LbN")
        self.assertEqual([one.connection for one in server.received], [1, 2])

    def test_other_errors_are_not_repeated(self) -> None:
        for status, code in ((400, "invalid_request"), (404, "not_found"), (500, "internal")):
            server = self.serve(failure(status, code), OK)
            with self.assertRaises(APIError) as caught:
                self.client(server).stations.search()
            self.assertEqual((caught.exception.status, caught.exception.code), (status, code))
            self.assertEqual(len(server.received), 1)

    def test_quota_is_never_waited_for(self) -> None:
        server = self.serve(failure(429, "quota_exceeded", Retry_After="1"), OK)
        with self.assertRaises(RateLimitError) as caught:
            self.client(server).stations.search()
        self.assertEqual(caught.exception.code, "quota_exceeded")
        self.assertEqual((len(server.received), self.waits), (1, []))

    def test_an_hour_is_not_waited_for(self) -> None:
        server = self.serve(failure(429, "rate_limited", Retry_After="3600"), OK)
        with self.assertRaises(RateLimitError) as caught:
            self.client(server).stations.search()
        self.assertEqual(caught.exception.retry_after, 3600)
        self.assertEqual((len(server.received), self.waits), (1, []))

    def test_retry_after_is_obeyed(self) -> None:
        server = self.serve(failure(429, "rate_limited", Retry_After="20"), OK)
        self.client(server).stations.search()
        self.assertEqual(len(self.waits), 1)
        self.assertTrue(20 <= self.waits[0] <= 22, self.waits)

    def test_retry_after_may_be_a_date(self) -> None:
        date = "Mon, 01 Jan 2001 00:00:00 GMT"
        server = self.serve(failure(503, "overloaded", Retry_After=date), OK)
        self.client(server).stations.search()
        self.assertEqual(self.waits, [0.0])

    def test_jitter_grows_to_four_seconds(self) -> None:
        server = self.serve(raw(b""))
        with mock.patch("random.uniform", lambda low, high: high):
            with self.assertRaises(APIConnectionError):
                self.client(server, max_retries=6).stations.search()
        self.assertEqual(self.waits, [0.5, 1.0, 2.0, 4.0, 4.0, 4.0])

    def test_no_retries_means_none(self) -> None:
        for step in (raw(b""), failure(503, "overloaded")):
            server = self.serve(step, OK)
            with self.assertRaises(LeadlineError):
                self.client(server).stations.search(options={"max_retries": 0})
            self.assertEqual(len(server.received), 1)

    def test_the_key_is_read_before_each_attempt(self) -> None:
        keys = iter(("first", "second"))
        server = self.serve(failure(503, "overloaded"), OK)
        self.client(server, api_key=lambda: next(keys)).stations.search()
        sent = [one.headers["authorization"] for one in server.received]
        self.assertEqual(sent, ["Bearer first", "Bearer second"])


class Faults(Case):
    def test_a_server_that_hangs(self) -> None:
        for step in (hang(), hang(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")):
            server = self.serve(step)
            with self.assertRaises(APITimeoutError) as caught:
                self.client(server, timeout=0.2, max_retries=1).stations.search()
            self.assertEqual(len(server.received), 2)
            self.assertIn("within 0.2 s", str(caught.exception))

    def test_a_server_that_sends_a_byte_at_a_time(self) -> None:
        def drip(connection: socket.socket) -> bool:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            for _ in range(200):
                connection.sendall(b" ")
                time.sleep(0.05)
            return False

        server = self.serve(drip)
        with self.assertRaises(APITimeoutError):
            self.client(server, timeout=0.3, max_retries=0).stations.search()

    def test_a_server_that_does_not_exist(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        with self.assertRaises(APIConnectionError) as caught:
            Leadline(f"http://127.0.0.1:{port}").stations.search()
        self.assertIsInstance(caught.exception.__cause__, OSError)
        self.assertEqual(len(self.waits), 2)

    def test_redirects_are_not_followed(self) -> None:
        for status in (301, 302, 303, 307, 308):
            server = self.serve(answer(b"", status, Location="https://other.example/x"), OK)
            with self.assertRaises(APIError) as caught:
                self.client(server, api_key="secret").stations.search()
            self.assertEqual(caught.exception.code, "unexpected_answer")
            self.assertEqual(caught.exception.status, status)
            self.assertIn("https://other.example/x", str(caught.exception))
            self.assertEqual(len(server.received), 1)

    def test_responses_that_are_no_results(self) -> None:
        cases = {
            "html": answer(b"<html>sign in</html>", Content_Type="text/html"),
            "html that is declared as JSON": answer(b"<html>sign in</html>"),
            "list": answer([]),
            "null": answer(None),
            "empty": answer(b""),
            "NaN": answer(b'{"total": NaN}'),
            "not UTF-8": answer(b'{"a": "\xff"}'),
            "cut without a length": raw(b'HTTP/1.1 200 OK\r\n\r\n{"sources": ['),
            "nested": answer(b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}"),
            "compressed": answer(b"\x1f\x8b\x08", Content_Encoding="gzip"),
        }
        for name, step in cases.items():
            with self.subTest(name):
                server = self.serve(step)
                with self.assertRaises(APIError) as caught:
                    self.client(server).stations.search()
                self.assertEqual(caught.exception.code, "unexpected_answer")
                self.assertEqual(len(server.received), 1)
                self.assertLess(len(str(caught.exception)), 400)

    def test_wrong_types_are_named(self) -> None:
        cases = (
            ({**FOUND, "name": None}, "stations[1].name must be a string, not null"),
            ({**FOUND, "latitude": "42"}, "stations[1].latitude must be a number, not a string"),
            ({**FOUND, "longitude": True}, "longitude must be a number, not true or false"),
            ({k: v for k, v in FOUND.items() if k != "match"}, "stations[1].match is missing"),
            ([], "stations[1] must be an object, not a list"),
            ({**FOUND, "observes": "met"}, "stations[1].observes must be a list"),
            ({**FOUND, "observes": ["met", 3]}, "stations[1].observes[1] must be a string"),
        )
        for row, problem in cases:
            with self.subTest(problem):
                server = self.serve(answer(stations(FOUND, row)))  # type: ignore[arg-type]
                with self.assertRaises(APIError) as caught:
                    self.client(server).stations.search()
                self.assertIn(problem, str(caught.exception))
                self.assertIn("older than this client", str(caught.exception))

    def test_the_body_counts_not_the_type_that_it_claims(self) -> None:
        server = self.serve(answer(stations(FOUND), Content_Type="text/html"))
        self.assertEqual(self.client(server).stations.search().total, 1)

    def test_a_contract_that_the_server_does_not_know(self) -> None:
        message = 'Leadline-Version must be one of 2027-01-01, not "2026-07-09".'
        issue = {"path": "Leadline-Version", "code": "enum", "message": message}
        body = {"error": {"code": "invalid_request", "message": message, "issues": [issue]}}
        server = self.serve(answer(body, 400, Leadline_Version="2027-01-01"))
        with self.assertRaises(InvalidRequestError) as caught:
            self.client(server).stations.search()
        self.assertEqual(caught.exception.issues[0].path, "Leadline-Version")
        self.assertEqual(str(caught.exception), message)
        self.assertEqual(len(server.received), 1)

    def test_another_contract_is_refused(self) -> None:
        server = self.serve(answer(stations(FOUND), Leadline_Version="2025-01-01"))
        with self.assertRaises(APIError) as caught:
            self.client(server).stations.search()
        self.assertIn("contract 2025-01-01, this client needs 2026-07-09", str(caught.exception))

    def test_large_responses_are_refused(self) -> None:
        def endless(connection: socket.socket) -> bool:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            while True:
                connection.sendall(b" " * (1 << 20))

        with mock.patch.object(_http, "MAX_BODY", 3 << 20), mock.patch.object(
            _response, "MAX_BODY", 3 << 20
        ):
            server = self.serve(endless)
            with self.assertRaises(APIError) as caught:
                self.client(server).stations.search()
        self.assertIn("larger than 32 MiB", str(caught.exception))
        self.assertEqual(len(server.received), 1)
        self.assertEqual(_http.MAX_BODY, 32 << 20)

    def test_a_certificate_that_is_not_trusted(self) -> None:
        import ssl

        error = ssl.SSLCertVerificationError(1, "certificate verify failed")

        def transport(_: Request) -> Response:
            raise error

        with self.assertRaises(APIConnectionError):
            Leadline("https://h.example", transport=transport).stations.search()
        self.assertEqual(self.waits, [])


class Cancellation(unittest.TestCase):
    def setUp(self) -> None:
        self.cancel = Cancel()
        threading.Timer(0.2, self.cancel.cancel).start()

    def test_it_ends_the_wait(self) -> None:
        with Scripted(failure(429, "rate_limited", Retry_After="20")) as server:
            with self.assertRaises(CallCancelledError):
                Leadline(server.url).stations.search(options={"cancel": self.cancel})
            self.assertEqual(len(server.received), 1)

    def test_it_closes_the_connection(self) -> None:
        with Scripted(hang()) as server:
            with self.assertRaises(CallCancelledError):
                Leadline(server.url).stations.search(options={"cancel": self.cancel})
            self.assertEqual(len(server.received), 1)

    def test_nothing_is_sent_afterwards(self) -> None:
        self.cancel.cancel()
        with Scripted(OK) as server:
            with self.assertRaises(CallCancelledError):
                Leadline(server.url).stations.search(options={"cancel": self.cancel})
            self.assertEqual(server.received, [])


class Connections(Case):
    def test_they_are_kept(self) -> None:
        server = self.serve(OK)
        client = self.client(server)
        for _ in range(5):
            client.stations.search()
        self.assertEqual(server.connections, 1)

    def test_a_stale_one_is_replaced_and_not_counted(self) -> None:
        def vanish(connection: socket.socket) -> bool:
            OK(connection)
            return False

        server = self.serve(vanish, OK)
        client = self.client(server, max_retries=0)
        for _ in range(3):
            self.assertEqual(meta_of(client.stations.search()).retries, 0)
        self.assertEqual(server.connections, 2)

    def test_bytes_that_nobody_asked_for_are_not_an_answer(self) -> None:
        server = self.serve(OK)
        client = self.client(server)
        client.stations.search()
        answer(stations())(server.sockets[0])
        self.assertEqual(len(client.stations.search().stations), 1)
        self.assertEqual(server.connections, 2)

    def test_at_most_eight_are_kept(self) -> None:
        together = threading.Barrier(12)

        def meet(connection: socket.socket) -> bool:
            together.wait(10)
            return OK(connection)

        server = self.serve(meet)
        client = self.client(server)
        threads = [threading.Thread(target=client.stations.search) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server.steps[0] = OK
        self.assertEqual(server.connections, 12)
        self.assertEqual(len(client._connections._idle), 8)

    def test_a_proxy_forwards_plain_http(self) -> None:
        proxy = self.serve(OK)
        os.environ["http_proxy"] = f"http://user:p%40ss@{proxy.address}"
        with Leadline("http://leadline.example:8000/base/") as client:
            client.stations.search(q="Boston")
        got = proxy.received[0]
        self.assertEqual(got.target, "http://leadline.example:8000/base/api/v1/stations?q=Boston")
        self.assertEqual(got.headers["host"], "leadline.example:8000")
        self.assertEqual(got.headers["proxy-authorization"], "Basic dXNlcjpwQHNz")

    def test_a_proxy_connects_for_https(self) -> None:
        proxy = self.serve(raw(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"))
        os.environ["https_proxy"] = proxy.url
        with self.assertRaises(APIConnectionError) as caught:
            Leadline("https://leadline.example", api_key="secret").stations.search()
        self.assertEqual(proxy.received[0].method, "CONNECT")
        self.assertEqual(proxy.received[0].target, "leadline.example:443")
        self.assertNotIn("authorization", proxy.received[0].headers)
        self.assertIn("HTTP 407", str(caught.exception))

    def test_loopback_has_no_proxy(self) -> None:
        proxy, server = self.serve(OK), self.serve(OK)
        os.environ["http_proxy"] = proxy.url
        self.client(server, api_key="secret").stations.search()
        self.assertEqual((len(proxy.received), len(server.received)), (0, 1))

    def test_a_forked_process_does_not_share_them(self) -> None:
        server = self.serve(OK)
        client = self.client(server)
        client.stations.search()
        with mock.patch("os.getpid", lambda: -1):
            client.stations.search()
        self.assertEqual(server.connections, 2)


class Requests(Case):
    def test_headers(self) -> None:
        server = self.serve(OK)
        self.client(server, api_key="k", app_info="mysite/1.2").stations.search()
        headers = server.received[0].headers
        self.assertEqual(headers["accept"], "application/json")
        self.assertEqual(headers["authorization"], "Bearer k")
        self.assertEqual(headers["leadline-version"], "2026-07-09")
        self.assertRegex(
            headers["user-agent"],
            r"^leadline-python/20260709\.\d+\.\d+ \(python/3\.\d+; \w+\) mysite/1\.2$",
        )

    def test_nothing_is_sent_for_none(self) -> None:
        server = self.serve(OK)
        self.client(server).stations.search(q=None)
        self.assertEqual(server.received[0].target, "/api/v1/stations")
        self.assertNotIn("authorization", server.received[0].headers)

    def test_ids_are_quoted(self) -> None:
        server = self.serve(failure(404, "not_found"))
        for id_, target in (("a/b", "a%2Fb"), ("ü?x#", "%C3%BC%3Fx%23")):
            with self.assertRaises(APIError):
                self.client(server).stations.get(id_)
            self.assertEqual(server.received[-1].target, f"/api/v1/stations/{target}")
        for id_ in ("", ".", ".."):
            with self.assertRaises(LeadlineError):
                self.client(server).stations.get(id_)
        self.assertEqual(len(server.received), 2)

    def test_settings_of_the_environment(self) -> None:
        server = self.serve(OK)
        os.environ.update(LEADLINE_BASE_URL=server.url + "/", LEADLINE_API_KEY="of-environment")
        Leadline().stations.search()
        Leadline(api_key=lambda: "").stations.search()
        os.environ["LEADLINE_API_KEY"] = ""
        Leadline().stations.search()
        sent = [one.headers.get("authorization") for one in server.received]
        self.assertEqual(sent, ["Bearer of-environment", None, None])

    def test_settings_of_a_call(self) -> None:
        server = self.serve(OK)
        client = self.client(server, api_key="one")
        client.stations.search(options={"api_key": "two", "app_info": "x/1"})
        client.stations.search()
        sent = [one.headers["authorization"] for one in server.received]
        self.assertEqual(sent, ["Bearer two", "Bearer one"])
        self.assertTrue(server.received[0].headers["user-agent"].endswith(" x/1"))

    def test_wrong_settings(self) -> None:
        cases: Any = (
            {"base_url": None},
            {"base_url": "leadline.example.org"},
            {"base_url": "ftp://leadline.example.org"},
            {"base_url": "http://"},
            {"base_url": "http://user:password@leadline.example.org"},
            {"base_url": "http://leadline.example.org?x=1"},
            {"base_url": "http://leadline.example.org:port"},
            {"base_url": "http://leadline.example.org\r\nX: y"},
            {"api_key": ""},
            {"timeout": 0},
            {"timeout": 1e12},
            {"timeout": None},
            {"timeout": float("nan")},
            {"max_retries": -1},
            {"max_retries": True},
            {"max_retry_wait": "1"},
            {"app_info": "x\r\nCookie: y"},
        )
        for settings in cases:
            with self.subTest(settings):
                with self.assertRaises(LeadlineError):
                    Leadline(**{"base_url": "http://127.0.0.1:1", **settings})

    def test_messages_about_settings(self) -> None:
        cases: Any = (
            ({"api_key": ""}, "invalid api_key: must not be empty; leave it out"),
            ({"timeout": 1e12}, "must be a number of at least 0.001 and below 1e9"),
        )
        for settings, want in cases:
            with self.subTest(settings), self.assertRaises(LeadlineError) as caught:
                Leadline("http://127.0.0.1:1", **settings)
            self.assertIn(want, str(caught.exception))

    def test_body_that_is_not_json(self) -> None:
        body: Any = {"stationId": "8443970", "localTime": datetime(2026, 11, 28, 6, 30).time()}
        with self.assertRaises(LeadlineError) as caught:
            Leadline("http://127.0.0.1:1").decisions.trip_health(body)
        self.assertIn('not JSON serializable; use strings such as "06:30"', str(caught.exception))

    def test_unknown_options(self) -> None:
        with self.assertRaises(LeadlineError) as caught:
            Leadline("http://127.0.0.1:1").stations.search(
                options={"retries": 1}  # type: ignore[typeddict-item]
            )
        self.assertIn("unknown option 'retries'", str(caught.exception))

    def test_hooks_see_the_path_of_the_route(self) -> None:
        begun: List[RequestInfo] = []
        server = self.serve(OK)
        with Leadline(server.url + "/coast", on_request=begun.append) as client:
            client.stations.search(q="x")
        self.assertEqual(begun, [RequestInfo("GET", "/api/v1/stations", 1)])

    def test_hooks(self) -> None:
        begun: List[RequestInfo] = []
        ended: List[ResponseInfo] = []
        server = self.serve(raw(b""), answer(stations(), X_Request_Id="0190-2"))
        client = self.client(server, on_request=begun.append, on_response=ended.append)
        client.stations.search(q="x")
        self.assertEqual(
            begun, [RequestInfo("GET", "/api/v1/stations", n) for n in (1, 2)]
        )
        got = [(one.status, one.request_id) for one in ended]
        self.assertEqual(got, [(None, ""), (200, "0190-2")])
        self.assertTrue(all(one.ms > 0 for one in ended))

    def test_a_transport(self) -> None:
        seen: List[Request] = []

        def transport(request: Request) -> Response:
            seen.append(request)
            return Response(200, {"X-Request-ID": "0190-3"}, b'{"status": "operational",'
                            b'"components": [], "incidents": [], "maintenance": [], '
                            b'"verification": null}')

        client = Leadline("https://leadline.example", api_key="k", transport=transport)
        self.assertEqual(meta_of(client.status.get()).request_id, "0190-3")
        self.assertEqual(seen[0].method, "GET")
        self.assertEqual(seen[0].url, "https://leadline.example/api/developer/status")
        self.assertEqual(seen[0].timeout, 30.0)
        self.assertEqual(dict(seen[0].headers)["Authorization"], "Bearer k")


class Results(Case):
    def test_meta(self) -> None:
        server = self.serve(answer(stations(FOUND), **LIMITS))
        meta = meta_of(self.client(server).stations.search())
        self.assertEqual((meta.status, meta.request_id, meta.retries), (200, "0190-1", 0))
        assert meta.rate_limit is not None and meta.quota is not None
        self.assertEqual((meta.rate_limit.limit, meta.rate_limit.remaining), (30, 29))
        self.assertEqual(meta.rate_limit.resets_at.isoformat(), "2026-11-22T22:44:28+00:00")
        self.assertEqual((meta.quota.limit, meta.quota.warning), (1000, "approaching"))
        self.assertEqual(meta.contract, "2026-07-09")
        self.assertEqual(meta.headers["X-REQUEST-ID"], "0190-1")

    def test_meta_without_headers(self) -> None:
        server = self.serve(OK)
        meta = meta_of(self.client(server).stations.search())
        got = (meta.request_id, meta.rate_limit, meta.quota, meta.contract)
        self.assertEqual(got, ("", None, None, None))

    def test_unknown_properties_are_in_raw(self) -> None:
        server = self.serve(answer({**stations({**FOUND, "new": 1}), "newer": [2]}))
        result = self.client(server).stations.search()
        self.assertEqual(raw_of(result)["newer"], [2])
        self.assertEqual(raw_of(result)["stations"][0]["new"], 1)
        self.assertFalse(hasattr(result, "newer"))

    def test_status_503_is_a_result(self) -> None:
        body = {"status": "down", "components": [], "incidents": [], "maintenance": [],
                "verification": None}
        server = self.serve(answer(body, 503), failure(503, "overloaded"))
        client = self.client(server, max_retries=0)
        result = client.status.get()
        self.assertEqual((result.status, meta_of(result).status), ("down", 503))
        with self.assertRaises(APIError):
            client.status.get()

    def test_pages(self) -> None:
        pages = (
            answer(stations({**FOUND, "id": "a"}, {**FOUND, "id": "b"}, following=2)),
            answer(stations({**FOUND, "id": "c"}, offset=2, following=3)),
            answer(stations({**FOUND, "id": "d"}, offset=3)),
        )
        server = self.serve(*pages)
        found = self.client(server).stations.each(state="MA", limit=2)
        self.assertEqual(next(found).id, "a")
        self.assertEqual(len(server.received), 1)
        last = next(found), next(found)
        self.assertEqual(len(server.received), 2)
        self.assertEqual([one.id for one in last], ["b", "c"])
        self.assertEqual(raw_of(last[1])["id"], "c")
        self.assertEqual([one.id for one in found], ["d"])
        self.assertEqual(
            [one.target for one in server.received],
            [
                "/api/v1/stations?state=MA&limit=2",
                "/api/v1/stations?state=MA&limit=2&offset=2",
                "/api/v1/stations?state=MA&limit=2&offset=3",
            ],
        )

    def test_pages_that_repeat_end(self) -> None:
        server = self.serve(answer(stations(FOUND, following=5)))
        with self.assertRaises(LeadlineError) as caught:
            list(self.client(server).stations.each())
        self.assertIn("repeats", str(caught.exception))
        self.assertEqual(len(server.received), 2)

    def test_deprecation_warns_once(self) -> None:
        dates = {"Deprecation": "@1798761600", "Sunset": "Sat, 01 Jan 2028 00:00:00 GMT"}
        server = self.serve(failure(404, "not_found", **dates), answer(stations(), **dates))
        client = self.client(server)
        _response._announced.clear()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with self.assertRaises(APIError):
                client.stations.get("8443970")
            client.stations.search()
        self.assertEqual(len(caught), 1)
        self.assertIs(caught[0].category, DeprecationWarning)
        self.assertEqual(caught[0].filename, __file__)
        self.assertIn("2027-01-01", str(caught[0].message))
        self.assertIn("2028-01-01", str(caught[0].message))

    def test_deprecation_is_announced_once_to_a_hook(self) -> None:
        dates = {"Deprecation": "@1798761600", "Sunset": "Sat, 01 Jan 2028 00:00:00 GMT"}
        link = '<https://leadline.example.org/next>; rel="successor-version"'
        server = self.serve(answer(stations(), Link=link, **dates))
        seen: List[DeprecationInfo] = []
        client = self.client(server, on_deprecation=seen.append)
        _response._announced.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                client.stations.search()
        self.assertEqual(
            seen,
            [
                DeprecationInfo(
                    contract="2026-07-09",
                    deprecated_at=datetime(2027, 1, 1, tzinfo=timezone.utc),
                    sunset_at=datetime(2028, 1, 1, tzinfo=timezone.utc),
                    link=link,
                )
            ],
        )

    def test_deprecation_without_readable_dates_is_announced(self) -> None:
        server = self.serve(answer(stations(), Deprecation="true", Sunset="soon"))
        seen: List[DeprecationInfo] = []
        options: Any = {"on_deprecation": seen.append}
        self.client(server).stations.search(options=options)
        self.assertEqual(seen, [DeprecationInfo("2026-07-09", None, None, None)])


if __name__ == "__main__":
    unittest.main()
