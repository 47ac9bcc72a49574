"""Ctrl-C, threads, and processes that fork."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import ROD, scene

import biela
from biela import _watch

LONG = {"until": 1e7, "tolerance": 1e-12, "every": 1.0, "progress": False}


def when_running(action, seconds=0.3):
    """some time after a call of the library has begun in the main thread"""
    def wait():
        while _watch._listener is None or _watch._listener.context is None:
            time.sleep(0.01)
        time.sleep(seconds)
        action()

    threading.Thread(target=wait, daemon=True).start()


def interrupt():
    when_running(lambda: os.kill(os.getpid(), signal.SIGINT))


def test_ctrl_c_ends_a_run_and_keeps_its_samples():
    m = biela.Model(scene("double_pendulum"))
    before = signal.getsignal(signal.SIGINT)
    interrupt()
    began = time.monotonic()
    with pytest.raises(biela.Interrupted) as caught:
        m.run(**LONG)
    assert time.monotonic() - began < 30
    r = caught.value.result
    assert isinstance(caught.value, KeyboardInterrupt) and r.status == "stopped" and len(r) > 1
    assert np.all(np.isfinite(r["j1.angle" if "j1.angle" in r else r.variable.keys()[0]]))
    assert signal.getsignal(signal.SIGINT) is before
    assert m.run(until=0.1).status == "done"  # and the next one runs


def test_ctrl_c_ends_reach_and_the_simulation_goes_on():
    with biela.Model(scene("double_pendulum")).simulation(tolerance=1e-12) as s:
        interrupt()
        with pytest.raises(biela.Interrupted):
            s.reach(1e7)
        t = s.t
        assert 0 < t < 1e7 and s.reach(t + 0.1) and s.t == t + 0.1


def test_ctrl_c_ends_studies_without_samples():
    interrupt()
    with pytest.raises(biela.Interrupted):
        biela.Model(scene("double_pendulum")).compare(until=1000, tolerance=1e-10, limit=100, all=True, progress=False)


def test_a_handler_of_the_program_is_called_after_the_run():
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        interrupt()
        r = biela.Model(scene("double_pendulum")).run(**LONG)
    finally:
        signal.signal(signal.SIGINT, before)
    assert r.status == "stopped" and seen == [signal.SIGINT]


def test_ctrl_c_in_a_program(tmp_path):
    """a separate process, as from a shell: one line, exit by KeyboardInterrupt, the file is complete"""
    program = textwrap.dedent(f"""
        import biela, sys, threading, time
        from biela import _watch
        def tell():
            while _watch._listener is None or _watch._listener.context is None:
                time.sleep(0.01)
            print("begun", flush=True)
        threading.Thread(target=tell, daemon=True).start()
        try:
            biela.Model({scene("double_pendulum")!r}).run(until=1e7, tolerance=1e-12, every=1, save={str(tmp_path / "a.h5")!r})
        except KeyboardInterrupt as stop:
            print(stop.result.status, len(stop.result) > 0)
            raise
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert out == "stopped True\n" and "Interrupted: stopped by Ctrl-C at t = " in error and process.returncode != 0
    assert biela.Result(tmp_path / "a.h5").status == "stopped"


def test_other_signals_reach_an_event_loop():
    """the wakeup descriptor of another library is restored, and signals that came in between are passed on"""
    read, write = os.pipe()
    os.set_blocking(write, False)
    old = signal.set_wakeup_fd(write)
    handler = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    try:
        when_running(lambda: os.kill(os.getpid(), signal.SIGUSR1), 0.1)
        interrupt()
        with pytest.raises(biela.Interrupted):
            biela.Model(scene("double_pendulum")).run(**LONG)
        assert signal.SIGUSR1 in os.read(read, 16)
    finally:
        assert signal.set_wakeup_fd(old) == write
        signal.signal(signal.SIGUSR1, handler)
        os.close(read)
        os.close(write)


def test_threads_share_a_model_and_give_the_same_bits():
    m = biela.Model(scene("bricard"))
    wanted = m.run(until=3)
    found, problems = {}, []

    def work(k):
        try:
            for _ in range(5):
                found[k] = m.run(until=3, progress=False)
        except BaseException as error:  # shown below
            problems.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not problems
    for r in found.values():
        assert all(np.array_equal(r.quantity(p), wanted.quantity(p)) for p in wanted.quantities())


def test_other_threads_go_on_during_a_run():
    """the lock of the interpreter is free while the library computes"""
    counts = []
    done = threading.Event()

    def count():
        n = 0
        while not done.is_set():
            n += 1
            time.sleep(0.001)
        counts.append(n)

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    s = biela.Model(scene("double_pendulum")).simulation(tolerance=1e-13)
    s.reach(150)
    seconds = time.monotonic() - began
    done.set()
    thread.join()
    assert counts[0] > 20 * min(seconds, 1)  # of about 900 a second on an idle machine


def test_a_simulation_is_stopped_by_another_thread():
    s = biela.Model(scene("double_pendulum")).simulation(tolerance=1e-12)
    when_running(s.stop)
    assert s.reach(1e7) is False and s.t < 1e7
    s.stop()  # before it begins
    assert s.reach(1e7) is False
    assert s.reach(s.t + 0.01) is True


def test_runs_in_forked_processes():
    biela.Model.from_dict(ROD).run(until=0.1)  # the listener exists here
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            angle = biela.Model.from_dict(ROD).run(until=0.5)["A.angle"][-1]
            os.write(write, repr(float(angle)).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert float(os.read(read, 100)) == biela.Model.from_dict(ROD).run(until=0.5)["A.angle"][-1]
    os.close(read)
    os.close(write)
