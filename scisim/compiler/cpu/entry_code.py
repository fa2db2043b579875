"""The native code of `entry.Entry`: builtin functions of Python, written as LLVM IR."""

from __future__ import annotations

from scisim.compiler.cpu.emit import Function, Module
from scisim.compiler.cpu.records import Record, local
from scisim.compiler.cpu.target import Target

# The block of an entry; then an argument of its calls, and a result.
ENTRY = Record(
    "busy closed arguments results program frame container run held takes gives "
    "tensor value ndarray make float_type int_type complex_type refusal bare"
)
TAKEN = Record("kind slot descr scalar ndim shape cell")
GIVEN = Record("kind slot object ndim shape")

ARRAY, TENSOR, FLOAT, SINGLE, INTEGER, COMPLEX = range(6)
NEW, PASSED, FIXED, LARGE = range(4)

TYPE, DATA, NDIM, SHAPE, DESCR, FLAGS = 8, 16, 24, 32, 56, 64  # bytes from the start of an object; an array's fields
PLAIN = 0x101  # flags: C contiguous, aligned


class EntryPoint:
    """The kernel ``scisim_entry(table)``, which tells the addresses of the builtin functions."""

    name = "scisim_entry"

    def emit(self, module: Module, target: Target) -> None:
        """Write the functions."""
        for write in (_write_array, _write_number, _write_gather, _write_allocate, _write_collect, _write_call):
            write(module)
        _write_claim(module)
        f = Function(module, self.name, ["ptr %table"])
        for k, name in enumerate(("scisim_call", "scisim_claim")):
            f.store("ptr", f"@{name}", f.at("i64", "%table", k), 8)
        f.done()


def _field(f: Function, base: str, offset: int, type_: str = "ptr") -> str:
    """Part of a Python object."""
    return f.load(type_, f.at("i8", base, offset), 8)


def _equal(f: Function, a: str, b: object, type_: str = "ptr") -> str:
    return f.op("icmp eq", type_, a, b)


def _branch(f: Function, condition: str, yes: str, no: str, then: str = "") -> None:
    """Go on at one of two labels, and write what follows at ``then`` or the first."""
    f.raw(f"br i1 {condition}, label %{yes}, label %{no}")
    f.label(then or yes)


def _refuse(f: Function) -> None:
    """End of a check: 0 from the label ``no``."""
    f.label("no")
    f.done("i64 0")


def _write_array(module: Module) -> None:
    """``scisim_array(words, take, object, k)``: note a Tensor's or array's address if it is what is expected."""
    f = Function(module, "scisim_array", ["ptr %words", "ptr %take", "ptr %object", "i64 %k"], "i64")
    wrapped = _equal(f, _field(f, "%object", TYPE), ENTRY.load(f, "%words", "tensor", "ptr"))
    _branch(f, wrapped, "inside", "bare")
    inner = f.load("ptr", f.at("i8", "%object", ENTRY.load(f, "%words", "value")), 8)
    f.raw(f"br i1 {_equal(f, inner, 'null')}, label %no, label %look")
    f.label("bare")
    f.raw(f"br i1 {_equal(f, TAKEN.load(f, '%take', 'kind'), TENSOR, 'i64')}, label %no, label %look")
    f.label("look")
    f.raw(f"%value = phi ptr [{inner}, %inside], [%object, %bare]")
    type_ = _field(f, "%value", TYPE)
    _branch(f, _equal(f, type_, ENTRY.load(f, "%words", "ndarray", "ptr")), "array", "scalar", "scalar")
    behind = f.at("i8", "%value", DATA)
    f.raw(f"br i1 {_equal(f, type_, TAKEN.load(f, '%take', 'scalar', 'ptr'))}, label %fits, label %no")
    f.label("array")
    data = _check_array(f)
    last = f.block
    f.raw("br label %fits")
    f.label("fits")
    f.raw(f"%data = phi ptr [{behind}, %scalar], [{data}, %{last}]")
    _note(f, "%value", "%data")
    f.raw("ret i64 1")
    _refuse(f)


