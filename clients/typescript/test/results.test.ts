import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

// The clients in all languages must agree about these.
const file = new URL("../../../vectors/results.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8"));

// resultsOf returns results with these parts: data, one decision, several.
function resultsOf<Part>(parts: Part[]): any[] {
  const decided = parts.map((decision) => ({ decision }));
  const one = parts.length === 1 ? [parts[0], decided[0]] : [];
  return [...one, { candidates: decided }];
}

for (const { name, parts, want } of vectors.isFresh) {
  test(`isFresh with ${name} is ${want}`, () => {
    for (const result of resultsOf(parts.map((sources: Source[]) => ({ sources }))))
      assert.equal(isFresh(result, "a"), want);
  });
}

for (const { name, parts, want } of vectors.missingInputs) {
  test(`missingInputs with ${name}`, () => {
    for (const result of resultsOf(parts.map((missingInputs: string[]) => ({ missingInputs }))))
      assert.deepEqual(missingInputs(result), want);
  });
}

test("data names its missing inputs in another way", () => {
  const missing = [{ input: "wind" }, { input: "alerts" }, { input: "wind" }];
  assert.deepEqual(missingInputs({ missing }), ["wind", "alerts"]);
});
