"""Results: their types, their JSON, and the functions over them."""

import copy
import dataclasses
import json
import pickle
import unittest
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, List, Optional

from leadline import (
    LeadlineError,
    LevelSeries,
    Point,
    SkyDay,
    Source,
    StationList,
    TideEvent,
    is_fresh,
    meta_of,
    missing_inputs,
    points,
    raw_of,
    to_wire,
)
from leadline import _read, _types
from leadline._read import Mismatch, read

from .scripted import FOUND, SOURCE, stations

# The clients in all languages must agree about these.
VECTORS: Any = json.loads(
    (Path(__file__).parents[2] / "vectors/results.json").read_text("utf-8")
)


@dataclasses.dataclass(frozen=True)
class Nested:
    """Has a field of each kind."""

    texts: List[str]
    levels: List[Optional[float]]
    anything: Any
    free: Dict[str, Any]
    event: Optional[TideEvent]
    left_out: Optional[str] = None


class Reading(unittest.TestCase):
    def test_a_list_of_stations(self) -> None:
        result = read(StationList, stations(FOUND))
        self.assertEqual(result.stations[0].time_zone, "America/New_York")
        self.assertEqual(result.sources[0].received_at, datetime(
            2026, 11, 22, 22, 43, 27, tzinfo=timezone.utc))
        self.assertIsNone(result.sources[0].source_at)
        self.assertIsNone(result.stations[0].observes)
        self.assertIsNone(result.next_offset)

    def test_results_are_frozen(self) -> None:
        result = read(StationList, stations(FOUND))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            result.total = 3  # type: ignore[misc]

    def test_results_are_values(self) -> None:
        one, two = (read(StationList, stations(FOUND)) for _ in range(2))
        self.assertEqual(one, two)
        self.assertEqual(pickle.loads(pickle.dumps(one)), one)
        self.assertEqual(copy.deepcopy(one), one)
        self.assertEqual(dataclasses.asdict(one)["stations"][0]["name"], "Boston")
        again = dataclasses.replace(one, total=7)
        self.assertEqual((again.total, one.total), (7, 1))

    def test_each_kind_of_field(self) -> None:
        good = {
            "texts": ["a"],
            "levels": [1, 2.5, None],
            "anything": [1],
            "free": {"a": 1},
            "event": None,
        }
        self.assertEqual(read(Nested, good).levels, [1, 2.5, None])
        cases = (
            ("texts", None, "texts must be a list, not null"),
            ("texts", ["a", None], "texts[1] must be a string, not null"),
            ("levels", [1, "2"], "levels[1] must be a number, not a string"),
            ("levels", [True], "levels[0] must be a number, not true or false"),
            ("free", [], "free must be an object, not a list"),
            ("event", [], "event must be an object, not a list"),
            ("event", {"time": "x"}, "event.time must be a time with an offset"),
            ("left_out", None, "left_out must be a string, not null"),
        )
        for name, value, problem in cases:
            with self.subTest(problem):
                with self.assertRaises(Mismatch) as caught:
                    read(Nested, {**good, name: value})
                self.assertEqual(str(caught.exception), problem)

    def test_times(self) -> None:
        winter = timezone(timedelta(hours=-5))
        cases = (
            ("2026-11-22T21:09:00-05:00", datetime(2026, 11, 22, 21, 9, tzinfo=winter)),
            ("2026-11-22T21:09:00Z", datetime(2026, 11, 22, 21, 9, tzinfo=timezone.utc)),
            (
                "2026-11-22T21:09:00.5Z",
                datetime(2026, 11, 22, 21, 9, 0, 500000, timezone.utc),
            ),
            (
                "2026-11-22T21:09:00.123456789Z",
                datetime(2026, 11, 22, 21, 9, 0, 123456, timezone.utc),
            ),
        )
        for text, want in cases:
            for parse in (_read._read_datetime, _read._parse_datetime):
                got = parse(text)
                self.assertEqual((got, got.utcoffset()), (want, want.utcoffset()))
        for wrong in ("2026-11-22T21:09:00", "2026-11-22", "", 7, None, "2026-13-01T00:00:00Z"):
            with self.assertRaises(Mismatch):
                _read._read_datetime(wrong)
        for wrong_date in ("2026-11-22T00:00:00Z", "20261122", 7, None, "2026-02-30"):
            with self.assertRaises(Mismatch):
                _read._read_date(wrong_date)
        self.assertEqual(_read._read_date("2026-11-22"), date(2026, 11, 22))

    def test_all_classes_compile(self) -> None:
        classes = [of for of in vars(_types).values() if dataclasses.is_dataclass(of)]
        self.assertGreater(len(classes), 80)
        for of in classes:
            with self.assertRaises(Mismatch):
                read(of, [])
            try:
                read(of, {})
            except Mismatch as mismatch:
                self.assertIn("is missing", str(mismatch))