def _check_array(f: Function) -> str:
    """Where an array's numbers are; to the label ``no`` if it is of another kind."""
    ndim = TAKEN.load(f, "%take", "ndim")
    same = _equal(f, _field(f, "%value", DESCR), TAKEN.load(f, "%take", "descr", "ptr"))
    axes = _equal(f, f.convert("sext", "i32", _field(f, "%value", NDIM, "i32"), "i64"), ndim, "i64")
    flags = f.op("and", "i32", _field(f, "%value", FLAGS, "i32"), PLAIN)
    both = f.op("and", "i1", f.op("and", "i1", same, axes), _equal(f, flags, PLAIN, "i32"))
    _branch(f, both, "plain", "no")
    data, have, want = _field(f, "%value", DATA), _field(f, "%value", SHAPE), TAKEN.load(f, "%take", "shape", "ptr")
    f.raw("br label %axis")
    f.label("axis")
    f.raw("%d = phi i64 [0, %plain], [%following, %length]")
    _branch(f, f.op("icmp slt", "i64", "%d", ndim), "length", "shaped")
    f.raw("%following = add i64 %d, 1")
    is_, should = (f.load("i64", f.at("i64", p, "%d"), 8) for p in (have, want))
    _branch(f, _equal(f, is_, should, "i64"), "axis", "no", "shaped")
    return data


def _note(f: Function, held: str, data: str) -> None:
    """Keep an argument's object for later and its address in the frame."""
    f.store("ptr", held, f.at("i64", ENTRY.load(f, "%words", "held", "ptr"), "%k"), 8)
    slot = f.at("i64", ENTRY.load(f, "%words", "frame", "ptr"), TAKEN.load(f, "%take", "slot"))
    f.store("ptr", data, slot, 8)


def _write_number(module: Module) -> None:
    """``scisim_number(words, take, object, k)``: the same for a Python number."""
    f = Function(module, "scisim_number", ["ptr %words", "ptr %take", "ptr %object", "i64 %k"], "i64")
    type_, kind = _field(f, "%object", TYPE), TAKEN.load(f, "%take", "kind")
    cell, behind = TAKEN.load(f, "%take", "cell", "ptr"), f.at("i8", "%object", DATA)
    kinds = {FLOAT: "float", SINGLE: "single", INTEGER: "int", COMPLEX: "complex"}
    f.raw(f"switch i64 {kind}, label %no [{' '.join(f'i64 {k}, label %{name}' for k, name in kinds.items())}]")
    f.label("single")
    _branch(f, _equal(f, type_, ENTRY.load(f, "%words", "float_type", "ptr")), "round", "no")
    f.store("float", f.convert("fptrunc", "double", f.load("double", behind, 8), "float"), cell, 8)
    f.raw("br label %stored")
    f.label("int")
    _branch(f, _equal(f, type_, ENTRY.load(f, "%words", "int_type", "ptr")), "read", "no")
    f.store("i64", f.call("i64", "PyLong_AsLongLong", ("ptr", "%object"), pure=False), cell, 8)
    raised = f.call("ptr", "PyErr_Occurred", pure=False)
    _branch(f, _equal(f, raised, "null"), "stored", "large", "large")
    f.call("void", "PyErr_Clear")
    f.raw("br label %no")
    f.label("complex")
    wanted = _equal(f, type_, ENTRY.load(f, "%words", "complex_type", "ptr"))
    _branch(f, wanted, "inplace", "no", "float")
    _branch(f, _equal(f, type_, ENTRY.load(f, "%words", "float_type", "ptr")), "inplace", "no")
    _note(f, "%object", behind)
    f.raw("ret i64 1")
    f.label("stored")
    _note(f, "%object", cell)
    f.raw("ret i64 1")
    _refuse(f)


def _write_gather(module: Module) -> None:
    """``scisim_gather(words, args)``: whether all arguments fit; their addresses are in the frame then."""
    f = Function(module, "scisim_gather", ["ptr %words", "ptr %args"], "i64")
    count, table = ENTRY.load(f, "%words", "arguments"), ENTRY.load(f, "%words", "takes", "ptr")
    f.raw("br label %next")
    f.label("next")
    f.raw("%k = phi i64 [0, %entry], [%following, %taken]")
    _branch(f, f.op("icmp slt", "i64", "%k", count), "take", "all")
    take, x = f.at("i64", table, f.mul("%k", TAKEN.size)), f.load("ptr", f.at("ptr", "%args", "%k"), 8)
    args = (("ptr", "%words"), ("ptr", take), ("ptr", x), ("i64", "%k"))
    _branch(f, f.op("icmp ule", "i64", TAKEN.load(f, take, "kind"), TENSOR), "array", "number")
    fits = [local(f, "i64", "scisim_array", *args)]
    f.raw("br label %taken")
    f.label("number")
    fits.append(local(f, "i64", "scisim_number", *args))
    f.raw("br label %taken")
    f.label("taken")
    f.raw(f"%fits = phi i64 [{fits[0]}, %array], [{fits[1]}, %number]")
    f.raw("%following = add i64 %k, 1")
    _branch(f, _equal(f, "%fits", 1, "i64"), "next", "no", "all")
    f.raw("ret i64 1")
    _refuse(f)


