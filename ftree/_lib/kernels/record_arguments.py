"""Records of this library are passed from kernel to kernel as one address each, like structures in C.

Numba unpacks a named tuple and passes seven numbers for each of its arrays: sixty arrays of a search were four hundred
arguments, which each call listed and each kernel packed again.
"""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, datamodel
from numba.core.datamodel.models import TupleModel, UniTupleModel

# Of type Any, since numba declares no types.
_Tuple: Any = TupleModel
_UniTuple: Any = UniTupleModel
_cgutils: Any = cgutils
_datamodel: Any = datamodel


def _by_address(model: Any) -> Any:
    """The same model of a type, except that it is passed by address: the caller keeps the record until the kernel returns."""

    class ByAddress(model):  # type: ignore[misc]  # as above
        def get_argument_type(self) -> Any:
            return self.get_value_type().as_pointer()

        def as_argument(self, builder: Any, value: Any) -> Any:
            known = _place_of(builder, value, [])
            if known is not None:
                return known
            place = _cgutils.alloca_once(builder, self.get_value_type())
            builder.store(value, place)
            return place

        def from_argument(self, builder: Any, value: Any) -> Any:
            return builder.load(value)

    return ByAddress


def _place_of(builder: Any, value: Any, within: Sequence[int]) -> Any:
    """Where a record, or the part of it that numbers lead to, stands already, since it came as an argument; None for others."""
    if isinstance(value, ir.instructions.ExtractValue):
        return _place_of(builder, value.operands[0], [*value.indices, *within])
    if isinstance(value, ir.instructions.InsertValue):
        same = list(within[: len(value.indices)]) == list(value.indices)
        return _place_of(builder, value.operands[same], within[len(value.indices) :] if same else within)
    if not isinstance(value, ir.LoadInstr):
        return None
    source = value.operands[0]
    if isinstance(source, ir.AllocaInstr):  # numba keeps an argument in a variable of its name, and names others otherwise
        source = next((one for one in builder.function.args if one.name == f"arg.{source.name}"), None)
    if not isinstance(source, ir.Argument):
        return None
    return builder.gep(source, [ir.IntType(32)(number) for number in (0, *within)]) if within else source


def _ours_by_address(plain: Any) -> Any:
    """The factory of models of named tuples: those of this library are passed by address, all others as in numba."""
    ours = _by_address(plain)

    def model(manager: Any, of: Any) -> Any:
        kept = of.instance_class.__module__.startswith("ftree.")
        return (ours if kept else plain)(manager, of)

    return model


for _kind, _model in ((types.NamedTuple, _Tuple), (types.NamedUniTuple, _UniTuple)):
    _datamodel.default_manager.register(_kind, _ours_by_address(_model))
