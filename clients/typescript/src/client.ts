import { connect } from "./http.js";
import type { CallOptions, Options, Query, Result } from "./http.js";
import { pages } from "./paging.js";
import type {
  APIKey,
  Astronomy,
  BestWindow,
  BestWindowInput,
  Conditions,
  CreateWatchInput,
  CreateWebhookInput,
  CreatedWatch,
  CurrentWindows,
  Day,
  DeliveryDetail,
  DeliveryList,
  EvaluateRules,
  EvaluateRulesInput,
  EventRecord,
  EventList,
  Forecast,
  FoundStation,
  KeyList,
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
  Status,
  TidePredictions,
  TideRanks,
  TideTelegram,
  TideWindows,
  Transits,
  TripHealth,
  TripHealthInput,
  TripHours,
  Usage,
  WatchList,
  WaterLevels,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookTest,
} from "./types.js";

export type SearchStationsQuery = Query<"/api/v1/stations">;
export type NearestStationsQuery = Query<"/api/v1/stations/nearest">;
export type StationQuery = Query<"/api/v1/stations/{id}">;
export type PredictionsQuery = Query<"/api/v1/stations/{id}/predictions">;
export type WaterLevelsQuery = Query<"/api/v1/stations/{id}/water-levels">;
export type ConditionsQuery = Query<"/api/v1/stations/{id}/conditions">;
export type ForecastQuery = Query<"/api/v1/stations/{id}/forecast">;
export type AstronomyQuery = Query<"/api/v1/astronomy">;
export type DeliveriesQuery = Query<"/api/developer/webhooks/{id}/deliveries">;
export type EventsQuery = Query<"/api/developer/events">;
export type TideWindowsQuery = Query<"/api/planning/tide-windows">;
export type TideRanksQuery = Query<"/api/planning/tide-ranks">;
export type TelegramQuery = Query<"/api/planning/telegram">;
export type CurrentWindowsQuery = Query<"/api/planning/current-windows">;
export type TransitsQuery = Query<"/api/planning/transits">;
export type DayQuery = Query<"/api/planning/day">;
export type TripQuery = Query<"/api/planning/trip">;
export type PlacesQuery = Query<"/api/planning/places">;

/**
 * A client of one Leadline server. Its methods return results and throw LeadlineError. They are
 * functions that can be taken out of the client: `const { search } = client.stations`.
 *
 * @example
 * const client = new Leadline({ baseUrl: "https://leadline.example.org" });
 * const tides = await client.stations.predictions("8443970", { hours: 24 });
 */
export class Leadline {
  constructor(options: Options = {}) {
    Object.assign(this, methodsOf(connect(options)));
  }

  /** Stations and what is known at them. */
  declare readonly stations: {
    /**
     * Search the station directory.
     *
     * @example
     * const { stations } = await client.stations.search({ q: "Boston" });
     */
    search: (query?: SearchStationsQuery, call?: CallOptions) => Promise<Result<StationList>>;

    /**
     * Yields all stations that a search finds. `limit` is the size of a page.
     *
     * @example
     * for await (const station of client.stations.each({ state: "MA" })) console.log(station.id);
     */
    each: (
      query?: SearchStationsQuery,
      call?: CallOptions,
    ) => AsyncGenerator<FoundStation, void, undefined>;

    /**
     * Find the stations nearest a point.
     *
     * @example
     * const { stations } = await client.stations.nearest({ lat: 42.36, lon: -71.05 });
     */
    nearest: (query: NearestStationsQuery, call?: CallOptions) => Promise<Result<NearestStations>>;

    /**
     * Describe a station and the data that it has.
     *
     * @example
     * const boston = await client.stations.get("8443970");
     */
    get: (id: string, query?: StationQuery, call?: CallOptions) => Promise<Result<StationInfo>>;

    /**
     * Predict high and low waters, or a series of heights.
     *
     * @example
     * const { extremes } = await client.stations.predictions("8443970", { hours: 24 });
     *
     * @example
     * const { series } = await client.stations.predictions("8443970", { interval: "h" });
     */
    predictions: (
      id: string,
      query?: PredictionsQuery,
      call?: CallOptions,
    ) => Promise<Result<TidePredictions>>;

    /**
     * Get observed water levels.
     *
     * @example
     * const { newest, residual } = await client.stations.waterLevels("8443970", { hours: 6 });
     */
    waterLevels: (
      id: string,
      query?: WaterLevelsQuery,
      call?: CallOptions,
    ) => Promise<Result<WaterLevels>>;

    /**
     * Get the newest readings.
     *
     * @example
     * const { readings, missing } = await client.stations.conditions("8443970");
     */
    conditions: (
      id: string,
      query?: ConditionsQuery,
      call?: CallOptions,
    ) => Promise<Result<Conditions>>;

    /**
     * Get the forecast of wind, seas and hazards.
     *
     * @example
     * const { hours, alerts } = await client.stations.forecast("8443970", { hours: 24 });
     */
    forecast: (id: string, query?: ForecastQuery, call?: CallOptions) => Promise<Result<Forecast>>;
  };

