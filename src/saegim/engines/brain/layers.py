"""The layers of a network, in small whole numbers, as onnxruntime runs them: reports to nobody."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain.model import Tensors, damaged
from saegim.engines.embedder import Dense
from saegim.errors import EngineError
from saegim.messages import Message

# Read by onnxruntime when it is loaded, and never again.
NO_REPORTS: Final = "ORT_DISABLE_TELEMETRY"
# More at once would be no quicker, and each holds the room it works in.
_AT_ONCE: Final = BoundedSemaphore(os.cpu_count() or 1)


class Layers:
    """Rows of numbers in, states out, on one thread: a machine has other work to do."""

    def __init__(self, graph: npt.NDArray[np.uint8], outs: Sequence[str], path: Path) -> None:
        # Left alone it writes down a number for this machine and reports to its maker how it is
        # used. Nothing of that is done if this stands there before it is first imported.
        os.environ[NO_REPORTS] = "1"
        try:
            import onnxruntime
            from onnxruntime.capi import onnxruntime_pybind11_state as told
        except (ImportError, OSError, AttributeError) as error:
            raise EngineError("engine.onnxruntime_not_loaded", failure=str(error)) from error
        onnxruntime.disable_telemetry_events()
        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._outs, self._path = list(outs), path
        self._refused = (
            told.Fail, told.InvalidArgument, told.InvalidGraph, told.InvalidProtobuf,
            told.NotImplemented, told.RuntimeException,
        )  # fmt: skip
        try:
            self._session: Any = onnxruntime.InferenceSession(
                graph.tobytes(), options, providers=["CPUExecutionProvider"]
            )
        except self._refused as error:
            raise self._damaged() from error
        # It would keep the file's bytes beside its own copy, to begin anew with another provider.
        self._session._model_bytes = None
        given = [(each.name, each.shape[-1]) for each in self._session.get_inputs()]
        if [name for name, _ in given] != ["rows"]:
            raise self._damaged()
        self.width: int = given[0][1]
        if [each.name for each in self._session.get_outputs()] != self._outs:
            raise self._damaged()

    def read(self, rows: Dense) -> list[Dense]:
        """Return the states of one text."""
        try:
            with _AT_ONCE:
                made = self._session.run(self._outs, {"rows": rows[None]})
        except self._refused as error:
            raise self._damaged() from error
        return [each[0] for each in made]

    def _damaged(self) -> EngineError:
        return damaged(self._path, Message("engine.file_not_model_this_kind"))


def own_layers(tensors: Tensors) -> Layers:
    """Return the last layers of a reader, which go on from the encoder's middle."""
    graph = tensors.arrays().get("layers")
    if graph is None:
        raise damaged(tensors.path, Message("engine.file_not_model_this_kind"))
    return Layers(graph, ("states",), tensors.path)
