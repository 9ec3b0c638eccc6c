"""The instructions that Numba lacks: bits, addresses, arrays that are borrowed. Imported when something is compiled.

The names that the rooms use, and the plain twins, are in `jit`.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj


@intrinsic
def popcount(typingctx, cards):
    """How many cards are in this set."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def lowest(typingctx, cards):
    """The lowest card number in a set that is not empty."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


@intrinsic
def highest(typingctx, cards):
    """The highest card number in a set that is not empty."""

    def codegen(context, builder, signature, args):
        zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), codegen


@intrinsic
def entry(typingctx, notes, index):
    """One whole number of the table that a policy brought along; `notes` is the address of its int32 values."""

    def codegen(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(32).as_pointer())
        value = builder.load(builder.gep(start, [args[1]]))
        return builder.sext(value, ir.IntType(64))

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def small_entry(typingctx, notes, index):
    """The same of a table of uint8 values: four times as many fit into the fastest memory."""

    def codegen(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(builder.gep(start, [args[1]])), ir.IntType(64))

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def long_entry(typingctx, page, index):
    """The same of a table of int64 values."""

    def codegen(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(start, [args[1]]))

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def array_at(typingctx, page, place, length):
    """The int64 array that lies at this place of a page (in plain Python whatever stands there)."""
    array = types.Array(types.int64, 1, "C")

    def codegen(context, builder, signature, args):
        start = builder.gep(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), [args[1]])
        made = arrayobj.make_array(array)(context, builder)
        size = context.get_constant(types.intp, 8)
        arrayobj.populate_array(made, start, [args[2]], [size], size, None)
        return made._getvalue()

    return array(types.int64, types.int64, types.int64), codegen


@intrinsic
def address_from(typingctx, array, place):
    """Where an int64 array lies from this place on: the address that `long_entry` takes."""

    def codegen(context, builder, signature, args):
        struct = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(builder.gep(struct.data, [args[1]]), ir.IntType(64))

    return types.int64(array, types.int64), codegen


@intrinsic
def borrowed(typingctx, array):
    """The same array without its reference count, for use while somebody else keeps it alive.

    Every step pasted into a kernel would count each of its arrays up and down, with atomic instructions: 60 ns a deal.
    """

    def codegen(context, builder, signature, args):
        struct = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        struct.meminfo = ir.Constant(struct.meminfo.type, None)
        struct.parent = ir.Constant(struct.parent.type, None)
        return struct._getvalue()

    return array(array), codegen


@intrinsic
def high_half(typingctx, first, second):
    """The upper 64 bits of the product of two words."""

    def codegen(context, builder, signature, args):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


def function_at(signature):
    """Make the instruction that turns an address back into a function of this signature."""

    @intrinsic
    def at(typingctx, where):
        def codegen(context, builder, sig, args):
            struct = cgutils.create_struct_proxy(sig.return_type)(context, builder)
            struct.jit_addr = builder.inttoptr(args[0], struct.jit_addr.type)
            # For address 0 Numba would ask Python, with functions that are not there without Numba.
            builder.assume(builder.icmp_unsigned("!=", args[0], ir.Constant(args[0].type, 0)))
            return struct._getvalue()

        return types.FunctionType(signature)(types.int64), codegen

    return at