  /** Sun and moon. */
  declare readonly astronomy: {
    /**
     * Compute sun and moon at a point.
     *
     * @example
     * const { days } = await client.astronomy.get({ lat: 42.36, lon: -71.05, days: 3 });
     */
    get: (query: AstronomyQuery, call?: CallOptions) => Promise<Result<Astronomy>>;
  };

  /** Decisions about times at a station. They change nothing, so failed ones are sent again. */
  declare readonly decisions: {
    /**
     * Assess a time for an activity.
     *
     * @example
     * const { decision } = await client.decisions.tripHealth({
     *   stationId: "8443970", activity: "boating", localDate: "2026-11-28", localTime: "09:00",
     * });
     */
    tripHealth: (input: TripHealthInput, call?: CallOptions) => Promise<Result<TripHealth>>;

    /**
     * Rank times for an activity. Needs a key.
     *
     * @example
     * const { candidates } = await client.decisions.bestWindow({
     *   stationId: "8443970", activity: "boating", candidates: [
     *     { localDate: "2026-11-28", localTime: "09:00" },
     *     { localDate: "2026-11-28", localTime: "15:00" },
     *   ],
     * });
     */
    bestWindow: (input: BestWindowInput, call?: CallOptions) => Promise<Result<BestWindow>>;

    /**
     * Check a new decision against rules. Needs a key.
     *
     * @example
     * const { evaluation } = await client.decisions.evaluateRules({
     *   stationId: "8443970", activity: "boating", localDate: "2026-11-28", localTime: "09:00",
     *   rules: [{ kind: "state_allowed", id: "calm", allowed: ["normal"] }],
     * });
     */
    evaluateRules: (
      input: EvaluateRulesInput,
      call?: CallOptions,
    ) => Promise<Result<EvaluateRules>>;

    /**
     * Compare with an earlier decision. Needs a key.
     *
     * @example
     * const { change, summary } = await client.decisions.materialChange({
     *   stationId: "8443970", activity: "boating", localDate: "2026-11-28", localTime: "09:00",
     *   baseline: earlier.decision, // or the summary of the comparison before
     * });
     */
    materialChange: (
      input: MaterialChangeInput,
      call?: CallOptions,
    ) => Promise<Result<MaterialChange>>;
  };

  /** State of the service. */
  declare readonly status: {
    /**
     * Get the state of the service and its providers. If the service is down and says so, that
     * is a result, with `$meta.status` 503.
     *
     * @example
     * const { status, components } = await client.status.get();
     */
    get: (call?: CallOptions) => Promise<Result<Status>>;
  };

  /** Usage of the account. */
  declare readonly usage: {
    /**
     * Get the usage of the account.
     *
     * @example
     * const { month } = await client.usage.get();
     */
    get: (call?: CallOptions) => Promise<Result<Usage>>;
  };

