"""Tasks in processes of their own: a fault may hang, crash or leave anything behind."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

T = TypeVar("T")


class Died(Exception):  # noqa: N818 - what became of a process
    """The process ended without an answer."""


def forked(tasks: Sequence[Callable[[], T]], processes: int) -> Iterator[tuple[int, T | Died]]:
    """Run each task in a fork of this process, some at a time; yields number and result as they finish.

    The tasks find all that is loaded here, and change none of it.

    Raises:
        Exception: what a task raised.
    """
    return _apart(multiprocessing.get_context("fork"), tasks, processes)


def fresh(tasks: Sequence[Callable[[], T]], processes: int) -> Iterator[tuple[int, T | Died]]:
    """As :func:`forked`, in interpreters that load everything anew: a fork would share torch's threads."""
    return _apart(multiprocessing.get_context("spawn"), tasks, processes)


def _apart(
    context: ForkContext | SpawnContext, tasks: Sequence[Callable[[], T]], processes: int
) -> Iterator[tuple[int, T | Died]]:
    waiting = list(enumerate(tasks))[::-1]
    running: dict[Connection, tuple[int, BaseProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                number, task = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                process: BaseProcess = context.Process(target=_send, args=(task, sender), daemon=True)
                process.start()
                sender.close()
                running[receiver] = number, process
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                finished = running.pop(ready)
                yield finished[0], _received(ready, finished[1])
    finally:
        for _, process in running.values():
            process.terminate()


class _Answer(Generic[T]):
    def __init__(self, result: T | None, error: Exception | None) -> None:
        self.result, self.error = result, error


def _send(task: Callable[[], T], sender: Connection) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # who interrupts the run means the process that waits for this one
    try:
        answer = _Answer(task(), None)
    except Exception as error:
        answer = _Answer(None, error)
    sender.send(answer)


def _received(receiver: Connection, process: BaseProcess) -> T | Died:
    try:
        answer: _Answer[T] = receiver.recv()
    except EOFError:
        process.join()
        return Died(f"the process died with exit code {process.exitcode}")
    finally:
        receiver.close()
    process.join()
    if answer.error is not None:
        raise answer.error
    return answer.result  # type: ignore[return-value]
