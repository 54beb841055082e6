"""Tasks in processes of their own: a fault may hang, crash or leave anything behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

T = TypeVar("T")


class ProcessDied(Exception):  # noqa: N818 - what became of a process
    """The process ended without an answer."""


def forked(tasks: Sequence[Callable[[], T]], processes: int) -> Iterator[tuple[int, T | ProcessDied]]:
    """Run each task in a fork of this process, some at a time; yields number and result as they finish.

    The tasks find all that is loaded here, and change none of it.

    Raises:
        Exception: what a task raised.
    """
    return _apart(multiprocessing.get_context("fork"), tasks, processes)


def fresh(tasks: Sequence[Callable[[], T]], processes: int) -> Iterator[tuple[int, T | ProcessDied]]:
    """As :func:`forked`, in interpreters that load everything anew: a fork would share torch's threads."""
    return _apart(multiprocessing.get_context("spawn"), tasks, processes)


@contextmanager
def _starting(context: ForkContext | SpawnContext) -> Iterator[None]:
    """Inside, processes are started that an interrupt of this one does not reach, from their first moment.

    One that comes meanwhile waits until it is over: who interrupts the run means the process that waits for the others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if isinstance(context, SpawnContext):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # if it had to be started inside, that would end the wait
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


BUSY = 60
"""Seconds of a processor that a task may take where nobody waits for it."""


class FromTheEnd(Generic[T]):
    """Tasks that a fork of this process does from the last towards the first, while this one goes the other way.

    Nobody waits for it: what it has not done, or could not do, is for this process to do. What it prints is dropped.
    The system ends it at a task without end, which may hear of nothing else: else it would outlive a killed process.
    """

    def __init__(self, tasks: Sequence[Callable[[], T | None]]) -> None:
        context = multiprocessing.get_context("fork")
        self._results: dict[int, T | None] = {}
        self._receiver, sender = context.Pipe(duplex=False)
        self._process: BaseProcess | None = context.Process(
            target=_send_from_the_end, args=(tasks, sender, self._receiver), daemon=True
        )
        with _starting(context):
            self._process.start()
        sender.close()

    def take(self, number: int) -> T | None:
        """What a task has left there; None where it is to be done here."""
        try:
            while self._process is not None and self._receiver.poll():
                done, result = self._receiver.recv()
                self._results[done] = result
        except (EOFError, OSError):
            self.close()
        if number in self._results:  # and so is all that comes after it
            self.close()
        return self._results.pop(number, None)

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
            self._receiver.close()


def _send_from_the_end(
    tasks: Sequence[Callable[[], T | None]], sender: Connection, receiver: Connection
) -> None:
    receiver.close()  # else it would wait for ever to be read, once the process that does so was killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also where `_starting` does nothing
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process lives
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for number in reversed(range(len(tasks))):
        signal.setitimer(signal.ITIMER_PROF, BUSY)
        try:
            result = tasks[number]()
        except Exception:  # as will be seen where it is done again
            result = None
        sender.send((number, result))


def _apart(
    context: ForkContext | SpawnContext, tasks: Sequence[Callable[[], T]], processes: int
) -> Iterator[tuple[int, T | ProcessDied]]:
    waiting = list(enumerate(tasks))[::-1]
    running: dict[Connection, tuple[int, BaseProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                number, task = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                process: BaseProcess = context.Process(target=_send, args=(task, sender), daemon=True)
                with _starting(context):
                    process.start()
                    running[receiver] = number, process
                sender.close()
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                finished = running.pop(ready)
                yield finished[0], _received(ready, finished[1])
    finally:
        for _, process in running.values():
            process.terminate()


class _Failed:
    """A task's answer where it raised something."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _send(task: Callable[[], T], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also where `_starting` does nothing
    answer: T | _Failed
    try:
        answer = task()
    except Exception as error:
        answer = _Failed(error)
    sender.send(answer)


def _received(receiver: Connection, process: BaseProcess) -> T | ProcessDied:
    try:
        answer: T | _Failed = receiver.recv()
    except EOFError:
        process.join()
        return ProcessDied(f"the process died with exit code {process.exitcode}")
    finally:
        receiver.close()
    process.join()
    if isinstance(answer, _Failed):
        raise answer.error
    return answer
