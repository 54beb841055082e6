"""Worker processes of DataLoader (torch: utils/data/_utils/worker.py).

Note [Batches in turn]: torch assigns the indices of the batches to its workers in turn, two batches ahead of the program
for each, and returns the batches in that order. So here each worker has its own pipe, and the next batch is the next
message of the worker whose turn it is. Workers whose stream has ended are skipped.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...._aten.random.random import manual_seed
from ...._c10.context import set_num_threads
from ..sampler import drawn_seed

if TYPE_CHECKING:
    from ..dataloader import DataLoader

_PATIENCE = 5  # seconds after which a worker checks whether the main process is alive


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """The id, number, seed and dataset of a worker."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


WorkerInfo.__module__ = "torch.utils.data._utils.worker"
info: WorkerInfo | None = None
"""The info of this process if it is a worker."""


class _Exhausted:
    """Sent instead of a batch when the worker's stream has ended."""


class _Failure:
    """An error of a worker, with its traceback (torch: _utils.py, ExceptionWrapper)."""

    def __init__(self, error: Exception, worker: int) -> None:
        shown = "".join(traceback.format_exception(error))
        self.kind = type(error)
        self.text = f"Caught {self.kind.__name__} in DataLoader worker process {worker}.\nOriginal {shown}"

    def error(self) -> Exception:
        if self.kind is KeyError:
            return KeyError(_MultilineMessage(self.text))
        try:
            return self.kind(self.text)
        except Exception:
            return RuntimeError(self.text)


class _MultilineMessage(str):
    """A string whose repr is itself, so that KeyError prints its lines."""

    def __repr__(self) -> str:
        return str(self)


def _worker_loop(pipe: Any, loader: DataLoader, worker: int, base_seed: int) -> None:
    """A worker process: fetch the batch of each requested index, until None is received."""
    global info
    seed = base_seed + worker
    set_num_threads(1)
    random.seed(seed)
    manual_seed(seed)
    entropy = (worker, base_seed & 0xFFFFFFFF, base_seed >> 32, 0)
    np.random.seed(np.random.SeedSequence(entropy).generate_state(4))
    info = WorkerInfo(worker, loader.num_workers, seed, loader.dataset)
    found: Any
    failed: _Failure | None = None
    try:
        if loader.worker_init_fn is not None:
            loader.worker_init_fn(worker)
        fetch = loader._fetcher()
    except Exception as error:
        failed = _Failure(error, worker)
    ended = False
    program = os.getppid()
    while True:
        while not pipe.poll(_PATIENCE):
            if os.getppid() != program:
                return
        asked = pipe.recv()
        if asked is None:
            return
        (place,) = asked
        if place is _Exhausted:  # the next pass
            fetch, ended = loader._fetcher(), False
            continue
        if ended:
            continue
        if failed:
            found, failed = failed, None
        else:
            try:
                found = fetch(place)
            except StopIteration as error:
                ended = loader._iterable
                found = _Exhausted() if ended else _Failure(error, worker)
            except Exception as error:
                found = _Failure(error, worker)
        pipe.send(found)


class WorkerPass:
    """An iteration over the data by worker processes; its length is that of the whole pass.

    Raises:
        RuntimeError: no batch arrived within ``timeout`` seconds, or a worker died.
        Exception: the error of a worker, of the same type if that accepts a message.
    """

    _processes: Sequence[Any] = ()

    def __init__(self, loader: DataLoader) -> None:
        self._loader = loader
        base_seed = drawn_seed(loader.generator)
        context: Any = loader.multiprocessing_context or multiprocessing
        self._pipes: list[Any] = []
        self._processes = processes = []
        for worker in range(loader.num_workers):
            pipe, theirs = context.Pipe()
            args = (theirs, loader, worker, base_seed)
            process = context.Process(target=_worker_loop, args=args, daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(pipe)
            processes.append(process)
        self._start()

    def again(self) -> WorkerPass:
        """Begin the next pass with the same workers."""
        for turn in self._waiting:
            if self._active[turn]:
                self._pipes[turn].recv()  # of the abandoned pass
        for pipe in self._pipes:
            pipe.send((_Exhausted,))
        self._start()
        return self

    def _start(self) -> None:
        loader = self._loader
        self._order: Iterator[Any] = iter(loader._places)
        self._active = [True] * loader.num_workers
        self._turn = 0
        self._waiting: deque[int] = deque()  # the workers of the outstanding batches, in order
        for _ in range(loader.prefetch_factor * loader.num_workers):
            self._request_next()

    def _request_next(self) -> None:
        """Send the next index to the worker whose turn it is."""
        place = next(self._order, _Exhausted)
        if place is _Exhausted or not any(self._active):
            return
        count = len(self._pipes)
        turn = next(
            each % count for each in range(self._turn, self._turn + count) if self._active[each % count]
        )
        self._turn = turn + 1
        self._pipes[turn].send((place,))
        self._waiting.append(turn)

    def __iter__(self) -> WorkerPass:
        return self

    def __next__(self) -> Any:
        while self._waiting:
            turn = self._waiting.popleft()
            if not self._active[turn]:
                continue
            found = self._received(turn)
            if isinstance(found, _Exhausted):
                self._active[turn] = False
                self._request_next()
                continue
            self._request_next()
            if isinstance(found, _Failure):
                raise found.error()
            return found
        if not self._loader.persistent_workers:
            self.stop()
        raise StopIteration

    def _received(self, turn: int) -> Any:
        pipe, timeout = self._pipes[turn], self._loader.timeout
        if timeout and not pipe.poll(timeout):
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
        try:
            return pipe.recv()
        except (EOFError, ConnectionResetError):
            pid = self._processes[turn].pid
            raise RuntimeError(f"DataLoader worker (pid(s) {pid}) exited unexpectedly") from None

    def __len__(self) -> int:
        return len(self._loader._places)

    def stop(self) -> None:
        """Stop the workers; batches that were sent but not received are lost."""
        processes, self._processes = self._processes, ()
        for pipe, process in zip(self._pipes, processes, strict=True):
            try:
                pipe.send(None)
                while True:
                    pipe.recv_bytes()
            except (EOFError, OSError):  # the worker has ended and closed its pipe
                process.join()

    def __del__(self) -> None:
        if self._processes:
            self.stop()
