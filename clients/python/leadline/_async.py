"""Asynchronous methods, generated from _operations.py by generate.py: do not edit."""

from __future__ import annotations

from datetime import date as Date, datetime
from typing import AsyncIterator, Literal, Optional, Union

from ._async_core import AsyncCore
from ._core import segment
from ._errors import LeadlineError
from ._results import attach, meta_of, raw_of
from ._settings import Options
from ._types import (
    APIKey,
    Activity,
    Astronomy,
    BestWindow,
    BestWindowInput,
    Conditions,
    CreateWatchInput,
    CreateWebhookInput,
    CreatedWatch,
    CurrentPhase,
    CurrentWindows,
    Datum,
    Day,
    DeliveryDetail,
    DeliveryList,
    EvaluateRules,
    EvaluateRulesInput,
    EventList,
    EventRecord,
    Forecast,
    FoundStation,
    Interval,
    KeyList,
    Light,
    MaterialChange,
    MaterialChangeInput,
    NearestStations,
    NewWebhook,
    OneEvent,
    OneWatch,
    PlaceList,
    ReplayBody,
    Replayed,
    ReplayedDeliveries,
    RotateWebhookBody,
    Routes,
    RoutesInput,
    StationInfo,
    StationList,
    StationType,
    Status,
    TidePredictions,
    TideRanking,
    TideRanks,
    TideTelegram,
    TideWindows,
    TransitDirection,
    Transits,
    TripHealth,
    TripHealthInput,
    TripHours,
    Units,
    Usage,
    WatchList,
    WaterLevels,
    WaterSide,
    Webhook,
    WebhookChange,
    WebhookList,
    WebhookTest,
)

EventType = Literal[
    "webhook.test",
    "decision.material_change",
    "quota.warning",
    "quota.exceeded",
    "api.degraded",
    "status.incident.created",
    "status.incident.updated",
    "status.maintenance.scheduled",
]
ClearanceDatum = Literal[
    "MHHW", "MHW", "MTL", "MSL", "MLW", "MLLW", "NAVD", "STND", "LAT", "HAT", "DTL"
]


