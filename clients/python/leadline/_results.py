"""Functions over results: their meta data, their JSON, their series, what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import (
    Any,
    Dict,
    Generic,
    List,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
)

from ._errors import LeadlineError
from ._meta import Meta
from ._types import ForecastHours, HeightSeries, LevelSeries

T = TypeVar("T")

# Results carry what meta_of and raw_of return in this attribute, which is not a field.
_ATTRIBUTE = "_leadline"


@dataclass(frozen=True)
class Point(Generic[T]):
    """A value of a series with its time. The value is None where it is not known."""

    time: datetime
    value: T


def attach(result: T, meta: Meta, raw: Dict[str, Any]) -> T:
    """Stores meta and raw in a result, and returns it."""
    object.__setattr__(result, _ATTRIBUTE, (meta, raw))
    return result


def meta_of(result: object) -> Meta:
    """Returns status, request id, limits and headers of the response of a result."""
    return _attached(result)[0]


def raw_of(result: object) -> Dict[str, Any]:
    """Returns a result as the server sent it, with properties unknown to this version."""
    return _attached(result)[1]


def _attached(result: object) -> Tuple[Meta, Dict[str, Any]]:
    attached: Optional[Tuple[Meta, Dict[str, Any]]] = getattr(result, _ATTRIBUTE, None)
    if attached is None:
        raise LeadlineError(
            f"{type(result).__name__} was not returned by a call: pass what the call returned"
        )
    return attached


@overload
def points(series: HeightSeries) -> List[Point[float]]: ...
@overload
def points(series: LevelSeries) -> List[Point[Optional[float]]]: ...
@overload
def points(
    series: Union[HeightSeries, LevelSeries, ForecastHours], values: Sequence[T]
) -> List[Point[T]]: ...
def points(
    series: Union[HeightSeries, LevelSeries, ForecastHours],
    values: Optional[Sequence[Any]] = None,
) -> List[Point[Any]]:
    """Returns the rows of a series, each with its time.

    values is a column of the series; heights if it is not given. Times have the
    offset of the series' start. A value that is not known is None.

        points(predictions.series)
        points(forecast.wind.hours, forecast.wind.hours.gusts)
    """
    if values is None:
        if isinstance(series, ForecastHours):
            raise LeadlineError("the series has several columns: pass one, such as hours.gusts")
        values = series.heights
    if len(values) != series.count:
        raise LeadlineError(f"the column has {len(values)} values, its series {series.count}")
    step = timedelta(minutes=series.step_minutes)
    return [Point(series.start + step * n, value) for n, value in enumerate(values)]


def is_fresh(result: object, source_id: str) -> bool:
    """Reports whether a source of a result is available and fresh.

    If the result lists the source several times, for example in the decisions of a
    best window, each must be available and fresh. A source that it does not list is
    not fresh.
    """
    named = [
        source for part in _parts(result) for source in part.sources if source.id == source_id
    ]
    return bool(named) and all(one.available and one.freshness == "fresh" for one in named)


def missing_inputs(result: object) -> List[str]:
    """Returns the names of the inputs that a result does not include, each once."""
    names: List[str] = []
    for part in _parts(result):
        if hasattr(part, "missing_inputs"):
            names += part.missing_inputs
        else:
            names += [missing.input for missing in part.missing]
    return list(dict.fromkeys(names))


def _parts(result: object) -> List[Any]:
    """Returns the result, or the decisions in it: what has sources."""
    value = cast(Any, result)
    if hasattr(value, "sources"):
        return [value]
    if hasattr(value, "decision"):
        return [value.decision]
    if hasattr(value, "candidates"):
        return [candidate.decision for candidate in value.candidates]
    raise TypeError(f"{type(result).__name__} has no sources")
