// What must compile, and what must not: tsc fails if a line below "@ts-expect-error" compiles.
import { test } from "node:test";
import { Leadline, isFresh, missingInputs, points } from "leadline";
import type { APIErrorCode, Decision, EvaluateRulesInput, Meta, paths } from "leadline";
import { verifyWebhook } from "leadline/webhooks";
import type { WebhookEvent } from "leadline/webhooks";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles if both types are the same. */
function expectType<A, B>(_: Equal<A, B>): void {}

type Rules = EvaluateRulesInput["rules"];

// Never called: the compiler reads it.
async function uses(client: Leadline): Promise<void> {
  const trip = { stationId: "8443970", localDate: "2026-11-28", localTime: "09:00" };

  const tides = await client.stations.predictions("8443970", { interval: "hilo", hours: 24 });
  expectType<(typeof tides)["$meta"], Meta>(true);
  for (const { time, height } of tides.extremes ?? [])
    expectType<[string, number], [typeof time, typeof height]>(true);
  if (tides.series) {
    const rows = points(tides.series);
    expectType<(typeof rows)[number], { time: string; value: number }>(true);
    rows.map(({ value }) => value.toFixed(1));
  }
  // @ts-expect-error tides.series is there with some intervals only
  points(tides.series);
  // @ts-expect-error $meta cannot be changed
  tides.$meta = undefined;

  const levels = await client.stations.waterLevels("8443970");
  // @ts-expect-error an observed height may be null
  points(levels.observed).map(({ value }) => value.toFixed(1));
  isFresh(levels, "observed-water-level");
  missingInputs(levels);

  const { decision } = await client.decisions.tripHealth({ ...trip, activity: "boating" });
  expectType<typeof decision, Decision>(true);
  isFresh({ decision }, "tide-prediction");
  await client.decisions.materialChange({ ...trip, activity: "boating", baseline: decision });
  const { summary } = await client.decisions.materialChange({
    ...trip,
    activity: "boating",
    baseline: { state: "normal" },
  });
  await client.decisions.materialChange({ ...trip, activity: "boating", baseline: summary });
  // @ts-expect-error there is no such state
  await client.decisions.materialChange({ ...trip, activity: "boating", baseline: { state: "x" } });
  // @ts-expect-error there is no such activity
  await client.decisions.tripHealth({ ...trip, activity: "swim" });
  // @ts-expect-error the activity is missing
  await client.decisions.tripHealth(trip);
  // @ts-expect-error there is no such field
  await client.decisions.tripHealth({ ...trip, activity: "boating", hours: 3 });
  // @ts-expect-error there is no such datum
  await client.stations.predictions("8443970", { datum: "XYZ" });
  // @ts-expect-error there is no such parameter
  await client.stations.predictions("8443970", { hour: 3 });
  // @ts-expect-error the point is missing
  await client.astronomy.get({ date: "2026-11-28" });
  // @ts-expect-error an id is a string
  await client.stations.get(8443970);
  // @ts-expect-error an address cannot be given with a call
  await client.stations.search({}, { baseUrl: "https://leadline.example.org" });
  // @ts-expect-error keys are not created by clients
  await client.keys.create({ scopes: ["raw:read"] });

  const rules: Rules = [
    { kind: "state_allowed", id: "a", allowed: ["normal"] },
    { kind: "maximum_missing_inputs", id: "b", maximum: 1 },
  ];
  await client.decisions.evaluateRules({ ...trip, activity: "boating", rules });
  // @ts-expect-error a field of another kind of rule
  const foreign: Rules = [{ kind: "state_allowed", id: "a", maximum: 1 }];
  void foreign;
  for (const rule of rules) {
    if (rule.kind === "required_fresh_sources") expectType<typeof rule.sourceIds, string[]>(true);
  }

  for await (const station of client.stations.each({ state: "MA" })) station.id.length;
  // @ts-expect-error there is no such type of station
  client.stations.each({ type: "airport" });

  const event: WebhookEvent = await verifyWebhook("", {}, ["whsec_a", "whsec_b"], {
    tolerance: 60,
  });
  if (event.type === "quota.warning") event.data.remaining.toFixed();
  // @ts-expect-error data of another kind
  if (event.type === "webhook.test") event.data.remaining;
  // @ts-expect-error there is no such kind
  if (event.type === "quota.warned") void event;
  // @ts-expect-error a parsed body
  await verifyWebhook({ type: "webhook.test" }, {}, "whsec_a");

  const code: APIErrorCode = "station_not_found";
  void code;
  expectType<keyof paths & "/api/v1/stations", "/api/v1/stations">(true);
  // @ts-expect-error a number of milliseconds
  new Leadline({ timeout: "30s" });
  new Leadline({ apiKey: process.env["KEY"], baseUrl: undefined });
}

test("the uses above compile", () => void uses);