class AsyncStations:
    """Stations, their predictions, observations and forecasts. No key is needed."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def search(
        self,
        *,
        q: Optional[str] = None,
        state: Optional[str] = None,
        type: Optional[StationType] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> StationList:
        """Returns stations by name, id, state, type, or near a place or ZIP code.

            found = await client.stations.search(q="Boston")
        """
        query = {
            "q": q,
            "state": state,
            "type": type,
            "limit": limit,
            "offset": offset,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(StationList, "/api/v1/stations", query, options)

    async def each(
        self,
        *,
        q: Optional[str] = None,
        state: Optional[str] = None,
        type: Optional[StationType] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> AsyncIterator[FoundStation]:
        """Yields all stations that search finds; limit is the size of a page.

            async for station in client.stations.each(state="MA"):
                print(station.name)
        """
        while True:
            page = await self.search(
                q=q,
                state=state,
                type=type,
                limit=limit,
                offset=offset,
                units=units,
                time_zone=time_zone,
                options=options,
            )
            for number, station in enumerate(page.stations):
                yield attach(station, meta_of(page), raw_of(page)["stations"][number])
            if page.next_offset is None:
                return
            if page.next_offset <= (offset or 0):
                raise LeadlineError(f"the server repeats the page at offset {offset or 0}")
            offset = page.next_offset

    async def nearest(
        self,
        lat: float,
        lon: float,
        *,
        type: Optional[StationType] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> NearestStations:
        """Returns the ten stations nearest a point.

            near = await client.stations.nearest(42.36, -71.05)
        """
        query = {"lat": lat, "lon": lon, "type": type, "units": units, "time_zone": time_zone}
        path = "/api/v1/stations/nearest"
        return await self._core.get(NearestStations, path, query, options)

    async def get(
        self,
        id: str,
        *,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> StationInfo:
        """Returns a station: metadata, datums, flood levels, operations that apply.

            station = await client.stations.get("8443970")
        """
        query = {"units": units, "time_zone": time_zone}
        return await self._core.get(StationInfo, f"/api/v1/stations/{segment(id)}", query, options)

    async def predictions(
        self,
        id: str,
        *,
        interval: Optional[Interval] = None,
        begin_date: Union[str, Date, None] = None,
        hours: Optional[int] = None,
        datum: Optional[Datum] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> TidePredictions:
        """Returns high and low waters (extremes), or heights at a fixed step (series).

            tides = await client.stations.predictions("8443970", hours=48)
        """
        query = {
            "interval": interval,
            "begin_date": begin_date,
            "hours": hours,
            "datum": datum,
            "units": units,
            "time_zone": time_zone,
        }
        path = f"/api/v1/stations/{segment(id)}/predictions"
        return await self._core.get(TidePredictions, path, query, options)

    async def water_levels(
        self,
        id: str,
        *,
        hours: Optional[int] = None,
        datum: Optional[Datum] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> WaterLevels:
        """Returns observed levels, with prediction and residual at the newest.

            levels = await client.stations.water_levels("8443970", hours=6)
        """
        query = {"hours": hours, "datum": datum, "units": units, "time_zone": time_zone}
        path = f"/api/v1/stations/{segment(id)}/water-levels"
        return await self._core.get(WaterLevels, path, query, options)

    async def conditions(
        self,
        id: str,
        *,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> Conditions:
        """Returns the newest level, wind, temperatures and pressure, each with its age.

            now = await client.stations.conditions("8443970")
        """
        query = {"units": units, "time_zone": time_zone}
        path = f"/api/v1/stations/{segment(id)}/conditions"
        return await self._core.get(Conditions, path, query, options)

    async def forecast(
        self,
        id: str,
        *,
        hours: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> Forecast:
        """Returns hourly wind and waves, coastal waters text, alerts, rip-current risk.

            forecast = await client.stations.forecast("8443970", hours=24)
        """
        query = {"hours": hours, "units": units, "time_zone": time_zone}
        path = f"/api/v1/stations/{segment(id)}/forecast"
        return await self._core.get(Forecast, path, query, options)


class AsyncSky:
    """Sun and moon, calculated by the server. No key is needed."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def get(
        self,
        lat: float,
        lon: float,
        *,
        date: Union[str, Date, None] = None,
        days: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> Astronomy:
        """Returns sun and moon at a point, day by day.

            sky = await client.astronomy.get(42.36, -71.05, days=2)
        """
        query = {
            "lat": lat,
            "lon": lon,
            "date": date,
            "days": days,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(Astronomy, "/api/v1/astronomy", query, options)


class AsyncDecisions:
    """Planning decisions. All but trip_health need a key with the scope decision:read."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def trip_health(
        self, body: TripHealthInput, *, options: Optional[Options] = None
    ) -> TripHealth:
        """Returns how a time looks for an activity: state, confidence, reasons.

            trip = await client.decisions.trip_health(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": "2026-11-28",
                    "localTime": "09:00",
                }
            )
        """
        return await self._core.ask(TripHealth, "/api/v1/decisions/trip-health", body, options)

    async def best_window(
        self, body: BestWindowInput, *, options: Optional[Options] = None
    ) -> BestWindow:
        """Returns 2 to 12 times, the best first.

            ranked = await client.decisions.best_window(
                {
                    "stationId": "8443970",
                    "activity": "fishing",
                    "candidates": [
                        {"localDate": "2026-11-28", "localTime": "07:00"},
                        {"localDate": "2026-11-28", "localTime": "15:00"},
                    ],
                }
            )
        """
        return await self._core.ask(BestWindow, "/api/v1/decisions/best-window", body, options)

    async def evaluate_rules(
        self, body: EvaluateRulesInput, *, options: Optional[Options] = None
    ) -> EvaluateRules:
        """Returns a decision, and whether it keeps each of 1 to 20 rules.

            checked = await client.decisions.evaluate_rules(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": "2026-11-28",
                    "localTime": "09:00",
                    "rules": [{"id": "sure", "kind": "minimum_confidence", "minimum": "high"}],
                }
            )
        """
        path = "/api/v1/decisions/evaluate-rules"
        return await self._core.ask(EvaluateRules, path, body, options)

    async def material_change(
        self, body: MaterialChangeInput, *, options: Optional[Options] = None
    ) -> MaterialChange:
        """Returns a decision, and what has changed since a baseline.

        The baseline is an earlier decision, or the summary of an earlier result.

            change = await client.decisions.material_change(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": "2026-11-28",
                    "localTime": "09:00",
                    "baseline": earlier.decision,
                }
            )
        """
        path = "/api/v1/decisions/material-change"
        return await self._core.ask(MaterialChange, path, body, options)


class AsyncService:
    """State of the service. No key is needed."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def get(self, *, options: Optional[Options] = None) -> Status:
        """Returns the state of the service and of its providers, also when it is down.

            status = await client.status.get()
        """
        return await self._core.status(Status, "/api/developer/status", options)


