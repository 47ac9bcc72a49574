#!/usr/bin/env python3
"""What scripts/abi says about changes of the interface: which break compiled programs, which only add.

usage: abi_rules.py SOURCE
"""
import importlib.machinery
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("abi", str(pathlib.Path(sys.argv[1]) / "scripts/abi"))
abi = importlib.util.module_from_spec(importlib.util.spec_from_loader("abi", loader))
loader.exec_module(abi)

OLD = """function bl_status bl_go(bl_context *, const bl_options *)
type bl_index = int32_t
constant BL_WANT_ALL = 7
constant BL_MOST = 16
enum bl_kind, 4 bytes
enum bl_kind: BL_ONE = 0
enum bl_kind: BL_EVENT_KINDS = 1
struct bl_options, begins with its size, 16 bytes
struct bl_options: 0 + 8 size_t size
struct bl_options: 8 + 4 int method
struct bl_pose, never changes, 8 bytes
struct bl_pose: 0 + 8 double x
struct bl_sample, grows at its end, 16 bytes
struct bl_sample: 0 + 8 double t
struct bl_sample: 8 + 4 int side
struct bl_sink, begins with its size, 16 bytes
struct bl_sink: 0 + 8 size_t size
struct bl_sink: 8 + 8 void (*end)(void *, double (*)[3])""".splitlines()

SAME, ADDED, BROKEN = 0, 1, 2
CASES = [
    ("nothing", [], [], SAME),
    ("a new function", [], ["function void bl_stop(void)"], ADDED),
    ("a function is gone", [0], [], BROKEN),
    ("an argument of another type", [0], ["function bl_status bl_go(bl_context *, const bl_other *)"], BROKEN),
    ("another integer", [1], ["type bl_index = int64_t"], BROKEN),
    ("one more bit", [2], ["constant BL_WANT_ALL = 15"], ADDED),
    ("a limit that programs have compiled in", [3], ["constant BL_MOST = 32"], BROKEN),
    ("a new enumerator at the end", [6], ["enum bl_kind: BL_TWO = 1", "enum bl_kind: BL_EVENT_KINDS = 2"], ADDED),
    ("a new enumerator before the others", [5], ["enum bl_kind: BL_ONE = 1", "enum bl_kind: BL_NEW = 0"], BROKEN),
    ("a field at the end", [7], ["struct bl_options, begins with its size, 24 bytes", "struct bl_options: 16 + 8 double more"], ADDED),
    ("a field in the padding at the end", [], ["struct bl_options: 12 + 4 int more"], BROKEN),
    ("a field in the middle", [7, 9],
     ["struct bl_options, begins with its size, 24 bytes", "struct bl_options: 8 + 8 double more", "struct bl_options: 16 + 4 int method"], BROKEN),
    ("a field with another name", [9], ["struct bl_options: 8 + 4 int how"], BROKEN),
    ("a field of an element of arrays", [10], ["struct bl_pose, never changes, 16 bytes", "struct bl_pose: 8 + 8 double y"], BROKEN),
    ("a field in the padding of what the library allocates", [], ["struct bl_sample: 12 + 4 int order"], ADDED),
    ("another callback", [17], ["struct bl_sink: 8 + 8 void (*end)(void *, double *)"], BROKEN),
    ("a new struct", [], ["struct bl_more, begins with its size, 8 bytes", "struct bl_more: 0 + 8 size_t size"], ADDED),
]
for what, without, more, wanted in CASES:
    changes, additions = abi.compare(OLD, [line for i, line in enumerate(OLD) if i not in without] + more)
    found = BROKEN if changes else ADDED if additions else SAME
    if found != wanted:
        sys.exit(f"{what}: {('the same', 'an addition', 'a break')[found]}\n" + "\n".join(changes + additions))
print(f"{len(CASES)} cases")
