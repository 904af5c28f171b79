"""The program that computes: one long-lived process, asked by frames over pipes.

A frame is two lengths of four bytes, a JSON header and a body. ``go doc
baca/build/service/pipe`` describes what is asked and answered.
"""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import tempfile
import threading
from collections import deque
from pathlib import Path
from typing import IO, Any, Callable, Iterable, Iterator, NamedTuple, Optional

# So many questions may be asked before the first answer is read: the program
# takes as many, so that neither side waits for the other for ever.
AHEAD = 4

_LENGTHS = struct.Struct("<II")
_STDERR_SHOWN = 2000


class BacaError(RuntimeError):
    """The program that computes cannot be started, or ended before it answered."""


class _Died(Exception):
    """The pipe is closed on the other side."""


class Question(NamedTuple):
    """The header and the body of a frame that is sent."""

    header: dict[str, Any]
    body: bytes = b""


class Answer(NamedTuple):
    """The header and the body of a frame that is received."""

    header: dict[str, Any]
    body: bytearray


class Model(NamedTuple):
    """What questions are about: the name of a built-in model, or the SHA-256 of a file."""

    name: str
    file: Optional[bytes]  # None for a built-in model
    alpha: float
    confidence: float = 0


def program() -> str:
    """Returns the path of the command that comes with the package."""
    path = Path(__file__).parent / "bin" / ("baca.exe" if os.name == "nt" else "baca")
    if not path.exists():
        raise BacaError(f"{path} is missing: install the wheel of this system, which has the program in it")
    return str(path)


class Child:
    """A process that answers questions. Any number of threads may ask; one at a time is served.

    If the process dies it is started again and is asked again what it has not
    answered. If it dies twice without an answer, that is an error. A
    KeyboardInterrupt ends the process, since an answer may be half read; the
    next question starts another.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._stderr: Optional[IO[bytes]] = None
        self._count = 0

    def ask(self, question: Question, progress: Optional[Callable[[dict[str, Any]], None]] = None, again: bool = True) -> Answer:
        """Returns the answer to one question that is about no model."""
        answers: list[Answer] = []
        self.stream([question], answers.append, None, progress, again)
        return answers[0]

    def stream(
        self,
        questions: Iterable[Question],
        answered: Callable[[Answer], None],
        model: Optional[Model] = None,
        progress: Optional[Callable[[dict[str, Any]], None]] = None,
        again: bool = True,
    ) -> dict[str, Any]:
        """Asks questions about a model, and passes the answers on in order.

        Questions are taken from the iterable as the program gets on, so that
        few of them are in memory. With ``again`` unset a death is an error at
        once. Returns what the program says of the model, {} without one.

        Raises ValueError with what the program says of a question that it
        cannot answer, and BacaError.
        """
        with self._lock:
            try:
                return _Stream(self, iter(questions), answered, model, progress, again).run()
            except _Refusal as refusal:  # all answers are read
                raise ValueError(str(refusal)) from None
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Ends the process, if there is one."""
        with self._lock:
            process, self._process = self._process, None
            if process is None:
                return
            process.kill()
            for pipe in (process.stdin, process.stdout, self._stderr):
                if pipe is not None:
                    pipe.close()
            process.wait()

    @property
    def running(self) -> bool:
        """Whether there is a process that has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the process, which does not see the ctrl-C of a terminal."""
        self._stderr = tempfile.TemporaryFile()
        apart: dict[str, Any] = {"start_new_session": True}
        if os.name == "nt":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
        try:
            self._process = subprocess.Popen(
                [program(), "pipe"], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, **apart
            )
        except OSError as error:
            raise BacaError(f"cannot start {program()}: {error}") from error

    def last_words(self) -> str:
        """Returns how the process ended, and the end of what it wrote to standard error."""
        process, words = self._process, ""
        if process is None or self._stderr is None:
            return words
        try:
            status = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        words = f"it ended with status {status}"
        end = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, end - _STDERR_SHOWN))
        text = self._stderr.read().decode("utf-8", "replace").strip()
        return f"{words}: {text}" if text else words

    def send(self, question: Question) -> int:
        """Writes a frame and returns its id."""
        assert self._process is not None and self._process.stdin is not None
        self._count += 1
        header = json.dumps({"id": self._count, **question.header}).encode()
        rest = memoryview(_LENGTHS.pack(len(header), len(question.body)) + header + question.body)
        try:
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
        except OSError as error:
            raise _Died from error
        return self._count

    def receive(self) -> Answer:
        """Reads a frame."""
        header, body = _LENGTHS.unpack(self._read(_LENGTHS.size))
        return Answer(json.loads(self._read(header)), self._read(body))

    def _read(self, size: int) -> bytearray:
        assert self._process is not None and self._process.stdout is not None
        data = bytearray(size)
        rest = memoryview(data)
        while rest:
            count = self._process.stdout.readinto(rest)  # type: ignore[attr-defined]
            if not count:
                raise _Died
            rest = rest[count:]
        return data

    def forget(self) -> None:
        """Leaves the process to the parent, after a fork."""
        process, self._process = self._process, None
        self._lock = threading.RLock()
        if process is not None:
            for pipe in (process.stdin, process.stdout, self._stderr):
                if pipe is not None:
                    pipe.close()
            process.returncode = 0  # it is not for this process to wait for