class Wire(unittest.TestCase):
    def test_reading_is_reversed(self) -> None:
        raw = stations(FOUND, {**FOUND, "observes": ["met"], "distanceKm": 1.5})
        self.assertEqual(to_wire(read(StationList, raw)), raw)
        source = {**SOURCE, "sourceAt": "2026-11-22T00:00:00-05:00", "datumEpoch": "1983-2001"}
        self.assertEqual(to_wire(read(Source, source)), source)

    def test_names_are_reversible(self) -> None:
        for of in vars(_types).values():
            if not dataclasses.is_dataclass(of):
                continue
            wires = [one.metadata.get("wire", one.name) for one in dataclasses.fields(of)]
            self.assertEqual(len(set(wires)), len(wires), of)

    def test_keywords_have_an_underscore(self) -> None:
        names = {one.name: one.metadata.get("wire") for one in dataclasses.fields(_types.Change)}
        self.assertEqual(names["from_"], "from")

    def test_plain_values(self) -> None:
        value = {"a": (date(2026, 1, 2), [datetime(2026, 1, 2, tzinfo=timezone.utc)]), "b": None}
        want = {"a": ["2026-01-02", ["2026-01-02T00:00:00Z"]], "b": None}
        self.assertEqual(to_wire(value), want)


def results(parts: List[Any]) -> List[Any]:
    """Returns results with these parts: data, one decision, several."""
    decided = [SimpleNamespace(decision=part) for part in parts]
    one = [parts[0], decided[0]] if len(parts) == 1 else []
    return [*one, SimpleNamespace(candidates=decided)]


class Functions(unittest.TestCase):
    def series(self, heights: List[Optional[float]]) -> LevelSeries:
        start = datetime(2026, 11, 22, 18, tzinfo=timezone(timedelta(hours=-5)))
        return LevelSeries(start=start, step_minutes=6, count=3, heights=heights)

    def test_points(self) -> None:
        got = points(self.series([1.5, None, -2.0]))
        self.assertEqual([one.value for one in got], [1.5, None, -2.0])
        self.assertEqual(
            [one.time.isoformat() for one in got],
            [
                "2026-11-22T18:00:00-05:00",
                "2026-11-22T18:06:00-05:00",
                "2026-11-22T18:12:00-05:00",
            ],
        )

    def test_points_of_a_column(self) -> None:
        got = points(self.series([1.0, 2.0, 3.0]), ["a", None, "c"])
        self.assertEqual(got[2], Point(got[2].time, "c"))
        for column in ([], [1.0, 2.0], [1.0] * 4):
            with self.assertRaises(LeadlineError):
                points(self.series([1.0, 2.0, 3.0]), column)

    def test_several_columns(self) -> None:
        hours = _types.ForecastHours.__new__(_types.ForecastHours)
        with self.assertRaises(LeadlineError) as caught:
            points(hours)  # type: ignore[call-overload]
        self.assertIn("such as hours.gusts", str(caught.exception))

    def test_is_fresh(self) -> None:
        for vector in VECTORS["isFresh"]:
            parts = [
                SimpleNamespace(sources=[read(Source, {**SOURCE, **one}) for one in sources])
                for sources in vector["parts"]
            ]
            for result in results(parts):
                self.assertEqual(is_fresh(result, "a"), vector["want"], vector["name"])
        self.assertTrue(is_fresh(read(StationList, stations()), "tide-prediction"))
        with self.assertRaises(TypeError):
            is_fresh(3, "tide-prediction")

    def test_missing_inputs(self) -> None:
        for vector in VECTORS["missingInputs"]:
            parts = [SimpleNamespace(sources=[], missing_inputs=one) for one in vector["parts"]]
            for result in results(parts):
                self.assertEqual(missing_inputs(result), vector["want"], vector["name"])
        missing = [{"input": "wind", "reason": "x"}, {"input": "wind", "reason": "y"}]
        result = read(StationList, {**stations(), "missing": missing})
        self.assertEqual(missing_inputs(result), ["wind"])
        self.assertEqual(missing_inputs(read(StationList, stations())), [])

    def test_only_results_have_meta(self) -> None:
        part = read(StationList, stations())
        for function in (meta_of, raw_of):
            with self.assertRaises(LeadlineError):
                function(part)


if __name__ == "__main__":
    unittest.main()
