"""Records that kernels pass to each other by address: the machine code that is written for them."""

from collections import namedtuple

import pytest
from llvmlite import ir
from numba import float64, int64, types
from numba.core import datamodel

from ftree._lib.kernels.record_arguments import _place_of

pytestmark = pytest.mark.in_python

WHOLE, FLOAT = ir.IntType(64), ir.DoubleType()
PAIR = ir.LiteralStructType([WHOLE, FLOAT])
RECORD = ir.LiteralStructType([FLOAT, PAIR, WHOLE])


def record_of(module, *, like=int64):
    """The type of a record of two numbers, of a class of some module."""
    cls = namedtuple("Pair", "one two")  # noqa: PYI024  # its module is set
    cls.__module__ = module
    return types.NamedTuple((int64, like), cls) if like is not int64 else types.NamedUniTuple(int64, 2, cls)


def body(*arguments):
    """A builder within a function of some types, whose arguments numba would name so."""
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), arguments), "f")
    for number, argument in enumerate(function.args):
        argument.name = f"arg.{'xyz'[number]}"
    return ir.IRBuilder(function.append_basic_block()), function.args


@pytest.mark.parametrize("like", [int64, float64], ids=["of one type", "of two types"])
def test_records_of_this_library_go_by_address_and_all_others_as_in_numba(like):
    ours, others = (datamodel.default_manager.lookup(record_of(module, like=like)) for module in ("ftree.some", "ftrees.some"))
    assert ours.get_value_type() == others.get_value_type()
    assert ours.get_argument_type() == ours.get_value_type().as_pointer()
    assert others.get_argument_type() == tuple(ours.get_value_type().elements)


def test_a_record_that_was_made_here_is_stored_and_read_again():
    model = datamodel.default_manager.lookup(record_of("ftree.some"))
    builder, _ = body()
    value = ir.Constant(model.get_value_type(), ir.Undefined)
    place = model.as_argument(builder, value)
    assert isinstance(place, ir.AllocaInstr)
    assert builder.block.instructions[-1].opname == "store"
    assert builder.block.instructions[-1].operands == [value, place]
    read = model.from_argument(builder, place)
    assert (read.opname, read.operands) == ("load", [place])


def test_a_record_that_came_as_an_argument_is_passed_on_from_where_it_stands():
    model = datamodel.default_manager.lookup(record_of("ftree.some"))
    builder, (argument,) = body(model.get_value_type().as_pointer())
    assert model.as_argument(builder, model.from_argument(builder, argument)) is argument
    assert [each.opname for each in builder.block.instructions] == ["load"]


def test_a_part_of_a_record_stands_within_it():
    builder, (argument,) = body(RECORD.as_pointer())
    pair = builder.extract_value(builder.load(argument), 1)
    place, inner = _place_of(builder, pair, []), _place_of(builder, builder.extract_value(pair, 0), [])
    for found, numbers in ((place, [0, 1]), (inner, [0, 1, 0])):
        assert found.opname == "getelementptr"
        assert found.operands == [argument, *(ir.IntType(32)(number) for number in numbers)]
    assert (place.type, inner.type) == (PAIR.as_pointer(), WHOLE.as_pointer())


def test_a_part_of_a_record_that_was_made_here_stands_where_it_came_from():
    builder, (argument, other) = body(PAIR.as_pointer(), WHOLE.as_pointer())
    made = builder.insert_value(ir.Constant(RECORD, ir.Undefined), builder.load(argument), 1)
    made = builder.insert_value(made, builder.load(other), 2)
    found = [_place_of(builder, builder.extract_value(made, number), []) for number in ([1], [2], [0])]
    assert found == [argument, other, None]
    inner = _place_of(builder, builder.extract_value(made, [1, 1]), [])
    assert inner.operands == [argument, *(ir.IntType(32)(number) for number in (0, 1))]


def test_an_argument_is_known_by_the_variable_that_numba_keeps_it_in():
    builder, (first, second) = body(PAIR.as_pointer(), PAIR.as_pointer())
    kept, changed = builder.alloca(PAIR, name="y"), builder.alloca(PAIR, name="y.1")
    assert _place_of(builder, builder.load(kept), []) is second
    assert _place_of(builder, builder.load(changed), []) is None
    assert _place_of(builder, builder.load(builder.gep(first, [ir.IntType(32)(1)])), []) is None
    assert _place_of(builder, first, []) is None
