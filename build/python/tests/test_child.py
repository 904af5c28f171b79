"""The process that computes: deaths, interrupts, forks, threads, full pipes."""

import _thread
import io
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ASPIRIN, RDX

import baca
from baca import _child
from baca._child import Question, child


def kill_when(condition, process):
    """Kills a process once a condition holds."""

    def wait():
        while not condition():
            time.sleep(0.001)
        os.kill(process, signal.SIGKILL)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_killed_between_calls(detector, running):
    want = detector.score_samples([ASPIRIN, RDX])
    os.kill(running, signal.SIGKILL)
    assert np.array_equal(detector.score_samples([ASPIRIN, RDX]), want)
    assert child._process.pid != running


def test_killed_under_way(monkeypatch, detector, molecules, running):
    """All rows are there, once and in their places."""
    many = molecules * 40
    want = np.tile(detector.score_samples(molecules), 40)
    answered = []
    receive = child.receive
    monkeypatch.setattr("baca._inputs._BYTES", 20_000)
    monkeypatch.setattr(child, "receive", lambda: (answered.append(1), receive())[1])
    thread = kill_when(lambda: len(answered) > 3, running)
    got = detector.score_samples(many)
    thread.join()
    assert child._process.pid != running
    assert np.array_equal(got, want)


def test_killed_in_training(molecules, running):
    """What would begin from nothing again is an error."""
    epochs = []
    thread = None
    with pytest.raises(baca.BacaError, match="ended before it answered; it ended with status -9"):
        listing = baca._inputs.read(molecules)

        def progress(p):
            nonlocal thread
            epochs.append(p["epoch"])
            thread = thread or kill_when(lambda: True, child._process.pid)

        child.ask(listing.question("train", epochs=100000, seed=1, name="x"), progress, again=False)
    thread.join()
    assert epochs and baca.Detector("drugs").predict(ASPIRIN).tolist() == [1]


def test_dies_always(monkeypatch, tmp_path, detector):
    child.close()
    broken = tmp_path / "baca"
    broken.write_text("#!/bin/sh\necho the disk is gone >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(_child, "program", lambda: str(broken))
    with pytest.raises(baca.BacaError, match="status 3: the disk is gone"):
        detector.scores(ASPIRIN)
    monkeypatch.setattr(_child, "program", lambda: str(tmp_path / "none"))
    with pytest.raises(baca.BacaError, match="cannot start"):
        detector.scores(ASPIRIN)
    monkeypatch.undo()
    assert detector.predict(ASPIRIN).tolist() == [1]


def test_interrupt(molecules):
    """A KeyboardInterrupt ends a training soon, and the next question is answered."""
    own = baca.Detector(epochs=1_000_000)
    timer = threading.Timer(1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # Python looks for interrupts between frames, which come ten times a second.
        own.fit(molecules)
    assert not child.running and not hasattr(own, "model_")
    assert baca.Detector("drugs").predict([ASPIRIN, RDX]).tolist() == [1, -1]


INTERRUPTED = """
import baca
detector = baca.Detector("drugs", epochs=1_000_000)
print(baca._child.child.running, detector.predict("CC(=O)Oc1ccccc1C(=O)O"), flush=True)
try:
    detector.fit(["C" * n for n in range(1, 60)])
except KeyboardInterrupt:
    print("interrupted", baca._child.child.running, baca.Detector("drugs").predict("CC(=O)Oc1ccccc1C(=O)O"), flush=True)
"""


def test_ctrl_c_of_a_terminal():
    """The signal reaches the whole group of processes, but the child only by way of Python."""
    p = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert p.stdout.readline() == "False [1]\n"
    time.sleep(0.5)
    os.killpg(p.pid, signal.SIGINT)
    assert p.stdout.readline() == "interrupted False [1]\n"
    assert p.wait() == 0
    p.stdout.close()


def alive(process):
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_ends_with_python():
    """A Python that is killed leaves no process behind, not even one that trains."""
    code = INTERRUPTED.replace("flush=True)", "baca._child.child._process.pid, flush=True)", 1)
    p = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    process = int(p.stdout.readline().split()[-1])
    time.sleep(0.5)
    assert alive(process)
    p.kill()
    p.wait()
    p.stdout.close()
    for _ in range(200):
        if not alive(process):
            return
        time.sleep(0.05)
    pytest.fail("the child outlives Python by ten seconds")


def _score(texts):
    return baca.Detector("drugs").score_samples(texts).tolist(), child._process.pid


def test_fork(detector, running):
    """Each process has a child of its own, and that of the parent goes on."""
    want = detector.score_samples([ASPIRIN, RDX]).tolist()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map(_score, [[ASPIRIN, RDX]] * 4, chunksize=1)
        assert detector.score_samples([ASPIRIN, RDX]).tolist() == want
    assert all(scores == want and process != running for scores, process in results)
    assert _score([ASPIRIN, RDX]) == (want, running)


def test_spawn():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_score, ([ASPIRIN],))[0] == _score([ASPIRIN])[0]


def test_threads(detector, molecules):
    want = detector.score_samples(molecules)
    got = [None] * 6

    def work(i):
        got[i] = baca.Detector(model="drugs" if i % 2 else "esol").score_samples(molecules)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(got))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(got[i], want) for i in (1, 3, 5))
    assert all(np.array_equal(got[i], got[0]) for i in (2, 4)) and not np.array_equal(got[0], want)


def test_full_pipes(detector):
    """Questions and answers that are larger than any pipe do not wait for each other."""
    refused = ["C" * 50 + "("] * 300_000
    refused[-1] = ASPIRIN
    with pytest.warns(baca.RefusedWarning, match="299999 of 300000"):
        scores = detector.scores(refused)
    assert np.isnan(scores[:-1]).all() and scores[-1] == detector.scores(ASPIRIN)[0]


def test_memory_is_bounded(detector, molecules, running):
    """Ten times as long a list takes the child no more memory."""

    def peak():
        with open(f"/proc/{child._process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

    detector.scores(molecules * 30)
    before = peak()
    detector.scores(molecules * 300)
    assert child._process.pid == running and peak() < before + 40


def test_many_models(tmp_path, molecules):
    """The child keeps some models, and is given others again."""
    others = molecules[40:50]  # molecules that were trained on score 0 by every model
    own = [baca.Detector(epochs=1, seed=seed).fit(molecules[:40]) for seed in range(1, 7)]
    first = [d.score_samples(others).tolist() for d in own]
    assert [d.score_samples(others).tolist() for d in own] == first
    assert len({tuple(scores) for scores in first}) == len(own)


def test_errors_leave_the_child(detector, running):
    with pytest.raises(ValueError, match="op"):
        child.ask(Question({"op": "guess", "model": "bbbp"}))
    with pytest.raises(ValueError):
        baca.Detector("drugs", alpha=0).scores(ASPIRIN)
    assert detector.predict(ASPIRIN).tolist() == [1] and child._process.pid == running


def test_progress(monkeypatch, detector, molecules):
    """A bar is shown in a terminal, and nothing elsewhere."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("baca._progress._DELAY", 0)
    for stderr, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stderr)
        baca.Detector(epochs=2).fit(molecules[:30])
        detector.explain(molecules[:3])
        detector.scores(molecules)
        assert all((f"{what}:" in stderr.getvalue()) == shown for what in ("training", "explaining", "scoring"))
    stderr.close()
    assert baca.Detector("drugs").predict(ASPIRIN).tolist() == [1]