class _Refusal(Exception):
    """What the program says of a question that it cannot answer."""


class _Stream:
    """Questions on their way, of one call of :meth:`Child.stream`."""

    def __init__(
        self,
        child: Child,
        questions: Iterator[Question],
        answered: Callable[[Answer], None],
        model: Optional[Model],
        progress: Optional[Callable[[dict[str, Any]], None]],
        again: bool,
    ) -> None:
        self.child, self.questions, self.answered, self.model = child, questions, answered, model
        self.progress, self.again = progress, again
        self.pending: deque[Question] = deque()
        self.refusal: Optional[str] = None
        self.more = True
        self.about: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """Goes on until all is answered, with another process if one dies."""
        deaths, ready = 0, False
        while True:
            try:
                if not ready:
                    self.begin()
                    ready = True
                self.fill()
                if not self.pending:
                    break
                answer = self.child.receive()
            except _Died:
                deaths, ready = deaths + 1, False
                words = self.child.last_words()
                self.child.close()
                if deaths > 1 or not self.again:
                    raise BacaError(f"the program that computes ended before it answered; {words}") from None
                continue
            if self.take(answer):
                deaths = 0
        if self.refusal is not None:
            raise _Refusal(self.refusal)
        return self.about

    def begin(self) -> None:
        """Sees to it that there is a process that has the model, and asks again what was asked."""
        if not self.child.running:
            self.child.close()
            self.child.start()
        if self.model is not None and not self.open(self.model):
            self.questions, self.more = iter(()), False
        for question in self.pending:
            self.child.send(question)

    def open(self, model: Model) -> bool:
        """Tells whether the process has the model, to which it is sent if need be."""
        about = Question({"op": "about", "model": model.name, "alpha": model.alpha, "confidence": model.confidence})
        answer = self.exchange(about)
        if answer.header.get("unknown") and model.file is not None:
            answer = self.exchange(Question({"op": "open"}, model.file))
            if "error" not in answer.header:
                answer = self.exchange(about)
        if "error" in answer.header:
            self.refusal = answer.header["error"]
            return False
        self.about = answer.header["about"]
        return True

    def exchange(self, question: Question) -> Answer:
        """Asks while no other question is on its way."""
        self.child.send(question)
        return self.child.receive()

    def fill(self) -> None:
        """Asks as much as may be on its way."""
        while self.more and self.refusal is None and len(self.pending) < AHEAD:
            question = next(self.questions, None)
            if question is None:
                self.more = False
                return
            self.pending.append(question)
            self.child.send(question)

    def take(self, answer: Answer) -> bool:
        """Passes an answer on, and tells whether it is one and not progress."""
        if "progress" in answer.header:
            if self.progress is not None:
                self.progress(answer.header["progress"])
            return False
        self.pending.popleft()
        if "error" in answer.header:
            self.refusal = self.refusal or answer.header["error"]
        elif self.refusal is None:
            self.answered(answer)
        return True


child = Child()
atexit.register(child.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=child.forget)
