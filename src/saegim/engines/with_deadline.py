"""Asking an embedder without waiting for it: late is as good as never, and the next one profits.

A question that cannot wait goes on without meaning; what it asked for is finished in a thread of
its own, which loads the model or wakes the server for whoever asks next.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final
from weakref import WeakKeyDictionary

from saegim.engines.embedder import Embedder, Identity, Vector
from saegim.errors import SaegimError, Unavailable

WARMING: Final = "semantic: warming"
# A question that came back late is often asked again; older ones are not.
_KEPT_ANSWERS: Final = 8
# Whatever an embedder fails with belongs to the one who asked, not to the thread.
_TROUBLES: Final = (
    SaegimError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)

Answer = tuple[Vector, Identity]


def ask(embedder: Embedder, text: str, seconds: float) -> Answer:
    """Return the vector of a question and the space it lies in, or raise within so many seconds.

    A local embedder that has answered before is loaded, and is asked directly.
    """
    return _patience_with(embedder).ask(embedder, text, seconds)


def is_warming(embedder: Embedder) -> bool:
    """Say whether a question to this embedder is still unanswered after its time."""
    return _patience_with(embedder).is_overdue


class _Asked:
    """One question on its way: answered, failed, or still open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ended = threading.Event()
        self.late = False
        self.answer: Answer | None = None
        self.trouble: BaseException | None = None

    def run(self, embedder: Embedder) -> None:
        """Ask and keep what comes back, whoever still waits for it."""
        try:
            self.answer = embedder.embed([self.text], "query")[0], embedder.identity
        except _TROUBLES as trouble:
            self.trouble = trouble
        finally:
            self.ended.set()

    def told(self) -> Answer:
        """Return the answer, or raise what came instead."""
        if self.trouble is not None:
            raise self.trouble
        if self.answer is None:
            raise Unavailable("engine.embedder_gave_no_answer")
        return self.answer


class Patience:
    """What is known of one embedder: whether it is loaded, and which questions are open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded = False
        self._open: list[_Asked] = []
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    @property
    def is_overdue(self) -> bool:
        """Say whether somebody has stopped waiting for a question that is still open."""
        with self._lock:
            self._take_in()
            return any(each.late for each in self._open)

    def ask(self, embedder: Embedder, text: str, seconds: float) -> Answer:
        """Return the answer if it comes in time."""
        if self._loaded and embedder.local:
            return embedder.embed([text], "query")[0], embedder.identity
        with self._lock:
            self._take_in()
            if text in self._answers:
                return self._answers.pop(text)
            if any(each.late for each in self._open):
                # One that hangs is enough: a second would hang beside it.
                raise _warming()
            asked = _Asked(text)
            self._open.append(asked)
        threading.Thread(
            target=asked.run, args=(embedder,), name="saegim-question", daemon=True
        ).start()
        if not asked.ended.wait(seconds):
            asked.late = True
            raise _warming()
        answer = asked.told()
        self._loaded = True
        return answer

    def _take_in(self) -> None:
        """Let go of what has ended, and keep the answers that nobody waited for."""
        for each in self._open:
            if each.late and each.ended.is_set() and each.answer is not None:
                self._loaded = True
                self._answers[each.text] = each.answer
        self._open = [each for each in self._open if not each.ended.is_set()]
        while len(self._answers) > _KEPT_ANSWERS:
            self._answers.popitem(last=False)


def _warming() -> Unavailable:
    return Unavailable("engine.words_answered_alone", warming=WARMING)


# As many as there are living embedders.
_PATIENCE: WeakKeyDictionary[Embedder, Patience] = WeakKeyDictionary()
_MAKING: Final = threading.Lock()


def _patience_with(embedder: Embedder) -> Patience:
    try:
        with _MAKING:
            held = _PATIENCE.get(embedder)
            if held is None:
                held = _PATIENCE[embedder] = Patience()
            return held
    except TypeError:
        # One that can be neither hashed nor referred to is asked as if for the first time.
        return Patience()
