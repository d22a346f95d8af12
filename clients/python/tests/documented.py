"""The requests of the documentation, by go test ./internal/web/manual -update."""

import json
import os
import urllib.request

from leadline import Leadline


def search_stations() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.search(q="Boston", limit=3)
    print(result)


def find_nearest_stations() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.nearest(lat=42.35, lon=-71.05)
    print(result)


def get_station() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.get("8443970")
    print(result)


def get_predictions() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.predictions(
        "8443970",
        begin_date="2026-11-20",
        hours=24,
    )
    print(result)


def get_water_levels() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.water_levels("8443970", hours=1)
    print(result)


def get_conditions() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.conditions("8443970")
    print(result)


def get_forecast() -> None:
    client = Leadline("https://tides.example.org")
    result = client.stations.forecast("8443970", hours=3)
    print(result)


def get_astronomy() -> None:
    client = Leadline("https://tides.example.org")
    result = client.astronomy.get(lat=42.35, lon=-71.05, date="2026-11-20")
    print(result)


def trip_health() -> None:
    client = Leadline("https://tides.example.org")
    result = client.decisions.trip_health({
        "stationId": "8443970",
        "activity": "boating",
        "localDate": "2026-11-21",
        "localTime": "09:00",
    })
    print(result)


def best_window() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.decisions.best_window({
        "stationId": "8443970",
        "activity": "boating",
        "candidates": [
            {"localDate": "2026-11-21", "localTime": "09:00"},
            {"localDate": "2026-11-22", "localTime": "15:00"},
        ],
    })
    print(result)


def evaluate_rules() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.decisions.evaluate_rules({
        "stationId": "8443970",
        "activity": "boating",
        "localDate": "2026-11-21",
        "localTime": "09:00",
        "rules": [
            {
                "id": "calm",
                "kind": "state_allowed",
                "allowed": ["normal"],
            },
            {
                "id": "sure",
                "kind": "minimum_confidence",
                "minimum": "moderate",
            },
        ],
    })
    print(result)


def material_change() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.decisions.material_change({
        "stationId": "8443970",
        "activity": "boating",
        "localDate": "2026-11-21",
        "localTime": "09:00",
        "baseline": {"state": "action-needed", "confidence": "high"},
    })
    print(result)


def get_status() -> None:
    client = Leadline("https://tides.example.org")
    result = client.status.get()
    print(result)


def get_usage() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.usage.get()
    print(result)


def list_keys() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.keys.list()
    print(result)


def create_key() -> None:
    request = urllib.request.Request(
        "https://tides.example.org/api/developer/keys",
        data=json.dumps({
            "name": "harbor display",
            "scopes": [
                "raw:read",
                "decision:read",
                "webhook:read",
                "webhook:write",
                "usage:read",
            ],
        }).encode(),
        headers={
            "Content-Type": "application/json",
            "Cookie": "__Host-leadline=" + os.environ["SESSION"],
        },
        method="POST",
    )
    with urllib.request.urlopen(request) as response:
        print(json.load(response))


def replace_key() -> None:
    request = urllib.request.Request(
        "https://tides.example.org/api/developer/keys/reroll",
        data=json.dumps({"id": "7LqQBDD", "grace": "24h"}).encode(),
        headers={
            "Content-Type": "application/json",
            "Cookie": "__Host-leadline=" + os.environ["SESSION"],
        },
        method="POST",
    )
    with urllib.request.urlopen(request) as response:
        print(json.load(response))


def revoke_key() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.keys.revoke("7LqQBDD")
    print(result)


def list_webhooks() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.list()
    print(result)


def create_webhook() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.create({
        "url": "https://hooks.example.com/leadline",
        "events": ["status.incident.created", "decision.material_change"],
    })
    print(result)


def delete_webhook() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.delete("we_4fT9kQ2mZx7LbN")
    print(result)


def get_webhook() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.get("we_4fT9kQ2mZx7LbN")
    print(result)


def update_webhook() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.update(
        "we_4fT9kQ2mZx7LbN",
        {"description": "Harbor display", "enabled": False},
    )
    print(result)


def test_webhook() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.test("we_4fT9kQ2mZx7LbN")
    print(result)


def rotate_webhook() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.rotate("we_4fT9kQ2mZx7LbN", {"keepOld": "24h"})
    print(result)


def list_deliveries() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.deliveries("we_4fT9kQ2mZx7LbN")
    print(result)


def get_delivery() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.delivery(
        "we_4fT9kQ2mZx7LbN",
        "msg_019a8f3c7b127c3a9d5e2f4061728394",
    )
    print(result)


def replay_delivery() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.replay(
        "we_4fT9kQ2mZx7LbN",
        "msg_019a8f3c7b127c3a9d5e2f4061728394",
    )
    print(result)


def replay_deliveries() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.webhooks.replay_since(
        "we_4fT9kQ2mZx7LbN",
        {"since": "2026-11-20T12:00:00Z", "states": ["delivered"]},
    )
    print(result)


def list_events() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.events.list(type="status.incident.created")
    print(result)


def get_event() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.events.get("msg_019a8f3c7b127c3a9d5e2f4061728394")
    print(result)


def list_watches() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.watches.list()
    print(result)


def create_watch() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.watches.create({
        "stationId": "8443970",
        "activity": "boating",
        "localDate": "2026-11-21",
        "localTime": "09:00",
        "name": "Saturday",
    })
    print(result)


def delete_watch() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.watches.delete("wt_8Lq2VnR5sYc1Kd")
    print(result)


def get_watch() -> None:
    client = Leadline(
        "https://tides.example.org",
        api_key=os.environ["LEADLINE_API_KEY"],
    )
    result = client.watches.get("wt_8Lq2VnR5sYc1Kd")
    print(result)


def find_tide_windows() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.tide_windows(
        station="8443970",
        below=0,
        light="daylight",
        range=168,
    )
    print(result)


def rank_tides() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.tide_ranks(station="8443970", what="lowest", limit=3)
    print(result)


def find_current_windows() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.current_windows(
        station="PUG1701",
        light="daylight",
        range=48,
    )
    print(result)


def plan_transit() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.transits(
        station="PUG1701",
        distance=1.5,
        speed=6,
        direction="with_flood",
    )
    print(result)


def plan_route() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.routes({
        "speed": 6,
        "gates": [
            {
                "station": "PUG1701",
                "leg": 2,
                "distance": 0.5,
                "direction": "with_flood",
                "max_current": 3,
            },
            {"station": "PUG1702", "leg": 12, "max_current": 2},
        ],
    })
    print(result)


def get_day() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.day(station="8443970", activity="boating")
    print(result)


def evaluate_trip() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.trip(
        station="8443970",
        date="saturday",
        from_="09:00",
        until="17:00",
    )
    print(result)


def find_places() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.places(query="Half Moon Bay, CA")
    print(result)


def write_tide_telegram() -> None:
    client = Leadline("https://tides.example.org")
    result = client.planning.telegram(station="8443970")
    print(result)
