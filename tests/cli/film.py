#!/usr/bin/env python3
"""Films: film.py COMMAND [real]

Without `real` Chromium and ffmpeg are replaced by stubs (stub_chromium.py, stub_ffmpeg.py) with the same protocols, so that the fast tests
need neither. Tested: the file, the number of frames, messages, exit codes, and that nothing remains: no process, no temporary file, no
partial film. With `real` the installed programs film a page that counts; skipped (77) if one is missing.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PAGE = """<!doctype html><meta charset="utf-8"><script type="application/json" id="biela">{"runs":[{"info":{"reached":2}}]}</script>
<body style="margin:0"><canvas id="c"></canvas><script>
const c = document.getElementById("c"); c.width = innerWidth; c.height = innerHeight;
window.biela = {ready: false, seek(t) { const g = c.getContext("2d"); g.fillStyle = location.hash.includes("dark") ? "#000" : "#fff";
  g.fillRect(0, 0, c.width, c.height); g.fillStyle = "#f00"; g.fillRect(Math.round(c.width * t / 2 * 0.8), 0, Math.round(c.width * 0.2), c.height); }};
setTimeout(() => { window.biela.ready = true; }, 100);
</script></body>
"""


class Case:
    """A folder with the page, a folder for temporary files, and stubs."""

    def __init__(self, command, folder, real):
        self.command, self.folder, self.real = command, pathlib.Path(folder), real
        self.temporary = self.folder / "temporary it's"
        self.temporary.mkdir()
        self.page = self.folder / "a page's #1 100%.html"
        self.page.write_text(PAGE)
        self.log = self.folder / "stub.log"

    def environment(self, mode, **more):
        made = dict(os.environ, TMPDIR=str(self.temporary), STUB_MODE=mode, STUB_LOG=str(self.log), **more)
        if not self.real:
            made.setdefault("BIELA_CHROMIUM", str(HERE / "stub_chromium.py"))
            made.setdefault("BIELA_FFMPEG", str(HERE / "stub_ffmpeg.py"))
        return made

    def start(self, *words, mode="", **more):
        self.log.write_text("")
        self.before = set(os.listdir(self.folder))
        return subprocess.Popen([self.command, "film", *words], cwd=self.folder, env=self.environment(mode, **more), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def end(self, process):
        out, err = process.communicate(timeout=100)
        assert os.listdir(self.temporary) == [], f"left behind: {os.listdir(self.temporary)}"
        for line in self.log.read_text().splitlines():  # no program outlives the command
            if line.startswith("pid "):
                assert not alive(int(line.split()[1])), f"{line} is alive"
        return process.returncode, out, err, set(os.listdir(self.folder)) - self.before

    def run(self, *words, mode="", **more):
        return self.end(self.start(*words, mode=mode, **more))

    def heard(self, word):
        return [line[len(word) + 1:] for line in self.log.read_text().splitlines() if line.startswith(word + " ")]


def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


def check(got, code, files, *texts):
    assert got[0] == code, got
    assert got[3] == set(files), got
    for text in texts:
        assert text in got[1] + got[2], (text, got)


def stubs(case):
    page = case.page.name
    got = case.run(page, "-o", "out.webm", "--fps", "10", "--json")
    check(got, 0, ["out.webm"])
    told = json.loads(got[1])
    assert told["pictures"] == 21 and told["from"] == 0 and told["to"] == 2 and told["speed"] == 1, told  # 2 s at 10 a second, both ends
    assert json.loads((case.folder / "out.webm").read_text())["pictures"] == 21
    seeks = [float(text) for text in case.heard("seek")]
    assert len(seeks) == 21 and all(abs(t - i / 10) < 1e-12 for i, t in enumerate(seeks)), seeks
    url = case.heard("url")[0]
    assert url.endswith("/a%20page%27s%20%231%20100%25.html#film&theme=light"), url
    assert "--remote-debugging-pipe" in case.heard("words")[0] and case.heard("size")[0] == "960 540"

    got = case.run(page, "-o", "sub 'x'.gif", "--fps", "5", "--from", "1", "--to", "1.5", "--speed", "0.5", "--theme", "dark", "--view", "3", "--size", "100x80")
    check(got, 0, ["sub 'x'.gif"], "6 frames")  # 0.5 s at half speed: 1 s, at 5 a second
    assert [float(text) for text in case.heard("seek")] == [1, 1.1, 1.2, 1.3, 1.4, 1.5] and case.heard("key") == ["3"]
    assert case.heard("size")[0] == "200 160" and case.heard("url")[0].endswith("#film&theme=dark")
    passes = case.heard("ffmpeg")
    assert len(passes) == 3 and "palettegen=max_colors=96:stats_mode=diff" in passes[1] and "paletteuse=dither=none:diff_mode=rectangle" in passes[2]

    check(case.run(page, "-o", "x.mp4", "--fps", "5", "-q"), 0, ["x.mp4"])
    assert "+faststart" in case.heard("ffmpeg")[0] and "yuv420p" in case.heard("ffmpeg")[0]

    # failures: one message, no film, nothing left behind
    for mode, text in [("same", "all frames of the film are identical"), ("dies", "the browser ended unexpectedly"), ("dies late", "the browser ended unexpectedly"),
                       ("refuses", "the browser rejected a command: no such thing"), ("throws", "the page failed: Error: no motion"),
                       ("failed page", "the page failed: cannot decode"), ("nothing", "the browser's screenshot is not a PNG"),
                       ("noise", None), ("ffmpeg fails", "ffmpeg could not write the film: no such encoder"), ("ffmpeg dies", "ffmpeg")]:
        got = case.run(page, "-o", "bad.webm", "--fps", "5", mode=mode)
        check(got, 0 if text is None else 5, ["bad.webm"] if text is None else [], *([text] if text else []))
        (case.folder / "bad.webm").unlink(missing_ok=True)

    # Ctrl-C and SIGTERM while the browser does not answer, and while frames are taken
    for mode, sent in [("silent", signal.SIGINT), ("silent", signal.SIGTERM), ("slow", signal.SIGINT), ("slow", signal.SIGTERM)]:
        process = case.start(page, "-o", "stopped.webm", mode=mode)
        wanted = time.time() + 20
        while not case.heard("seek" if mode == "slow" else "pid") and time.time() < wanted:
            time.sleep(0.05)
        begun = time.time()
        process.send_signal(sent)
        check(case.end(process), 5, [], "stopped on request")
        assert time.time() - begun < 5

    # an old film is kept if a new one fails
    (case.folder / "old.webm").write_text("old")
    check(case.run(page, "-o", "old.webm", "--fps", "5", mode="same"), 5, [])
    assert (case.folder / "old.webm").read_text() == "old"

    # missing programs, and invalid options
    check(case.run(page, "-o", "x.webm", BIELA_CHROMIUM="/nowhere/chromium"), 5, [], "biela film needs Chromium, which is not installed")
    check(case.run(page, "-o", "x.webm", BIELA_FFMPEG="/nowhere/ffmpeg"), 5, [], "biela film needs ffmpeg, which is not installed")
    check(case.run(page, "-o", "x.avi"), 2, [], "-o takes a file that ends in .webm, .mp4 or .gif")
    check(case.run(page, "-o", "x.webm", "--size", "101x80"), 2, [], "--size takes width and height in pixels, even numbers")
    check(case.run(page, "-o", "x.webm", "--theme", "pink"), 2, [], "--theme takes light or dark")
    check(case.run(page, "-o", "x.webm", "--from", "3"), 5, [], "the range from --from to --to is empty")
    check(case.run(page, "-o", "x.webm", "--speed", "1e-9"), 5, [], "frames; a film has 2 to 20000")
    check(case.run("absent.html", "-o", "x.webm"), 5, [], "absent.html")
    check(case.run(page, "-o", page), 2, [])


def real(case):
    """A red bar that moves from left to right: its position in the first and in the last frame."""
    got = case.run(case.page.name, "-o", "out.webm", "--fps", "5", "--size", "160x90")
    check(got, 0, ["out.webm"])
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", case.folder / "out.webm", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"],
                         stdout=subprocess.PIPE, check=True).stdout
    size = 160 * 90 * 3
    assert len(raw) == 11 * size, len(raw)
    for number in (0, 5, 10):
        picture = raw[number * size:(number + 1) * size]
        row = [picture[45 * 480 + 3 * x:45 * 480 + 3 * x + 3] for x in range(160)]
        red = [x for x, (r, g, b) in enumerate(row) if r > 180 and g < 90 and b < 90]
        assert red and abs(red[0] - 128 * number / 10) <= 2 and abs(len(red) - 32) <= 4, (number, red)


def main():
    command, is_real = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] == ["real"]
    if is_real and not (shutil.which("ffmpeg") and any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))):
        return 77
    with tempfile.TemporaryDirectory() as folder:
        (real if is_real else stubs)(Case(command, folder, is_real))
    return 0


sys.exit(main())
