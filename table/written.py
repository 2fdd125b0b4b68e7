"""Frozen dataclasses as JSON values and back, strictly by their declared types.

Cells are `[col, row, level, zone]`, pieces `[kind, colour, facing]`; any other dataclass
is an object of its fields, a tuple is a list, None is null. Reading checks every type and
refuses unknown and missing fields: what is read back equals what was written.
"""

from __future__ import annotations

import types
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from rules.words import Cell, Layout, Piece

_AS_LISTS: tuple[type, ...] = (Cell, Piece)


def to_json(value: Any) -> Any:
    """`value` as JSON values. `TypeError` for what has no written form."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Layout):
        return [[to_json(cell), to_json(piece)] for cell, piece in sorted(value.pieces.items())]
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        if isinstance(value, _AS_LISTS):
            return [to_json(getattr(value, f.name)) for f in fields(value)]
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    raise TypeError(f"wanted a value with a written form, found {type(value).__name__}: give its type one")


def from_json(wanted: Any, value: Any, where: str = "value") -> Any:
    """`value` as a `wanted`. Raises `ValueError` that names the place, what was wanted and what was found."""
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(wanted), value, where)
    if origin is tuple:
        return _tuple_of(get_args(wanted), value, where)
    if hasattr(wanted, "__supertype__"):
        return from_json(wanted.__supertype__, value, where)
    if wanted is Layout:
        pairs = from_json(tuple[tuple[Cell, Piece], ...], value, where)
        return Layout(dict(pairs))
    if is_dataclass(wanted) and isinstance(wanted, type):
        return _dataclass_of(wanted, value, where)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if wanted is type(None) and value is None:
        return None
    if wanted in (str, int, float, bool) and type(value) is wanted:
        return value
    raise ValueError(f"{where}: wanted {getattr(wanted, '__name__', wanted)}, found {value!r}")


def _one_of(choices: tuple[Any, ...], value: Any, where: str) -> Any:
    faults: list[str] = []
    for choice in choices:
        try:
            return from_json(choice, value, where)
        except ValueError as fault:
            faults.append(str(fault))
    raise ValueError("; or ".join(faults))


def _tuple_of(parts: tuple[Any, ...], value: Any, where: str) -> Any:
    if not isinstance(value, list):
        raise ValueError(f"{where}: wanted a list, found {value!r}")
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(from_json(parts[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if len(parts) != len(value):
        raise ValueError(f"{where}: wanted {len(parts)} values, found {len(value)}")
    both = zip(parts, value, strict=True)
    return tuple(from_json(part, item, f"{where}[{i}]") for i, (part, item) in enumerate(both))


def _dataclass_of(wanted: type, value: Any, where: str) -> Any:
    hints = get_type_hints(wanted)
    known = fields(wanted)
    if wanted in _AS_LISTS:
        if not isinstance(value, list) or len(value) > len(known):
            raise ValueError(f"{where}: wanted a {wanted.__name__} as a list, found {value!r}")
        value = {f.name: item for f, item in zip(known, value, strict=False)}
    if not isinstance(value, dict):
        raise ValueError(f"{where}: wanted a {wanted.__name__}, found {value!r}")
    unknown = sorted(set(value) - {f.name for f in known})
    if unknown:
        raise ValueError(f"{where}: {wanted.__name__} has no {', '.join(unknown)}")
    given: dict[str, Any] = {}
    for f in known:
        if f.name in value:
            given[f.name] = from_json(hints[f.name], value[f.name], f"{where}.{f.name}")
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ValueError(f"{where}: {wanted.__name__} needs {f.name}")
    return wanted(**given)
