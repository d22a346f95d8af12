// The requests of the documentation, by go test ./internal/web/manual -update.
import { Leadline } from "leadline";

export async function searchStations(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.search({ q: "Boston", limit: 3 });
  console.log(result);
}

export async function findNearestStations(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.nearest({ lat: 42.35, lon: -71.05 });
  console.log(result);
}

export async function getStation(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.get("8443970");
  console.log(result);
}

export async function getPredictions(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.predictions(
    "8443970",
    { begin_date: "2026-11-20", hours: 24 },
  );
  console.log(result);
}

export async function getWaterLevels(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.waterLevels("8443970", { hours: 1 });
  console.log(result);
}

export async function getConditions(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.conditions("8443970");
  console.log(result);
}

export async function getForecast(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.stations.forecast("8443970", { hours: 3 });
  console.log(result);
}

export async function getAstronomy(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.astronomy.get(
    { lat: 42.35, lon: -71.05, date: "2026-11-20" },
  );
  console.log(result);
}

export async function tripHealth(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.decisions.tripHealth({
    stationId: "8443970",
    activity: "boating",
    localDate: "2026-11-21",
    localTime: "09:00",
  });
  console.log(result);
}

export async function bestWindow(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.decisions.bestWindow({
    stationId: "8443970",
    activity: "boating",
    candidates: [
      { localDate: "2026-11-21", localTime: "09:00" },
      { localDate: "2026-11-22", localTime: "15:00" },
    ],
  });
  console.log(result);
}

export async function evaluateRules(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.decisions.evaluateRules({
    stationId: "8443970",
    activity: "boating",
    localDate: "2026-11-21",
    localTime: "09:00",
    rules: [
      {
        id: "calm",
        kind: "state_allowed",
        allowed: ["normal"],
      },
      {
        id: "sure",
        kind: "minimum_confidence",
        minimum: "moderate",
      },
    ],
  });
  console.log(result);
}

export async function materialChange(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.decisions.materialChange({
    stationId: "8443970",
    activity: "boating",
    localDate: "2026-11-21",
    localTime: "09:00",
    baseline: { state: "action-needed", confidence: "high" },
  });
  console.log(result);
}

export async function getStatus(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.status.get();
  console.log(result);
}

export async function getUsage(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.usage.get();
  console.log(result);
}

export async function listKeys(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.keys.list();
  console.log(result);
}

export async function createKey(): Promise<void> {
  const response = await fetch("https://tides.example.org/api/developer/keys", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Cookie: `__Host-leadline=${process.env.SESSION}`,
    },
    body: JSON.stringify({
      name: "harbor display",
      scopes: [
        "raw:read",
        "decision:read",
        "webhook:read",
        "webhook:write",
        "usage:read",
      ],
    }),
  });
  console.log(await response.json());
}

export async function replaceKey(): Promise<void> {
  const response = await fetch("https://tides.example.org/api/developer/keys/reroll", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Cookie: `__Host-leadline=${process.env.SESSION}`,
    },
    body: JSON.stringify({ id: "7LqQBDD", grace: "24h" }),
  });
  console.log(await response.json());
}

export async function revokeKey(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.keys.revoke("7LqQBDD");
  console.log(result);
}

export async function listWebhooks(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.list();
  console.log(result);
}

export async function createWebhook(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.create({
    url: "https://hooks.example.com/leadline",
    events: ["status.incident.created", "decision.material_change"],
  });
  console.log(result);
}

export async function deleteWebhook(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.delete("we_4fT9kQ2mZx7LbN");
  console.log(result);
}

export async function getWebhook(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.get("we_4fT9kQ2mZx7LbN");
  console.log(result);
}

export async function updateWebhook(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.update(
    "we_4fT9kQ2mZx7LbN",
    { description: "Harbor display", enabled: false },
  );
  console.log(result);
}

export async function testWebhook(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.test("we_4fT9kQ2mZx7LbN");
  console.log(result);
}

export async function rotateWebhook(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.rotate(
    "we_4fT9kQ2mZx7LbN",
    { keepOld: "24h" },
  );
  console.log(result);
}

export async function listDeliveries(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.deliveries("we_4fT9kQ2mZx7LbN");
  console.log(result);
}

export async function getDelivery(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.delivery(
    "we_4fT9kQ2mZx7LbN",
    "msg_019a8f3c7b127c3a9d5e2f4061728394",
  );
  console.log(result);
}

export async function replayDelivery(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.replay(
    "we_4fT9kQ2mZx7LbN",
    "msg_019a8f3c7b127c3a9d5e2f4061728394",
  );
  console.log(result);
}

export async function replayDeliveries(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.webhooks.replaySince(
    "we_4fT9kQ2mZx7LbN",
    { since: "2026-11-20T12:00:00Z", states: ["delivered"] },
  );
  console.log(result);
}

export async function listEvents(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.events.list({ type: "status.incident.created" });
  console.log(result);
}

export async function getEvent(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.events.get("msg_019a8f3c7b127c3a9d5e2f4061728394");
  console.log(result);
}

export async function listWatches(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.watches.list();
  console.log(result);
}

export async function createWatch(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.watches.create({
    stationId: "8443970",
    activity: "boating",
    localDate: "2026-11-21",
    localTime: "09:00",
    name: "Saturday",
  });
  console.log(result);
}

export async function deleteWatch(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.watches.delete("wt_8Lq2VnR5sYc1Kd");
  console.log(result);
}

export async function getWatch(): Promise<void> {
  const client = new Leadline({
    baseUrl: "https://tides.example.org",
    apiKey: process.env.LEADLINE_API_KEY,
  });
  const result = await client.watches.get("wt_8Lq2VnR5sYc1Kd");
  console.log(result);
}

export async function findTideWindows(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.tideWindows({
    station: "8443970",
    below: 0,
    light: "daylight",
    range: 168,
  });
  console.log(result);
}

export async function rankTides(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.tideRanks(
    { station: "8443970", what: "lowest", limit: 3 },
  );
  console.log(result);
}

export async function findCurrentWindows(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.currentWindows(
    { station: "PUG1701", light: "daylight", range: 48 },
  );
  console.log(result);
}

export async function planTransit(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.transits({
    station: "PUG1701",
    distance: 1.5,
    speed: 6,
    direction: "with_flood",
  });
  console.log(result);
}

export async function planRoute(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.routes({
    speed: 6,
    gates: [
      {
        station: "PUG1701",
        leg: 2,
        distance: 0.5,
        direction: "with_flood",
        max_current: 3,
      },
      { station: "PUG1702", leg: 12, max_current: 2 },
    ],
  });
  console.log(result);
}

export async function getDay(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.day(
    { station: "8443970", activity: "boating" },
  );
  console.log(result);
}

export async function evaluateTrip(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.trip({
    station: "8443970",
    date: "saturday",
    from: "09:00",
    until: "17:00",
  });
  console.log(result);
}

export async function findPlaces(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.places({ query: "Half Moon Bay, CA" });
  console.log(result);
}

export async function writeTideTelegram(): Promise<void> {
  const client = new Leadline({ baseUrl: "https://tides.example.org" });
  const result = await client.planning.telegram({ station: "8443970" });
  console.log(result);
}
