"""Calls every operation of a real server once, and validates what it responds.

    python3 tests/contract.py BASE_URL PROVIDERS_URL

PROVIDERS_URL is the simulator that the server uses. The server may deliver webhooks
to 127.0.0.0/8. Keys come from the environment:

    LEADLINE_API_KEY     all scopes, on the pro plan
    LEADLINE_NARROW_KEY  the scope raw:read only
    LEADLINE_SLOW_KEY    on a plan with 2 requests a minute
    LEADLINE_SPARE_KEY   revoked by the test

Each raw result is validated against its schema in clients/openapi.json by jsonschema 4.
"""

import dataclasses
import http.client
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from datetime import date, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Type
from urllib.parse import urlsplit

import jsonschema

PYTHON = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PYTHON))

from leadline import (  # noqa: E402  the package next to this program
    APIError,
    AuthenticationError,
    InvalidRequestError,
    Leadline,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    Request,
    Response,
    UnavailableError,
    WebhookTestEvent,
    WebhookVerificationError,
    meta_of,
    raw_of,
    read_event,
    to_wire,
    verify_webhook,
)

from leadline._http import Connections  # noqa: E402

STATION = "8443970"
TOMORROW = date.today() + timedelta(days=1)
TRIP: Any = {
    "stationId": STATION,
    "activity": "boating",
    "localDate": TOMORROW,
    "localTime": "12:00",
}


class Document:
    """The golden OpenAPI document, with an independent validator."""

    def __init__(self) -> None:
        text = (PYTHON.parent / "openapi.json").read_text("utf-8")
        self.whole: Dict[str, Any] = json.loads(text)
        self.operations: Dict[str, Dict[str, Any]] = {
            snake(operation["x-client"]): operation
            for item in self.whole["paths"].values()
            for operation in item.values()
            if "x-client" in operation
        }

    def result(self, name: str, status: int, value: object) -> None:
        """Validates a result of an operation."""
        response = self.operations[name]["responses"][str(status)]
        self.validate(name, response["content"]["application/json"]["schema"], value)

    def error(self, value: object) -> None:
        self.validate("error", {"$ref": "#/components/schemas/ErrorResponse"}, value)

    def event(self, kind: str, value: object) -> None:
        body = self.whole["webhooks"][kind]["post"]["requestBody"]
        self.validate(kind, body["content"]["application/json"]["schema"], value)

    def validate(self, name: str, schema: Dict[str, Any], value: object) -> None:
        validator = jsonschema.Draft202012Validator(
            schema,
            resolver=jsonschema.RefResolver.from_schema(self.whole),
            format_checker=formats,
        )
        faults = [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(value)]
        if faults:
            sys.exit(f"{name} does not match its schema:\n" + "\n".join(faults[:10]))


def snake(name: str) -> str:
    """Returns stations.water_levels for stations.waterLevels."""
    return "".join("_" + one.lower() if one.isupper() else one for one in name)


formats = jsonschema.FormatChecker()


@formats.checks("date-time", raises=ValueError)
def is_time(value: object) -> bool:
    if isinstance(value, str):
        return datetime.fromisoformat(value.replace("Z", "+00:00")).tzinfo is not None
    return True


