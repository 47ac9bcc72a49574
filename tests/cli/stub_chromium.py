#!/usr/bin/env python3
"""A stub browser with the protocol of --remote-debugging-pipe: commands on file 3, answers on file 4, each ended by a zero byte. STUB_MODE
selects a malfunction, STUB_LOG is the log of received commands."""
import base64
import json
import os
import re
import struct
import sys
import time
import zlib

mode, log = os.environ.get("STUB_MODE", ""), open(os.environ["STUB_LOG"], "a")


def say(word, text):
    log.write(f"{word} {text}\n")
    log.flush()


def png(number):
    """One point of that color."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    color = bytes([0, number % 256, number // 256 % 256, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(color)) + chunk(b"IEND", b"")


def send(message):
    os.write(4, json.dumps(message).encode() + b"\0")


def value(number):
    return {"result": {"type": "string", "value": number}}


ready_asked = pictures = seeks = 0


def evaluate(text):
    global ready_asked, seeks
    if "biela.ready" in text:
        ready_asked += 1
        if mode == "failed page":
            return value("failed: cannot decode")
        return value("ready" if ready_asked > 1 else "not yet")
    if "runs" in text:
        return value("0 2")
    if found := re.search(r"key: '(.)'", text):
        say("key", found[1])
        return value(1)
    if found := re.match(r"window\.biela\.seek\((.*)\)$", text):
        say("seek", found[1])
        seeks += 1
        if mode == "slow":
            time.sleep(0.3)
        if mode == "throws":
            return {"result": {}, "exceptionDetails": {"text": "Uncaught", "exception": {"description": "Error: no motion"}}}
        return {"result": {"type": "undefined"}}
    raise ValueError(text)


def answer(method, params):
    global pictures
    if method == "Target.createTarget":
        return {"targetId": "T"}
    if method == "Target.attachToTarget":
        return {"sessionId": "S \"quoted\" \\ }{"}
    if method == "Emulation.setDeviceMetricsOverride":
        say("size", f"{params['width']} {params['height']}")
    if method == "Page.navigate":
        say("url", params["url"])
    if method == "Runtime.evaluate":
        return evaluate(params["expression"])
    if method == "Page.captureScreenshot":
        pictures += 1
        if mode == "dies late" and pictures == 3:
            sys.exit(1)
        return {"data": base64.b64encode(b"nothing" * 20 if mode == "nothing" else png(0 if mode == "same" else seeks)).decode()}
    return {}


say("pid", os.getpid())
say("words", " ".join(sys.argv))
if mode == "dies":
    sys.exit(1)
buffer = b""
while True:
    piece = os.read(3, 65536)
    if not piece:
        break
    buffer += piece
    while b"\0" in buffer:
        text, buffer = buffer.split(b"\0", 1)
        command = json.loads(text)
        if command["method"] == "Browser.close":
            sys.exit(0)
        if mode == "silent":
            continue
        if mode == "noise":  # events and late answers that resemble answers
            send({"method": "Page.event", "params": {"id": command["id"], "result": {"data": "}{\"id\":"}}})
            send({"id": 99999, "result": {}})
        if mode == "refuses" and command["method"] == "Page.navigate":
            send({"id": command["id"], "error": {"code": -1, "message": "no such thing"}})
            continue
        send({"sessionId": "S", "result": answer(command["method"], command["params"]), "id": command["id"]})