  /** Keys of the account. They are created and replaced on its page. */
  declare readonly keys: {
    /**
     * List the account's keys.
     *
     * @example
     * const { keys } = await client.keys.list();
     */
    list: (call?: CallOptions) => Promise<Result<KeyList>>;

    /**
     * Revoke a key. A key can revoke itself only.
     *
     * @example
     * await client.keys.revoke("7LqQBDD");
     */
    revoke: (id: string, call?: CallOptions) => Promise<Result<APIKey>>;
  };

  /** Webhook endpoints of the account and what was sent to them. */
  declare readonly webhooks: {
    /**
     * List the webhook endpoints of the account.
     *
     * @example
     * const { endpoints } = await client.webhooks.list();
     */
    list: (call?: CallOptions) => Promise<Result<WebhookList>>;

    /**
     * Register a webhook endpoint. Only this result has its secret. After a timeout, list the
     * endpoints: one that was created stays pending until it has accepted its test.
     *
     * @example
     * const { endpoint, secret } = await client.webhooks.create({
     *   url: "https://hooks.example.com/leadline",
     * });
     */
    create: (input: CreateWebhookInput, call?: CallOptions) => Promise<Result<NewWebhook>>;

    /**
     * Get a webhook endpoint.
     *
     * @example
     * const { endpoint } = await client.webhooks.get("we_4fT9kQ2mZx7LbN");
     */
    get: (id: string, call?: CallOptions) => Promise<Result<Webhook>>;

    /**
     * Change, enable or disable a webhook endpoint.
     *
     * @example
     * await client.webhooks.update("we_4fT9kQ2mZx7LbN", { enabled: true });
     */
    update: (id: string, input: WebhookChange, call?: CallOptions) => Promise<Result<Webhook>>;

    /**
     * Delete a webhook endpoint, with its deliveries.
     *
     * @example
     * await client.webhooks.delete("we_4fT9kQ2mZx7LbN");
     */
    delete: (id: string, call?: CallOptions) => Promise<Result<Webhook>>;

    /**
     * Send a test to a webhook endpoint.
     *
     * @example
     * const { state } = await client.webhooks.test("we_4fT9kQ2mZx7LbN");
     */
    test: (id: string, call?: CallOptions) => Promise<Result<WebhookTest>>;

    /**
     * Replace the signing secret. Only this result has the new one.
     *
     * @example
     * const { secret } = await client.webhooks.rotate("we_4fT9kQ2mZx7LbN", { keepOld: "1h" });
     */
    rotate: (
      id: string,
      input?: RotateWebhookBody,
      call?: CallOptions,
    ) => Promise<Result<NewWebhook>>;

    /**
     * List the deliveries of a webhook endpoint, the newest event first. `next` is the `before`
     * of the next page.
     *
     * @example
     * const { deliveries } = await client.webhooks.deliveries("we_4fT9kQ2mZx7LbN", {
     *   state: "failed",
     * });
     */
    deliveries: (
      id: string,
      query?: DeliveriesQuery,
      call?: CallOptions,
    ) => Promise<Result<DeliveryList>>;

    /**
     * Get a delivery with its event.
     *
     * @example
     * const { delivery, event } = await client.webhooks.delivery("we_4fT9kQ2mZx7LbN", eventId);
     */
    delivery: (id: string, event: string, call?: CallOptions) => Promise<Result<DeliveryDetail>>;

    /**
     * Send an event again.
     *
     * @example
     * await client.webhooks.replay("we_4fT9kQ2mZx7LbN", eventId);
     */
    replay: (id: string, event: string, call?: CallOptions) => Promise<Result<Replayed>>;

    /**
     * Send events since a time again, at most 1,000 in a call. `next` is the `before` of the
     * next call.
     *
     * @example
     * const { count } = await client.webhooks.replaySince("we_4fT9kQ2mZx7LbN", {
     *   since: "2026-11-27T14:00:00Z",
     * });
     */
    replaySince: (
      id: string,
      input: ReplayBody,
      call?: CallOptions,
    ) => Promise<Result<ReplayedDeliveries>>;
  };