class AsyncAccountUsage:
    """Use of the account that the key belongs to."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def get(self, *, options: Optional[Options] = None) -> Usage:
        """Returns what the account has used and has left.

            usage = await client.usage.get()
        """
        return await self._core.get(Usage, "/api/developer/usage", {}, options)


class AsyncKeys:
    """Keys of the account. Creating and replacing them needs a browser session."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self, *, options: Optional[Options] = None) -> KeyList:
        """Returns the keys of the account, with scopes, state and last use.

            keys = await client.keys.list()
        """
        return await self._core.get(KeyList, "/api/developer/keys", {}, options)

    async def revoke(self, id: str, *, options: Optional[Options] = None) -> APIKey:
        """Revokes the key that the client uses; id is its public id.

            await client.keys.revoke("7LqQBDD")
        """
        path = "/api/developer/keys/revoke"
        return await self._core.change(APIKey, "POST", path, {"id": id}, options)


class AsyncWebhooks:
    """Webhook endpoints and their deliveries; see also leadline.webhooks."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self, *, options: Optional[Options] = None) -> WebhookList:
        """Returns the endpoints, with state, health and waiting deliveries.

            endpoints = await client.webhooks.list().endpoints
        """
        return await self._core.get(WebhookList, "/api/developer/webhooks", {}, options)

    async def create(
        self, body: CreateWebhookInput, *, options: Optional[Options] = None
    ) -> NewWebhook:
        """Registers an endpoint. Only this result has the signing secret.

        It is not repeated after a timeout: list the endpoints then. A second one
        stays pending and receives no events.

            created = await client.webhooks.create({"url": "https://hooks.example.com/leadline"})
        """
        path = "/api/developer/webhooks"
        return await self._core.change(NewWebhook, "POST", path, body, options)

    async def get(self, id: str, *, options: Optional[Options] = None) -> Webhook:
        """Returns an endpoint.

            endpoint = await client.webhooks.get("we_4fT9kQ2mZx7LbN").endpoint
        """
        return await self._core.get(Webhook, f"/api/developer/webhooks/{segment(id)}", {}, options)

    async def update(
        self, id: str, body: WebhookChange, *, options: Optional[Options] = None
    ) -> Webhook:
        """Changes, enables or disables an endpoint.

            await client.webhooks.update("we_4fT9kQ2mZx7LbN", {"enabled": True})
        """
        path = f"/api/developer/webhooks/{segment(id)}"
        return await self._core.change(Webhook, "PATCH", path, body, options)

    async def delete(self, id: str, *, options: Optional[Options] = None) -> Webhook:
        """Removes an endpoint with its deliveries.

            await client.webhooks.delete("we_4fT9kQ2mZx7LbN")
        """
        path = f"/api/developer/webhooks/{segment(id)}"
        return await self._core.change(Webhook, "DELETE", path, None, options)

    async def test(self, id: str, *, options: Optional[Options] = None) -> WebhookTest:
        """Sends a test event and returns the first attempt.

            attempt = await client.webhooks.test("we_4fT9kQ2mZx7LbN").attempt
        """
        path = f"/api/developer/webhooks/{segment(id)}/test"
        return await self._core.change(WebhookTest, "POST", path, None, options)

    async def rotate(
        self,
        id: str,
        body: Optional[RotateWebhookBody] = None,
        *,
        options: Optional[Options] = None,
    ) -> NewWebhook:
        """Replaces the signing secret. For a day, or keepOld, both secrets sign.

            secret = await client.webhooks.rotate("we_4fT9kQ2mZx7LbN", {"keepOld": "1h"}).secret
        """
        path = f"/api/developer/webhooks/{segment(id)}/rotate"
        return await self._core.change(NewWebhook, "POST", path, body or {}, options)

    async def deliveries(
        self,
        id: str,
        *,
        state: Optional[Literal["pending", "delivered", "failed", "skipped"]] = None,
        type: Optional[EventType] = None,
        before: Optional[str] = None,
        limit: Optional[int] = None,
        options: Optional[Options] = None,
    ) -> DeliveryList:
        """Returns deliveries with their attempts, the newest event first.

            failed = await client.webhooks.deliveries("we_4fT9kQ2mZx7LbN", state="failed")
        """
        query = {"state": state, "type": type, "before": before, "limit": limit}
        path = f"/api/developer/webhooks/{segment(id)}/deliveries"
        return await self._core.get(DeliveryList, path, query, options)

    async def delivery(
        self, id: str, event: str, *, options: Optional[Options] = None
    ) -> DeliveryDetail:
        """Returns a delivery with its event.

            await client.webhooks.delivery(
                "we_4fT9kQ2mZx7LbN", "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
            )
        """
        path = f"/api/developer/webhooks/{segment(id)}/deliveries/{segment(event)}"
        return await self._core.get(DeliveryDetail, path, {}, options)

    async def replay(self, id: str, event: str, *, options: Optional[Options] = None) -> Replayed:
        """Sends an event again.

            await client.webhooks.replay(
                "we_4fT9kQ2mZx7LbN", "msg_019a8f3c7b1e7c3a9d5e2f4061728394"
            )
        """
        path = f"/api/developer/webhooks/{segment(id)}/deliveries/{segment(event)}/replay"
        return await self._core.change(Replayed, "POST", path, None, options)

    async def replay_since(
        self, id: str, body: ReplayBody, *, options: Optional[Options] = None
    ) -> ReplayedDeliveries:
        """Sends the failed and skipped events since a time again.

            await client.webhooks.replay_since(
                "we_4fT9kQ2mZx7LbN", {"since": "2026-11-27T14:00:00Z"}
            )
        """
        path = f"/api/developer/webhooks/{segment(id)}/replay"
        return await self._core.change(ReplayedDeliveries, "POST", path, body, options)


class AsyncEvents:
    """Events of the account, readable for 30 days, delivered or not."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(
        self,
        *,
        type: Optional[EventType] = None,
        before: Optional[str] = None,
        limit: Optional[int] = None,
        options: Optional[Options] = None,
    ) -> EventList:
        """Returns events with their bodies, the newest first.

            events = await client.events.list(type="quota.warning").events
        """
        query = {"type": type, "before": before, "limit": limit}
        return await self._core.get(EventList, "/api/developer/events", query, options)

    async def each(
        self,
        *,
        type: Optional[EventType] = None,
        before: Optional[str] = None,
        limit: Optional[int] = None,
        options: Optional[Options] = None,
    ) -> AsyncIterator[EventRecord]:
        """Yields all events, the newest first; limit is the size of a page.

            async for event in client.events.each():
                print(event.type)
        """
        while True:
            page = await self.list(type=type, before=before, limit=limit, options=options)
            for number, event in enumerate(page.events):
                yield attach(event, meta_of(page), raw_of(page)["events"][number])
            if page.next is None:
                return
            if page.next == before:
                raise LeadlineError(f"the server repeats the page before {before}")
            before = page.next

    async def get(self, id: str, *, options: Optional[Options] = None) -> OneEvent:
        """Returns an event.

            event = await client.events.get("msg_019a8f3c7b1e7c3a9d5e2f4061728394").event
        """
        return await self._core.get(OneEvent, f"/api/developer/events/{segment(id)}", {}, options)


