import assert from "node:assert/strict";
import { test } from "node:test";
import { LeadlineError, isFresh, missingInputs, points } from "leadline";
import type { Source } from "leadline";

const series = (start: string, heights: (number | null)[], stepMinutes = 60) => ({
  start,
  stepMinutes,
  count: heights.length,
  heights,
});

// Each with the start, the step, and the times of three values.
const starts: [string, number, string[]][] = [
  ["2026-11-22T18:00:00-05:00", 60, ["18:00:00-05:00", "19:00:00-05:00", "20:00:00-05:00"]],
  ["2026-11-22T18:00:00Z", 6, ["18:00:00Z", "18:06:00Z", "18:12:00Z"]],
  ["2026-11-22T18:00:00+05:45", 15, ["18:00:00+05:45", "18:15:00+05:45", "18:30:00+05:45"]],
  ["2026-11-22T18:00:00-03:30", 1, ["18:00:00-03:30", "18:01:00-03:30", "18:02:00-03:30"]],
];
for (const [start, step, want] of starts) {
  test(`points of a series from ${start}`, () => {
    assert.deepEqual(
      points(series(start, [1.5, null, -2], step)),
      [1.5, null, -2].map((value, i) => ({ time: `2026-11-22T${want[i]}`, value })),
    );
  });
}

test("times of points pass midnight and a change of clocks by the same steps", () => {
  const rows = points(series("2026-10-31T23:30:00-04:00", [1, 2, 3, 4, 5]));
  assert.deepEqual(
    rows.map(({ time }) => time),
    [
      "2026-10-31T23:30:00-04:00",
      "2026-11-01T00:30:00-04:00",
      "2026-11-01T01:30:00-04:00",
      "2026-11-01T02:30:00-04:00",
      "2026-11-01T03:30:00-04:00",
    ],
  );
});

test("points of a column", () => {
  const hours = { start: "2026-11-22T18:00:00Z", stepMinutes: 60, count: 2, gusts: [12, null] };
  assert.deepEqual(points(hours, hours.gusts), [
    { time: "2026-11-22T18:00:00Z", value: 12 },
    { time: "2026-11-22T19:00:00Z", value: null },
  ]);
  assert.throws(() => points(hours, [1]), LeadlineError);
});

const source = (id: string, more: Partial<Source> = {}): Source => ({
  id,
  label: id,
  provider: "NWS",
  kind: "forecast",
  required: true,
  available: true,
  freshness: "fresh",
  sourceAt: null,
  receivedAt: "2026-11-22T18:00:00Z",
  ageMinutes: null,
  attributionUrl: "https://www.weather.gov",
  ...more,
});

test("isFresh is true for a fresh source only", () => {
  const sources = [
    source("fresh"),
    source("aging", { freshness: "aging" }),
    source("unknown", { freshness: "unknown" }),
    source("away", { available: false }),
    source("twice"),
    source("twice", { freshness: "stale" }),
  ];
  const got = (id: string) => isFresh({ sources }, id);
  assert.deepEqual(["fresh", "aging", "unknown", "away", "twice", "none"].filter(got), ["fresh"]);
  assert.equal(isFresh({ decision: { sources } }, "fresh"), true);
  assert.equal(isFresh({ candidates: [{ decision: { sources } }] }, "aging"), false);
});

test("missingInputs names each input once", () => {
  const missing = [{ input: "wind" }, { input: "alerts" }, { input: "wind" }];
  assert.deepEqual(missingInputs({ missing }), ["wind", "alerts"]);
  const decision = { sources: [], missingInputs: ["waves"] };
  assert.deepEqual(missingInputs({ decision }), ["waves"]);
  assert.deepEqual(missingInputs({ candidates: [{ decision }, { decision }] }), ["waves"]);
  assert.deepEqual(missingInputs(decision), ["waves"]);
});
