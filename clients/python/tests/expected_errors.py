"""Mistakes that type checkers must find. A comment that suppresses nothing is an error."""

from leadline import (
    Decision,
    HeightSeries,
    Leadline,
    TideEvent,
    TripHealthInput,
    WebhookEvent,
    WebhookTestEvent,
    points,
    verify_webhook,
)

client = Leadline("https://leadline.example.org")

client.stations.predictions("8443970", datum="XYZ")  # type: ignore[arg-type]
client.stations.predictions("8443970", interval=6)  # type: ignore[arg-type]
client.stations.predictions("8443970", station="x")  # type: ignore[call-arg]
client.stations.predictions(8443970)  # type: ignore[arg-type]
client.stations.search("Boston")  # type: ignore[misc]
client.stations.nearest(42.36)  # type: ignore[call-arg]
client.astronomy.get("42", "-71")  # type: ignore[arg-type]
client.planning.tide_windows(light="bright")  # type: ignore[arg-type]
client.stations.search(options={"retries": 1})  # type: ignore[arg-type]
client.keys.create()  # type: ignore[attr-defined]

wrong_activity: TripHealthInput = {
    "stationId": "8443970",
    "activity": "swim",  # type: ignore[typeddict-item]
    "localDate": "2026-11-28",
    "localTime": "09:00",
}


def results(event: TideEvent, decision: Decision, series: HeightSeries) -> None:
    """Uses results wrongly."""
    event.height = 3.0  # type: ignore[misc]
    event.hight  # type: ignore[attr-defined]
    if decision.state == "good":  # type: ignore[comparison-overlap]
        pass
    points(series)[0].value.upper()  # type: ignore[attr-defined]


def events(event: WebhookEvent) -> None:
    """Uses events wrongly."""
    event.data.message  # type: ignore[union-attr]
    if isinstance(event, WebhookTestEvent):
        event.data.remaining  # type: ignore[attr-defined]
    verify_webhook({}, {}, "whsec_")  # type: ignore[arg-type]