  /** Events of the account, whether they were delivered or not. */
  declare readonly events: {
    /**
     * List the events of the account, the newest first. `next` is the `before` of the next page.
     *
     * @example
     * const { events } = await client.events.list({ type: "quota.warning" });
     */
    list: (query?: EventsQuery, call?: CallOptions) => Promise<Result<EventList>>;

    /**
     * Yields all events of the account, the newest first. `limit` is the size of a page.
     *
     * @example
     * for await (const event of client.events.each()) console.log(event.id, event.type);
     */
    each: (query?: EventsQuery, call?: CallOptions) => AsyncGenerator<EventRecord, void, undefined>;

    /**
     * Get an event.
     *
     * @example
     * const { event } = await client.events.get("msg_019a8f3c7b1e7c3a9d5e2f4061728394");
     */
    get: (id: string, call?: CallOptions) => Promise<Result<OneEvent>>;
  };

  /** Watches: decisions that the server repeats, with an event when one changes. */
  declare readonly watches: {
    /**
     * List the watches of the account.
     *
     * @example
     * const { watches } = await client.watches.list();
     */
    list: (call?: CallOptions) => Promise<Result<WatchList>>;

    /**
     * Watch a plan until its time has come.
     *
     * @example
     * const { watch, decision } = await client.watches.create({
     *   stationId: "8443970", activity: "boating", localDate: "2026-11-28", localTime: "09:00",
     * });
     */
    create: (input: CreateWatchInput, call?: CallOptions) => Promise<Result<CreatedWatch>>;

    /**
     * Get a watch with the changes that it has announced.
     *
     * @example
     * const { watch } = await client.watches.get("wt_8Lq2VnR5sYc1Kd");
     */
    get: (id: string, call?: CallOptions) => Promise<Result<OneWatch>>;

    /**
     * Delete a watch.
     *
     * @example
     * await client.watches.delete("wt_8Lq2VnR5sYc1Kd");
     */
    delete: (id: string, call?: CallOptions) => Promise<Result<OneWatch>>;
  };

  /** Preview: outside the contract, and changed by releases of the server. */
  declare readonly planning: {
    /**
     * Find when the tide is above or below a level.
     *
     * @example
     * const { windows } = await client.planning.tideWindows({
     *   station: "8443970", below: 0, light: "daylight",
     * });
     */
    tideWindows: (query: TideWindowsQuery, call?: CallOptions) => Promise<Result<TideWindows>>;

    /**
     * Rank the tides of a span.
     *
     * @example
     * const { ranks } = await client.planning.tideRanks({ station: "8443970", what: "lowest" });
     */
    tideRanks: (query: TideRanksQuery, call?: CallOptions) => Promise<Result<TideRanks>>;

    /**
     * Find when a tidal current is slack, or runs.
     *
     * @example
     * const { windows } = await client.planning.currentWindows({ station: "PUG1701" });
     */
    currentWindows: (
      query: CurrentWindowsQuery,
      call?: CallOptions,
    ) => Promise<Result<CurrentWindows>>;

    /**
     * Find when to go through a pass.
     *
     * @example
     * const { windows } = await client.planning.transits({
     *   station: "PUG1701", distance: 1.5, speed: 6, direction: "with_flood",
     * });
     */
    transits: (query: TransitsQuery, call?: CallOptions) => Promise<Result<Transits>>;

    /**
     * Find when to go through several passes.
     *
     * @example
     * const { windows } = await client.planning.routes({
     *   speed: 6,
     *   gates: [{ station: "PUG1701", leg: 2 }, { station: "PUG1702", leg: 12 }],
     * });
     */
    routes: (body: RoutesInput, call?: CallOptions) => Promise<Result<Routes>>;

    /**
     * Get a day at a station.
     *
     * @example
     * const { summary } = await client.planning.day({ place: "Half Moon Bay, CA" });
     */
    day: (query: DayQuery, call?: CallOptions) => Promise<Result<Day>>;

    /**
     * Evaluate the hours of a day for an activity.
     *
     * @example
     * const { sentence } = await client.planning.trip({ place: "Boston, MA", date: "saturday" });
     */
    trip: (query: TripQuery, call?: CallOptions) => Promise<Result<TripHours>>;

    /**
     * Find places by name.
     *
     * @example
     * const { places } = await client.planning.places({ query: "half moon bay" });
     */
    places: (query: PlacesQuery, call?: CallOptions) => Promise<Result<PlaceList>>;

    /**
     * Write a tide telegram.
     *
     * @example
     * const { telegram } = await client.planning.telegram({ station: "8443970" });
     */
    telegram: (query: TelegramQuery, call?: CallOptions) => Promise<Result<TideTelegram>>;
  };
}