class AsyncWatches:
    """Decisions that the server repeats until their time has come, for a pro account."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def list(self, *, options: Optional[Options] = None) -> WatchList:
        """Returns the watches of the account.

            watches = await client.watches.list().watches
        """
        return await self._core.get(WatchList, "/api/developer/watches", {}, options)

    async def create(
        self, body: CreateWatchInput, *, options: Optional[Options] = None
    ) -> CreatedWatch:
        """Makes a decision and repeats it, for one unit of the quota each time.

        It is not repeated after a timeout: list the watches then.

            created = await client.watches.create(
                {
                    "stationId": "8443970",
                    "activity": "boating",
                    "localDate": "2026-11-28",
                    "localTime": "09:00",
                    "name": "Saturday trip",
                }
            )
        """
        path = "/api/developer/watches"
        return await self._core.change(CreatedWatch, "POST", path, body, options)

    async def get(self, id: str, *, options: Optional[Options] = None) -> OneWatch:
        """Returns a watch with the changes that it has announced.

            watch = await client.watches.get("wt_8Lq2VnR5sYc1Kd").watch
        """
        return await self._core.get(OneWatch, f"/api/developer/watches/{segment(id)}", {}, options)

    async def delete(self, id: str, *, options: Optional[Options] = None) -> OneWatch:
        """Removes a watch.

            await client.watches.delete("wt_8Lq2VnR5sYc1Kd")
        """
        path = f"/api/developer/watches/{segment(id)}"
        return await self._core.change(OneWatch, "DELETE", path, None, options)


class AsyncPlanning:
    """Tide windows, ranks and places, outside the versioned contract: they may change."""

    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def tide_windows(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        below: Optional[float] = None,
        above: Optional[float] = None,
        draft: Optional[float] = None,
        charted_depth: Optional[float] = None,
        air_draft: Optional[float] = None,
        bridge_clearance: Optional[float] = None,
        clearance_datum: Optional[ClearanceDatum] = None,
        margin: Optional[float] = None,
        light: Optional[Light] = None,
        weekdays: Optional[str] = None,
        hours: Optional[str] = None,
        min_minutes: Optional[int] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        date: Union[str, Date, None] = None,
        begin_date: Union[str, Date, datetime, None] = None,
        end_date: Union[str, Date, datetime, None] = None,
        range: Optional[int] = None,
        datum: Optional[Datum] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> TideWindows:
        """Returns when the tide is above or below a level.

            low = await client.planning.tide_windows(station="8443970", below=0.5, light="daylight")
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "below": below,
            "above": above,
            "draft": draft,
            "charted_depth": charted_depth,
            "air_draft": air_draft,
            "bridge_clearance": bridge_clearance,
            "clearance_datum": clearance_datum,
            "margin": margin,
            "light": light,
            "weekdays": weekdays,
            "hours": hours,
            "min_minutes": min_minutes,
            "limit": limit,
            "offset": offset,
            "date": date,
            "begin_date": begin_date,
            "end_date": end_date,
            "range": range,
            "datum": datum,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(TideWindows, "/api/planning/tide-windows", query, options)

    async def tide_ranks(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        what: Optional[TideRanking] = None,
        year: Optional[int] = None,
        light: Optional[Light] = None,
        weekdays: Optional[str] = None,
        hours: Optional[str] = None,
        limit: Optional[int] = None,
        date: Union[str, Date, None] = None,
        begin_date: Union[str, Date, datetime, None] = None,
        end_date: Union[str, Date, datetime, None] = None,
        range: Optional[int] = None,
        datum: Optional[Datum] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> TideRanks:
        """Returns the lowest or highest tides of a span, king tides, or springs.

            kings = await client.planning.tide_ranks(station="8443970", what="king", year=2027)
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "what": what,
            "year": year,
            "light": light,
            "weekdays": weekdays,
            "hours": hours,
            "limit": limit,
            "date": date,
            "begin_date": begin_date,
            "end_date": end_date,
            "range": range,
            "datum": datum,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(TideRanks, "/api/planning/tide-ranks", query, options)

    async def current_windows(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        bin: Optional[int] = None,
        at_most: Optional[float] = None,
        at_least: Optional[float] = None,
        phase: Optional[CurrentPhase] = None,
        light: Optional[Light] = None,
        weekdays: Optional[str] = None,
        hours: Optional[str] = None,
        min_minutes: Optional[int] = None,
        wind: Optional[bool] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        date: Union[str, Date, None] = None,
        begin_date: Union[str, Date, datetime, None] = None,
        end_date: Union[str, Date, datetime, None] = None,
        range: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> CurrentWindows:
        """Returns when a tidal current is slack, or runs.

            slack = await client.planning.current_windows(station="PUG1701", at_most=0.5)
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "bin": bin,
            "at_most": at_most,
            "at_least": at_least,
            "phase": phase,
            "light": light,
            "weekdays": weekdays,
            "hours": hours,
            "min_minutes": min_minutes,
            "wind": wind,
            "limit": limit,
            "offset": offset,
            "date": date,
            "begin_date": begin_date,
            "end_date": end_date,
            "range": range,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(CurrentWindows, "/api/planning/current-windows", query, options)

    async def transits(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        distance: float,
        speed: float,
        direction: Optional[TransitDirection] = None,
        course: Optional[float] = None,
        max_current: Optional[float] = None,
        max_against: Optional[float] = None,
        light: Optional[Light] = None,
        hours: Optional[str] = None,
        limit: Optional[int] = None,
        date: Union[str, Date, None] = None,
        begin_date: Union[str, Date, datetime, None] = None,
        end_date: Union[str, Date, datetime, None] = None,
        range: Optional[int] = None,
        time_zone: Optional[str] = None,
        units: Optional[Units] = None,
        options: Optional[Options] = None,
    ) -> Transits:
        """Returns the departures at which a vessel can go through a pass.

            trips = await client.planning.transits(
                station="PUG1701", distance=1.5, speed=6, direction="with_flood"
            )
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "distance": distance,
            "speed": speed,
            "direction": direction,
            "course": course,
            "max_current": max_current,
            "max_against": max_against,
            "light": light,
            "hours": hours,
            "limit": limit,
            "date": date,
            "begin_date": begin_date,
            "end_date": end_date,
            "range": range,
            "time_zone": time_zone,
            "units": units,
        }
        return await self._core.get(Transits, "/api/planning/transits", query, options)

    async def routes(
        self, body: RoutesInput, *, options: Optional[Options] = None
    ) -> Routes:
        """Returns the departures at which a vessel meets every gate of a route.

            trips = await client.planning.routes(
                {
                    "speed": 6,
                    "gates": [
                        {"station": "PUG1701", "leg": 2, "max_current": 3},
                        {"station": "PUG1702", "leg": 12, "max_current": 2},
                    ],
                }
            )
        """
        return await self._core.ask(Routes, "/api/planning/routes", body, options)

    async def day(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        date: Union[str, Date, None] = None,
        activity: Optional[Activity] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        include: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> Day:
        """Returns tides, light, moon, currents, wind and alerts of a day.

            today = await client.planning.day(place="Half Moon Bay, CA")
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "date": date,
            "activity": activity,
            "units": units,
            "time_zone": time_zone,
            "include": include,
        }
        return await self._core.get(Day, "/api/planning/day", query, options)

    async def trip(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        activity: Optional[Activity] = None,
        date: Union[str, Date, None] = None,
        from_: Optional[str] = None,
        until: Optional[str] = None,
        hours: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> TripHours:
        """Returns how the hours of a day suit an activity.

            saturday = await client.planning.trip(place="Boston, MA", date="saturday")
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "activity": activity,
            "date": date,
            "from": from_,
            "until": until,
            "hours": hours,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(TripHours, "/api/planning/trip", query, options)

    async def places(
        self,
        query: str,
        *,
        limit: Optional[int] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> PlaceList:
        """Returns towns, waters, ZIP codes and stations of a name.

            places = await client.planning.places("Woods Hole").places
        """
        given = {"query": query, "limit": limit, "units": units, "time_zone": time_zone}
        return await self._core.get(PlaceList, "/api/planning/places", given, options)

    async def telegram(
        self,
        *,
        station: Optional[str] = None,
        place: Optional[str] = None,
        water: Optional[WaterSide] = None,
        date: Union[str, Date, None] = None,
        days: Optional[int] = None,
        datum: Optional[Datum] = None,
        units: Optional[Units] = None,
        time_zone: Optional[str] = None,
        options: Optional[Options] = None,
    ) -> TideTelegram:
        """Returns the tides of whole days as one line of at most 160 characters.

            text = await client.planning.telegram(station="8443970").telegram
        """
        query = {
            "station": station,
            "place": place,
            "water": water,
            "date": date,
            "days": days,
            "datum": datum,
            "units": units,
            "time_zone": time_zone,
        }
        return await self._core.get(TideTelegram, "/api/planning/telegram", query, options)