class Receiver:
    """A server for webhooks, which keeps what it receives."""

    def __init__(self) -> None:
        received: List[Tuple[bytes, Dict[str, str]]] = []
        arrived = threading.Condition()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                with arrived:
                    received.append((body, dict(self.headers.items())))
                    arrived.notify_all()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._received, self._arrived = received, arrived
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/leadline"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, count: int) -> Tuple[bytes, Dict[str, str]]:
        """Waits until so many requests have arrived, and returns the last of them."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self._received) >= count, 30):
                sys.exit(f"{len(self._received)} webhooks arrived, want {count}")
            return self._received[count - 1]


class Check:
    """Runs the operations and validates their results."""

    def __init__(self, base: str, providers: str) -> None:
        self.base, self.providers = base, providers
        self.document = Document()
        self.client = Leadline(base, max_retries=0)
        self.called: Set[str] = set()

    def call(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        """Calls an operation and validates what the server sent."""
        result = method(self.client, name)(*arguments, **keywords)
        self.called.add(name)
        self.document.result(name, meta_of(result).status, raw_of(result))
        if to_wire(result) != raw_of(result):
            sys.exit(f"{name}: the result is not what the server sent:\n{raw_of(result)}")
        return result

    def fails(
        self, kind: Type[APIError], code: str, run: Callable[[], object]
    ) -> Optional[APIError]:
        """Expects an error of a class, with a code, a request id and a valid body."""
        try:
            run()
        except APIError as error:
            got = (type(error), error.code, bool(error.meta.request_id))
            if got != (kind, code, True):
                sys.exit(f"got {got}: {error}, want {kind.__name__} {code}")
            print(f"ok: {error.status} {code}: {error}")
            return error
        sys.exit(f"no error, want {kind.__name__} {code}")

    def data(self) -> None:
        call = self.call
        call("stations.search", q="Boston", limit=3)
        call("stations.search", state="MA", type="currentpredictions")
        call("stations.nearest", 42.36, -71.05)
        call("stations.get", STATION)
        call("stations.get", "BOS1111")
        call("stations.predictions", STATION)
        call("stations.predictions", STATION, interval="30", begin_date=TOMORROW, units="metric")
        call("stations.water_levels", STATION, hours=6, datum="NAVD")
        call("stations.conditions", STATION, time_zone="gmt")
        call("stations.forecast", STATION, hours=12)
        call("astronomy.get", 42.36, -71.05, days=2)
        call("astronomy.get", 71.29, -156.79, date="2026-12-21")
        first = call("decisions.trip_health", TRIP)
        times = [{"localDate": TOMORROW, "localTime": at} for at in ("06:30", "17:30")]
        call(
            "decisions.best_window",
            {"stationId": STATION, "activity": "fishing", "candidates": times},
        )
        rules: Any = [
            {"id": "a", "kind": "state_allowed", "allowed": ["normal"]},
            {"id": "b", "kind": "minimum_confidence", "minimum": "high"},
            {"id": "c", "kind": "maximum_missing_inputs", "maximum": 0},
            {"id": "d", "kind": "required_fresh_sources", "sourceIds": ["tide-prediction"]},
        ]
        call("decisions.evaluate_rules", {**TRIP, "rules": rules})
        change = call("decisions.material_change", {**TRIP, "baseline": first.decision})
        call("decisions.material_change", {**TRIP, "baseline": change.summary})
        call("decisions.material_change", {**TRIP, "baseline": raw_of(first)["decision"]})
        call("status.get")
        call("planning.tide_windows", station=STATION, below=0.5, light="daylight", range=720)
        call("planning.tide_ranks", station=STATION, what="king", year=2027)
        for what in ("lowest", "springs"):
            call("planning.tide_ranks", station=STATION, what=what, range=720)
        call("planning.current_windows", station="PUG1701", at_most=0.5, wind=True)
        transit = {"distance": 1.5, "speed": 6, "direction": "with_flood"}
        call("planning.transits", station="PUG1701", **transit)
        gate = {"station": "PUG1701", "leg": 2, "max_current": 3}
        call("planning.routes", {"speed": 6, "gates": [gate, gate]})
        call("planning.day", station=STATION)
        call("planning.trip", station=STATION, date="tomorrow")
        call("planning.places", "Woods Hole")
        call("planning.telegram", station=STATION)

    def pages(self) -> None:
        total = self.client.stations.search(limit=1).total
        rows = list(self.client.stations.each(limit=1000))
        ids = {row.id for row in rows}
        if not total == len(rows) == len(ids) > 3000:
            sys.exit(f"{len(rows)} rows with {len(ids)} ids, want {total}")
        some = [row.id for row in self.client.stations.each(limit=1000, offset=total - 5)]
        if some != [row.id for row in rows][-5:]:
            sys.exit("the last page differs from the end of the list")
        print(f"ok: {total} stations in pages")

    def account(self) -> None:
        usage = self.call("usage.get")
        meta = meta_of(usage)
        got = (meta.quota.limit, meta.quota.remaining, meta.quota.warning, meta.quota.resets_at)
        month = usage.month
        want = (month.limit, month.remaining, month.warning, month.resets_at)
        if got != want or meta.rate_limit.limit != usage.minute.limit:
            sys.exit(f"headers {got}, usage {want}")
        if meta.rate_limit.remaining != usage.minute.remaining:
            sys.exit(f"headers {meta.rate_limit}, usage {usage.minute}")
        print(f"ok: headers and usage agree: {month.used} of {month.limit} used")
        keys = self.call("keys.list").keys
        if not any(key.current for key in keys):
            sys.exit("no key of the list is the current one")
        spare = os.environ["LEADLINE_SPARE_KEY"]
        id_ = spare[len("ldl_live_") :][:7]
        result = self.client.keys.revoke(id_, options={"api_key": spare})
        self.called.add("keys.revoke")
        self.document.result("keys.revoke", 200, raw_of(result))
        if result.state != "revoked":
            sys.exit(f"the spare key is {result.state}")

    def webhooks(self) -> None:
        receiver = Receiver()
        begin = datetime.now(timezone.utc) - timedelta(minutes=1)
        created = self.call("webhooks.create", {"url": receiver.url, "description": "check"})
        id_, secret = created.endpoint.id, created.secret
        body, headers = receiver.take(1)
        event = verify_webhook(body, headers, secret)
        if not isinstance(event, WebhookTestEvent) or event.data.endpoint != id_:
            sys.exit(f"the first event is {event}")
        self.document.event(event.type, json.loads(body))
        if to_wire(event) != json.loads(body):
            sys.exit(f"the event is not what the server sent:\n{body!r}")
        try:
            verify_webhook(body + b" ", headers, secret)
            sys.exit("an altered body was accepted")
        except WebhookVerificationError:
            pass
        while self.call("webhooks.get", id_).endpoint.state != "enabled":
            time.sleep(0.05)
        self.call("webhooks.update", id_, {"events": ["webhook.test", "quota.warning"]})
        self.call("webhooks.list")
        attempt = self.call("webhooks.test", id_).attempt
        if attempt is None or attempt.status != 204:
            sys.exit(f"the attempt of the test is {attempt}")
        receiver.take(2)
        rotated = self.call("webhooks.rotate", id_, {"keepOld": "1h"})
        body, headers = receiver.take(3)
        for secrets in (secret, rotated.secret, [rotated.secret, secret]):
            verify_webhook(body, headers, secrets)
        deliveries = self.call("webhooks.deliveries", id_, limit=100).deliveries
        newest = deliveries[0].event
        self.call("webhooks.delivery", id_, newest)
        self.call("webhooks.replay", id_, newest)
        body, headers = receiver.take(4)
        if headers.get("Leadline-Replay") != "true" or headers["Webhook-Id"] != newest:
            sys.exit(f"the replay has headers {headers}")
        self.call("webhooks.replay_since", id_, {"since": begin, "states": ["delivered"]})
        self.events(newest)
        self.call("webhooks.delete", id_)
        print(f"ok: webhooks: {len(deliveries)} deliveries, verified with both secrets")

    def events(self, newest: str) -> None:
        listed = self.call("events.list", limit=2).events
        self.call("events.get", newest)
        ids = [event.id for event in self.client.events.each(limit=2)]
        if ids[: len(listed)] != [event.id for event in listed] or len(set(ids)) != len(ids):
            sys.exit(f"the pages of events have {ids}")
        for event in listed:
            read_event(event.body)
            self.document.event(event.type, event.body)

    def watches(self) -> None:
        created = self.call("watches.create", {**TRIP, "name": "check"})
        self.call("watches.list")
        self.call("watches.get", created.watch.id)
        self.call("watches.delete", created.watch.id)

    def errors(self) -> None:
        client = self.client
        stations, decisions = client.stations, client.decisions
        wrong = self.fails(
            InvalidRequestError,
            "invalid_request",
            lambda: stations.predictions(STATION, hours=999, interval="7"),  # type: ignore
        )
        assert wrong is not None
        if sorted(issue.path for issue in wrong.issues) != ["hours", "interval"]:
            sys.exit(f"the issues are {wrong.issues}")
        bad = "ldl_live_" + "x" * 46
        self.fails(
            AuthenticationError,
            "invalid_credential",
            lambda: stations.search(options={"api_key": bad}),
        )
        self.fails(
            AuthenticationError,
            "credential_required",
            lambda: client.usage.get(options={"api_key": lambda: ""}),
        )
        narrow = os.environ["LEADLINE_NARROW_KEY"]
        trip: Any = {**TRIP, "baseline": {}}
        self.fails(
            PermissionDeniedError,
            "insufficient_scope",
            lambda: decisions.material_change(trip, options={"api_key": narrow}),
        )
        self.fails(NotFoundError, "station_not_found", lambda: stations.get("0000000"))
        self.fails(NotFoundError, "not_found", lambda: client.events.get("msg_" + "0" * 32))
        large: Any = {**TRIP, "localTime": "0" * (70 << 10)}
        self.fails(APIError, "payload_too_large", lambda: decisions.trip_health(large))
        slow = os.environ["LEADLINE_SLOW_KEY"]

        def three() -> None:
            for _ in range(3):
                stations.search(limit=1, options={"api_key": slow, "max_retry_wait": 1})

        limited = self.fails(RateLimitError, "rate_limited", three)
        assert limited is not None
        if not limited.retry_after or limited.meta.rate_limit is None:
            sys.exit(f"429 without Retry-After or limits: {limited.meta}")
        connections = Connections()

        def older(request: Request) -> Response:
            headers = {**request.headers, "Leadline-Version": "2025-01-01"}
            return connections(dataclasses.replace(request, headers=headers))

        unknown = Leadline(self.base, transport=older)
        refused = self.fails(InvalidRequestError, "invalid_request", unknown.stations.search)
        if refused is None or refused.issues[0].path != "Leadline-Version":
            sys.exit(f"an unknown contract is {refused}")
        self.control("fail", {"path": "data", "kind": "500"})
        try:
            self.fails(
                UnavailableError,
                "provider_unavailable",
                lambda: stations.water_levels("8452660", hours=3),
            )
        finally:
            self.control("heal", None)
        self.document.error(error_body(self.base + "/api/v1/stations?limit=0"))

    def control(self, command: str, body: Optional[Dict[str, str]]) -> None:
        data = json.dumps(body).encode() if body else b""
        urllib.request.urlopen(f"{self.providers}/-/{command}", data).close()

    def cache(self) -> None:
        """Checks HEAD and If-None-Match, which the methods of the client do not use."""
        path = "/api/v1/stations?q=Boston"
        got: List[object] = []
        for _ in range(3):  # a response changes when the age of a source does
            status, headers, body = plain(self.base, "GET", path)
            head_status, head, nothing = plain(self.base, "HEAD", path)
            match = {"If-None-Match": headers["ETag"]}
            matched, _, empty = plain(self.base, "GET", path, match)
            same = head["ETag"] == headers["ETag"] and bool(body)
            got = [status, head_status, nothing, same, matched, empty]
            if got == [200, 200, b"", True, 304, b""]:
                print("ok: HEAD and 304")
                return
        sys.exit(f"HEAD and If-None-Match: got {got}")

    def complete(self) -> None:
        names = set(self.document.operations)
        if self.called != names:
            sys.exit(f"not called, or unknown: {sorted(self.called ^ names)}")
        print(f"ok: {len(names)} operations, each result as its schema says")


def method(client: Leadline, name: str) -> Callable[..., Any]:
    group, operation = name.split(".")
    function: Callable[..., Any] = getattr(getattr(client, group), operation)
    return function


def plain(
    base: str, verb: str, path: str, headers: Optional[Dict[str, str]] = None
) -> Tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=30)
    connection.request(verb, path, headers=headers or {})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


def error_body(url: str) -> object:
    try:
        urllib.request.urlopen(url)
    except urllib.error.HTTPError as error:
        return json.loads(error.read())
    sys.exit(f"{url} is not an error")


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit("usage: python3 tests/contract.py BASE_URL PROVIDERS_URL")
    check = Check(sys.argv[1].rstrip("/"), sys.argv[2].rstrip("/"))
    steps: Iterator[Callable[[], None]] = iter(
        (
            check.data,
            check.pages,
            check.account,
            check.webhooks,
            check.watches,
            check.errors,
            check.cache,
            check.complete,
        )
    )
    for step in steps:
        step()
    print("ok: contract")
    return 0


if __name__ == "__main__":
    sys.exit(main())