def _held(f: Function, k: str) -> str:
    """Where the object of an argument, or after those of a result, is kept."""
    return f.at("ptr", ENTRY.load(f, "%words", "held", "ptr"), k)


def _write_allocate(module: Module) -> None:
    """``scisim_allocate(words)``: make the arrays of the results; how many could be made."""
    f = Function(module, "scisim_allocate", ["ptr %words"], "i64")
    count, table = ENTRY.load(f, "%words", "results"), ENTRY.load(f, "%words", "gives", "ptr")
    frame, taken = ENTRY.load(f, "%words", "frame", "ptr"), ENTRY.load(f, "%words", "arguments")
    f.raw("br label %next")
    f.label("next")
    f.raw("%k = phi i64 [0, %entry], [%following, %kept]")
    _branch(f, f.op("icmp slt", "i64", "%k", count), "make", "end")
    give = f.at("i64", table, f.mul("%k", GIVEN.size))
    kinds = f"i64 {PASSED}, label %passed i64 {FIXED}, label %fixed i64 {LARGE}, label %large"
    f.raw(f"switch i64 {GIVEN.load(f, give, 'kind')}, label %new [{kinds}]")
    f.label("passed")
    argument = f.load("ptr", _held(f, GIVEN.load(f, give, "slot")), 8)
    f.call("void", "Py_IncRef", ("ptr", argument))
    f.raw("br label %kept")
    f.label("fixed")
    constant = GIVEN.load(f, give, "object", "ptr")
    f.call("void", "Py_IncRef", ("ptr", constant))
    f.raw("br label %kept")
    f.label("large")
    block = f.call("ptr", "PyObject_CallNoArgs", ("ptr", GIVEN.load(f, give, "object", "ptr")), pure=False)
    f.raw("br label %allocated")
    f.label("new")
    array = _new_array(f, give)
    f.raw("br label %allocated")
    f.label("allocated")
    f.raw(f"%array = phi ptr [{block}, %large], [{array}, %new]")
    _branch(f, _equal(f, "%array", "null"), "end", "made", "made")
    f.store("ptr", _field(f, "%array", DATA), f.at("i64", frame, GIVEN.load(f, give, "slot")), 8)
    f.raw("br label %kept")
    f.label("kept")
    f.raw(f"%object = phi ptr [{argument}, %passed], [{constant}, %fixed], [%array, %made]")
    f.store("ptr", "%object", _held(f, f.add(taken, "%k")), 8)
    f.raw("%following = add i64 %k, 1")
    f.raw("br label %next")
    f.label("end")
    f.done("i64 %k")


def _new_array(f: Function, give: str) -> str:
    """A new array, of a result's dtype and shape."""
    descr, type_ = GIVEN.load(f, give, "object", "ptr"), ENTRY.load(f, "%words", "ndarray", "ptr")
    f.call("void", "Py_IncRef", ("ptr", descr))  # which the array takes over
    ndim = f.convert("trunc", "i64", GIVEN.load(f, give, "ndim"), "i32")
    make, shape = ENTRY.load(f, "%words", "make", "ptr"), GIVEN.load(f, give, "shape", "ptr")
    args = f"ptr {type_}, ptr {descr}, i32 {ndim}, ptr {shape}, ptr null, ptr null, i32 0, ptr null"
    return f.value(f"call ptr {make}({args})", pure=False)


def _write_collect(module: Module) -> None:
    """``scisim_collect(words, k)``: a result as a Tensor, which takes over the reference to its array; or null.

    A bare result is the array.
    """
    f = Function(module, "scisim_collect", ["ptr %words", "i64 %k"], "ptr")
    array = f.load("ptr", _held(f, f.add(ENTRY.load(f, "%words", "arguments"), "%k")), 8)
    _branch(f, f.op("icmp ne", "i64", ENTRY.load(f, "%words", "bare"), 0), "bare", "tensor")
    f.raw(f"ret ptr {array}")
    f.label("tensor")
    type_ = ENTRY.load(f, "%words", "tensor", "ptr")
    made = f.call("ptr", "PyType_GenericAlloc", ("ptr", type_), ("i64", 0), pure=False)
    _branch(f, _equal(f, made, "null"), "failed", "wrap")
    f.call("void", "Py_DecRef", ("ptr", array))
    f.raw("ret ptr null")
    f.label("wrap")
    f.store("ptr", array, f.at("i8", made, ENTRY.load(f, "%words", "value")), 8)
    f.done(f"ptr {made}")