/** The groups of methods. */
type Groups = { [Group in keyof Leadline]: Leadline[Group] };

function methodsOf(op: ReturnType<typeof connect>): Groups {
  const search = op("GET /api/v1/stations?");
  const events = op("GET /api/developer/events?");
  const revoke = op("POST /api/developer/keys/revoke?");
  return {
    stations: {
      search,
      each: pages(search, "stations", "nextOffset", "offset"),
      nearest: op("GET /api/v1/stations/nearest?"),
      get: op("GET /api/v1/stations/{id}?"),
      predictions: op("GET /api/v1/stations/{id}/predictions?"),
      waterLevels: op("GET /api/v1/stations/{id}/water-levels?"),
      conditions: op("GET /api/v1/stations/{id}/conditions?"),
      forecast: op("GET /api/v1/stations/{id}/forecast?"),
    },
    astronomy: {
      get: op("GET /api/v1/astronomy?"),
    },
    decisions: {
      tripHealth: op("POST /api/v1/decisions/trip-health?"),
      bestWindow: op("POST /api/v1/decisions/best-window?"),
      evaluateRules: op("POST /api/v1/decisions/evaluate-rules?"),
      materialChange: op("POST /api/v1/decisions/material-change?"),
    },
    status: {
      get: op("GET /api/developer/status"),
    },
    usage: {
      get: op("GET /api/developer/usage"),
    },
    keys: {
      list: op("GET /api/developer/keys"),
      revoke: (id, call) => revoke({ id }, call),
    },
    webhooks: {
      list: op("GET /api/developer/webhooks"),
      create: op("POST /api/developer/webhooks?"),
      get: op("GET /api/developer/webhooks/{id}"),
      update: op("PATCH /api/developer/webhooks/{id}?"),
      delete: op("DELETE /api/developer/webhooks/{id}"),
      test: op("POST /api/developer/webhooks/{id}/test"),
      rotate: op("POST /api/developer/webhooks/{id}/rotate?"),
      deliveries: op("GET /api/developer/webhooks/{id}/deliveries?"),
      delivery: op("GET /api/developer/webhooks/{id}/deliveries/{event}"),
      replay: op("POST /api/developer/webhooks/{id}/deliveries/{event}/replay"),
      replaySince: op("POST /api/developer/webhooks/{id}/replay?"),
    },
    events: {
      list: events,
      each: pages(events, "events", "next", "before"),
      get: op("GET /api/developer/events/{id}"),
    },
    watches: {
      list: op("GET /api/developer/watches"),
      create: op("POST /api/developer/watches?"),
      get: op("GET /api/developer/watches/{id}"),
      delete: op("DELETE /api/developer/watches/{id}"),
    },
    planning: {
      tideWindows: op("GET /api/planning/tide-windows?"),
      tideRanks: op("GET /api/planning/tide-ranks?"),
      currentWindows: op("GET /api/planning/current-windows?"),
      transits: op("GET /api/planning/transits?"),
      routes: op("POST /api/planning/routes?"),
      day: op("GET /api/planning/day?"),
      trip: op("GET /api/planning/trip?"),
      places: op("GET /api/planning/places?"),
      telegram: op("GET /api/planning/telegram?"),
    },
  };
}
