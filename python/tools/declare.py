#!/usr/bin/env python3
"""Writes biela/_abi.py: the public headers, as scripts/public_api reads them, as declarations of ctypes.

usage: declare.py OUTPUT.py
       declare.py --check        prints a C program that prints the size of every struct and the offset of every field
"""
import importlib.machinery
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBERS = {"bool": "c_bool", "char": "c_char", "int": "c_int", "long": "c_long", "double": "c_double", "float": "c_float", "unsigned": "c_uint",
           "size_t": "c_size_t", "uint8_t": "c_uint8", "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64"}


def load():
    loader = importlib.machinery.SourceFileLoader("public_api", str(ROOT / "scripts" / "public_api"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("public_api", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module.public_api(ROOT / "include" / "biela")


class Types:
    def __init__(self, api):
        self.api = api

    def text(self, made):
        """a type as an expression of ctypes"""
        if "function" in made:
            return f"CFUNCTYPE({', '.join([self.text(made['function'])] + [self.text(a['type']) for a in made['arguments']])})"
        if "array" in made:
            return f"{self.text(made['array'])} * {made['length']}"
        if "pointer" in made:
            return self.pointer(made["pointer"])
        name = made["name"]
        if name in self.api["aliases"]:
            return self.text(self.api["aliases"][name]["type"])
        if name in self.api["enums"]:
            return "c_int"
        return "None" if name == "void" else NUMBERS.get(name, name)

    def pointer(self, to):
        if "function" in to:
            return self.text(to)
        if "array" in to:  # to its first element
            return self.pointer(to["array"])
        name = to.get("name")
        if name in self.api["aliases"]:
            return self.pointer(self.api["aliases"][name]["type"])
        if name == "char":
            return "c_char_p"
        if name == "void" or name in self.api["opaque"]:
            return "c_void_p"
        return f"POINTER({self.text(to)})"


def ordered(api):
    """structs after those that they contain"""
    done = []

    def visit(name):
        for field in api["structs"][name]["fields"]:
            kind = field["type"]
            while "array" in kind:
                kind = kind["array"]
            if kind.get("name") in api["structs"] and kind["name"] not in done:
                visit(kind["name"])
        if name not in done:
            done.append(name)

    for name in api["structs"]:
        visit(name)
    return done


def constants(api):
    found = {name: value for name, value in api["constants"].items() if isinstance(value, int)}
    for enum in api["enums"].values():
        found.update(enum["values"])
    return found


def declarations(api):
    types, structs = Types(api), ordered(api)
    lines = ['"""ctypes declarations of the public headers, written by tools/declare.py. Do not edit."""',
             "from __future__ import annotations", "",
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_long,",
             "                    c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p)",
             "from typing import Any, Dict, List, Tuple", "", f"VERSION = {api['constants']['BIELA_VERSION']!r}", ""]
    lines += [f"{name} = {value}" for name, value in constants(api).items()]
    for name in structs:
        lines += ["", "", f"class {name}(Structure):", "    pass"]
    lines.append("")
    for name in structs:
        lines += ["", f"{name}._fields_ = ["]
        lines += [f"    ({field['name']!r}, {types.text(field['type'])})," for field in api["structs"][name]["fields"]] + ["]"]
    lines += ["", f"STRUCTS: Tuple[Any, ...] = ({', '.join(structs)})", "", "# result and arguments of every function",
              "FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {"]
    for name, function in api["functions"].items():
        arguments = ", ".join(types.text(argument["type"]) for argument in function["arguments"])
        lines.append(f"    {name!r}: ({types.text(function['result'])}, [{arguments}]),")
    return "\n".join(lines + ["}", ""])


def c_program(api):
    headers = sorted(path.name for path in (ROOT / "include" / "biela").glob("*.h"))
    lines = [f'#include "biela/{name}"' for name in headers] + ["#include <stddef.h>", "#include <stdio.h>", "", "int main(void) {"]
    for name in ordered(api):
        lines.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'    printf("{name}.{field["name"]} %zu\\n", offsetof({name}, {field["name"]}));' for field in api["structs"][name]["fields"]]
    lines += [f'    printf("{name} %ld\\n", (long){name});' for name in constants(api)]
    return "\n".join(lines + ["    return 0;", "}", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--check":
        print(c_program(load()))
    else:
        pathlib.Path(sys.argv[1]).write_text(declarations(load()))
