"""Readers make results from JSON, and check it; to_wire reverses them.

A reader is compiled once for each class, from the annotations of its fields.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import typing
from datetime import date, datetime
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Literal,
    Mapping,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    cast,
)


T = TypeVar("T")
Read = Callable[[Any], Any]

# Types that a value may have as it is, and the reader for a value of any other type.
_Plan = Tuple[Tuple[type, ...], Read]

_plans: Dict[Any, _Plan] = {}
_None: type = type(None)
_type_of: Callable[[Any], type] = type


class Mismatch(Exception):
    """A value does not have the shape that the contract describes."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""

    def under(self, step: str) -> Mismatch:
        """Adds the place of the value, from the inside to the outside."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        self.path = step + dot + self.path
        return self

    def __str__(self) -> str:
        return f"{self.path or 'the body'} {self.problem}"


def read(of: Type[T], value: Any) -> T:
    """Returns value as an instance of a result class, or raises Mismatch."""
    result: T = _plan(of)[1](value)
    return result


def to_wire(value: Any) -> Any:
    """Returns what JSON has in place of a result, or of a part of one.

    Attributes get the contract's names again, times become strings. Attributes that
    the server left out are left out.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.metadata.get("wire", field.name): to_wire(one)
            for field in dataclasses.fields(value)
            for one in (getattr(value, field.name),)
            if one is not None or field.default is dataclasses.MISSING
        }
    if isinstance(value, Mapping):
        return {key: to_wire(one) for key, one in _items(value)}
    if isinstance(value, (list, tuple)):
        return [to_wire(one) for one in _values(cast("Sequence[Any]", value))]
    if isinstance(value, (datetime, date)):
        return value.isoformat().replace("+00:00", "Z")
    return value


def _items(mapping: Any) -> Any:
    return mapping.items()


def _values(sequence: Sequence[Any]) -> Sequence[Any]:
    return sequence


def _plan(of: Any) -> _Plan:
    plan = _plans.get(of)
    if plan is None:
        plan = _plans[of] = _compile(of)
    return plan


def _compile(of: Any) -> _Plan:
    origin, arguments = typing.get_origin(of), typing.get_args(of)
    if of in _SCALARS:
        exact = _SCALARS[of]
        return exact, _refuse(_NAMES[of])
    if of is datetime:
        return (), _read_datetime
    if of is date:
        return (), _read_date
    if origin is Literal:
        return (str,), _refuse("a string")
    if origin is list:
        return (), _list_reader(arguments[0])
    if origin is Union and _None in arguments:
        some = [one for one in arguments if one is not _None]
        exact, reader = _plan(some[0])
        return (*exact, _None), reader
    if dataclasses.is_dataclass(of):
        return (), _class_reader(of)
    if origin is dict:
        return (dict,), _refuse("an object")
    return (), lambda value: value  # any value


_SCALARS: Dict[Any, Tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    float: (float, int),
    bool: (bool,),
}
_NAMES: Dict[Any, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def _refuse(wanted: str) -> Read:
    def refuse(value: Any) -> Any:
        raise Mismatch(f"must be {wanted}, not {_kind(value)}")

    return refuse


def _kind(value: Any) -> str:
    kind = _type_of(value)
    kinds = {dict: "an object", list: "a list", _None: "null", **_NAMES}
    return kinds.get(kind, kind.__name__)


def _list_reader(of: Any) -> Read:
    exact, reader = _plan(of)
    allowed = frozenset(exact)

    def read_list(value: Any) -> Any:
        kind = _type_of(value)
        if kind is not list:
            raise Mismatch(f"must be a list, not {_kind(value)}")
        if allowed and allowed.issuperset(map(type, value)):
            return value
        out: List[Any] = []
        one: Any
        try:
            for one in value:
                out.append(one if type(one) in exact else reader(one))
        except Mismatch as mismatch:
            raise mismatch.under(f"[{len(out)}]")
        return out

    return read_list


def _class_reader(of: Any) -> Read:
    rows: List[Tuple[str, str, Tuple[type, ...], Read, bool]] = []
    new, fill = object.__new__, object.__setattr__

    def read_class(value: Any) -> Any:
        kind = _type_of(value)
        if kind is not dict:
            raise Mismatch(f"must be an object, not {_kind(value)}")
        if not rows:
            rows[:] = _rows(of)  # two threads at once store the same rows
        out: Dict[str, Any] = {}
        for name, wire, exact, reader, required in rows:
            if wire in value:
                one = value[wire]
                if type(one) in exact:
                    out[name] = one
                else:
                    try:
                        out[name] = reader(one)
                    except Mismatch as mismatch:
                        raise mismatch.under(wire)
            elif required:
                raise Mismatch("is missing").under(wire)
            else:
                out[name] = None
        # A frozen dataclass sets each attribute through a method; this is three times faster.
        result = new(of)
        fill(result, "__dict__", out)
        return result

    return read_class


def _rows(of: Any) -> List[Tuple[str, str, Tuple[type, ...], Read, bool]]:
    """Returns name, name in JSON, exact types, reader and presence of each field."""
    hints = typing.get_type_hints(of)
    return [
        (
            field.name,
            field.metadata.get("wire", field.name),
            *_plan(_optional(hints[field.name], field.default is None)),
            field.default is dataclasses.MISSING,
        )
        for field in dataclasses.fields(of)
    ]


def _optional(of: Any, may_be_absent: bool) -> Any:
    """Returns the type of a field that, if it is present, may not be null."""
    if not may_be_absent:
        return of
    some = tuple(one for one in typing.get_args(of) if one is not _None)
    return some[0] if len(some) == 1 else of


_TIME = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_new_enough = sys.version_info >= (3, 11)  # for "Z" and any number of digits


def _read_datetime(value: Any) -> datetime:
    try:
        if _new_enough:
            time = datetime.fromisoformat(value)
        else:
            time = _parse_datetime(value)
        if time.tzinfo is not None:
            return time
    except (TypeError, ValueError):
        pass
    raise Mismatch("must be a time with an offset")


def _parse_datetime(text: str) -> datetime:
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError("not a time")
    seconds, fraction, offset = match.groups()
    micros = f".{fraction[1:7]:0<6}" if fraction else ""
    return datetime.fromisoformat(seconds + micros + ("+00:00" if offset in "Zz" else offset))


def _read_date(value: Any) -> date:
    try:
        if len(value) == 10:
            return date.fromisoformat(value)
    except (TypeError, ValueError):
        pass
    raise Mismatch("must be a date such as 2026-11-22")
