import { LeadlineError } from "./errors.js";
import type { Source } from "./types.js";

/** A row of a series. */
export interface Point<Value> {
  /** RFC 3339, with the offset that `start` of the series has. */
  time: string;
  value: Value;
}

/** What all series have: values at equal steps from a time on. */
export interface Steps {
  start: string;
  stepMinutes: number;
  count: number;
}

/**
 * Returns a series as rows. A value that is not known is null.
 *
 * @example
 * points(predictions.series); // [{ time: "2026-11-28T09:00:00-05:00", value: 4.551 }, ...]
 *
 * A series with several columns needs the column too:
 *
 * @example
 * points(forecast.hours, forecast.hours.gusts);
 */
export function points<Value>(series: Steps & { heights: readonly Value[] }): Point<Value>[];
export function points<Value>(series: Steps, column: readonly Value[]): Point<Value>[];
export function points<Value>(
  series: Steps & { heights?: readonly Value[] },
  column: readonly Value[] = series.heights ?? [],
): Point<Value>[] {
  if (column.length !== series.count) {
    throw new LeadlineError(`the column has ${column.length} values, its series ${series.count}`);
  }
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(series.start) ?? [];
  const offset = sign ? Number(sign + "60000") * (Number(hours) * 60 + Number(minutes)) : 0;
  const start = Date.parse(series.start) + offset;
  const zone = sign ? `${sign}${hours}:${minutes}` : "Z";
  return column.map((value, i) => ({
    time: new Date(start + i * series.stepMinutes * 60_000).toISOString().slice(0, 19) + zone,
    value,
  }));
}

type Cited = { sources: readonly Source[] };
type Decided = Cited & { missingInputs: readonly string[] };

/** A result with data, one with a decision, or one with several. */
export type Sourced = Cited | { decision: Cited } | { candidates: readonly { decision: Cited }[] };

/**
 * Reports whether a source of a result is available and fresh. If the result lists the source
 * several times, for example in the decisions of a best window, each must be. It is false for a
 * source that the result does not list.
 *
 * @example
 * isFresh(await client.stations.conditions("8443970"), "observed-water-level");
 */
export function isFresh(result: Sourced, sourceId: string): boolean {
  const named = partsOf<Cited>(result)
    .flatMap((part) => part.sources)
    .filter((source) => source.id === sourceId);
  return named.length > 0 && named.every((one) => one.available && one.freshness === "fresh");
}

/** A result that names what it lacks: with data, with a decision, or with several. */
export type Lacking =
  | { missing: readonly { input: string }[] }
  | Decided
  | { decision: Decided }
  | { candidates: readonly { decision: Decided }[] };

/**
 * Returns the names of the inputs that a result could not include, each once.
 *
 * @example
 * missingInputs(await client.stations.conditions("8443970")); // ["wind"]
 */
export function missingInputs(result: Lacking): string[] {
  const names = partsOf<{ missing?: { input: string }[]; missingInputs?: string[] }>(
    result,
  ).flatMap((part) => part.missingInputs ?? part.missing!.map((one) => one.input));
  return [...new Set(names)];
}

/** Returns the decisions of a result, or the result if it is not about decisions. */
function partsOf<Part>(result: object): Part[] {
  if ("decision" in result) return [result.decision as Part];
  if ("candidates" in result) {
    return (result.candidates as { decision: Part }[]).map((one) => one.decision);
  }
  return [result as Part];
}