def _counted(f: Function, name: str, first: object, count: str) -> None:
    """Change the reference counts of objects that are kept."""
    with f.loop(first, f.add(first, count)) as (k, _, _):
        f.call("void", name, ("ptr", f.load("ptr", _held(f, k), 8)))


def _write_call(module: Module) -> None:
    """``scisim_call(self, args, count)``: the builtin function."""
    f = Function(module, "scisim_call", ["ptr %self", "ptr %args", "i64 %count"], "ptr")
    f.raw(f"%words = load ptr, ptr {f.at('i8', '%self', DATA)}, align 8")
    idle = _equal(f, f.op("or", "i64", ENTRY.load(f, "%words", "busy"), ENTRY.load(f, "%words", "closed")), 0, "i64")
    taken = ENTRY.load(f, "%words", "arguments")
    _branch(f, f.op("and", "i1", idle, _equal(f, taken, "%count", "i64")), "gather", "no")
    fits = local(f, "i64", "scisim_gather", ("ptr", "%words"), ("ptr", "%args"))
    _branch(f, _equal(f, fits, 1, "i64"), "go", "no")
    ENTRY.store(f, 1, "%words", "busy")
    _counted(f, "Py_IncRef", 0, taken)
    results = ENTRY.load(f, "%words", "results")
    made = local(f, "i64", "scisim_allocate", ("ptr", "%words"))
    _branch(f, _equal(f, made, results, "i64"), "run", "failed")
    run, frame = ENTRY.load(f, "%words", "run", "ptr"), ENTRY.load(f, "%words", "frame", "ptr")
    program = ENTRY.load(f, "%words", "program", "ptr")
    status = f.value(f"call i64 {run}(ptr {program}, ptr {frame})", pure=False)
    _branch(f, _equal(f, status, 0, "i64"), "wrap", "failed")
    _collect_all(f, results)
    f.label("failed")
    _counted(f, "Py_DecRef", 0, taken)
    _counted(f, "Py_DecRef", taken, made)
    ENTRY.store(f, 0, "%words", "busy")
    f.raw("ret ptr null")
    f.label("no")
    refusal = ENTRY.load(f, "%words", "refusal", "ptr")
    f.call("void", "Py_IncRef", ("ptr", refusal))
    f.done(f"ptr {refusal}")


def _collect_all(f: Function, results: str) -> None:
    """Give the results as one Tensor or in a container, and let go of the arguments."""
    taken, container = ENTRY.load(f, "%words", "arguments"), ENTRY.load(f, "%words", "container")
    _counted(f, "Py_DecRef", 0, taken)
    f.raw(f"switch i64 {container}, label %one [i64 1, label %tuple i64 2, label %list]")
    f.label("one")
    single = local(f, "ptr", "scisim_collect", ("ptr", "%words"), ("i64", 0))
    ENTRY.store(f, 0, "%words", "busy")
    f.raw(f"ret ptr {single}")
    for label, name in (("tuple", "PyTuple"), ("list", "PyList")):
        f.label(label)
        whole = f.call("ptr", f"{name}_New", ("i64", results), pure=False)
        with f.loop(0, results) as (k, _, _):  # what cannot be made is left out, and the exception says so
            item = local(f, "ptr", "scisim_collect", ("ptr", "%words"), ("i64", k))
            f.call("i32", f"{name}_SetItem", ("ptr", whole), ("i64", k), ("ptr", item), pure=False)
        ENTRY.store(f, 0, "%words", "busy")
        raised = f.call("ptr", "PyErr_Occurred", pure=False)
        with f.when(f.op("icmp ne", "ptr", raised, "null")):
            f.call("void", "Py_DecRef", ("ptr", whole))
        f.raw(f"%{label}.given = select i1 {_equal(f, raised, 'null')}, ptr {whole}, ptr null")
        f.raw(f"ret ptr %{label}.given")


def _write_claim(module: Module) -> None:
    """``scisim_claim(self, none)``: whether the program was at rest; now it is the caller's."""
    f = Function(module, "scisim_claim", ["ptr %self", "ptr %none"], "ptr")
    f.raw(f"%words = load ptr, ptr {f.at('i8', '%self', DATA)}, align 8")
    busy = ENTRY.load(f, "%words", "busy")
    ENTRY.store(f, 1, "%words", "busy")
    f.done(f"ptr {f.call('ptr', 'PyBool_FromLong', ('i64', f.op('xor', 'i64', busy, 1)), pure=False)}")
