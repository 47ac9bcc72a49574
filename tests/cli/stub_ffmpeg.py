#!/usr/bin/env python3
"""A stub encoder: reads frames and writes their number to its output. STUB_MODE selects a malfunction."""
import json
import os
import sys

mode, words = os.environ.get("STUB_MODE", ""), sys.argv[1:]
with open(os.environ["STUB_LOG"], "a") as log:
    log.write(f"pid {os.getpid()}\nffmpeg {' '.join(words)}\n")
if mode == "ffmpeg dies":
    sys.exit(1)
source = words[words.index("-i") + 1]
data = sys.stdin.buffer.read() if source == "pipe:0" else open(source.removeprefix("file:"), "rb").read()
if mode == "ffmpeg fails":
    print("no such encoder", file=sys.stderr)
    sys.exit(1)
with open(words[-1].removeprefix("file:"), "w") as out:
    json.dump({"pictures": data.count(b"\x89PNG")}, out)
