"""Run tasks in separate processes, since a task may hang, crash or leave state behind."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from conformance.runner.limit import be_expendable

T = TypeVar("T")


class CannotForkError(OSError):
    """This system does not fork processes, as Windows."""


class ProcessDied(Exception):  # noqa: N818 - the outcome of a process
    """The process ended without an answer."""


def forked(tasks: Sequence[Callable[[], T]], processes: int) -> Iterator[tuple[int, T | ProcessDied]]:
    """Run each task in a fork of this process, ``processes`` at a time; yields number and result as they finish.

    The tasks see everything that is loaded here, and cannot change it.

    Raises:
        Exception: what a task raised.
        CannotForkError: the system has no forks.
    """
    if not hasattr(os, "fork"):
        raise CannotForkError("this command forks processes, which this system cannot do: use Linux or macOS")
    return _apart(multiprocessing.get_context("fork"), tasks, processes)


def apart(task: Callable[[], T]) -> T | ProcessDied:
    """Run one task in a fork of this process, which may be one itself.

    Raises:
        Exception: what the task raised.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receiver)
            answer = pickle.dumps(_answer(task))
            with os.fdopen(sender, "wb") as file:
                file.write(answer)
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        content = file.read()
    _, status = os.waitpid(child, 0)
    if not content:
        return ProcessDied(f"the process died with exit code {os.waitstatus_to_exitcode(status)}")
    found: T | _Failed = pickle.loads(content)
    if isinstance(found, _Failed):
        raise found.error
    return found


def fresh(tasks: Sequence[Callable[[], T]], processes: int) -> Iterator[tuple[int, T | ProcessDied]]:
    """Like :func:`forked`, but in new interpreters, since a fork would share torch's threads."""
    return _apart(multiprocessing.get_context("spawn"), tasks, processes)


@contextmanager
def _starting(context: ForkContext | SpawnContext) -> Iterator[None]:
    """Start processes inside, which do not receive this process's interrupts.

    An interrupt is delayed until the end of the block: it is meant for the process that waits for the others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if isinstance(context, SpawnContext):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # starting it inside would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


BUSY = 60
"""Processor seconds that a background task may take."""


class FromTheEnd(Generic[T]):
    """A fork of this process that runs tasks from the last to the first, while this process starts at the first.

    This process never waits for the fork: it runs every task that the fork has not finished or could not run. The
    fork's output is discarded. A timer of the system ends it in an endless task; otherwise it could outlive its parent.
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
        """The fork's result of a task; None if this process has to run it."""
        try:
            while self._process is not None and self._receiver.poll():
                done, result = self._receiver.recv()
                self._results[done] = result
        except (EOFError, OSError):
            self.close()
        if number in self._results:  # all later tasks are done, too
            self.close()
        return self._results.pop(number, None)

    def close(self) -> None:
        """End the fork."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
            self._receiver.close()


def _send_from_the_end(
    tasks: Sequence[Callable[[], T | None]], sender: Connection, receiver: Connection
) -> None:
    receiver.close()  # otherwise sending would block forever if the parent is killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also where `_starting` does nothing
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process lives
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for number in reversed(range(len(tasks))):
        signal.setitimer(signal.ITIMER_PROF, BUSY)
        try:
            result = tasks[number]()
        except Exception:  # the parent runs the task again and sees the error
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
    """The answer of a task that raised an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _answer(task: Callable[[], T]) -> T | _Failed:
    try:
        return task()
    except Exception as error:
        return _Failed(error)


def _send(task: Callable[[], T], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also where `_starting` does nothing
    be_expendable()
    sender.send(_answer(task))


def _received(receiver: Connection, process: BaseProcess) -> T | ProcessDied:
    try:
        answer: T | _Failed = receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -getattr(signal, "SIGPROF", 0):
            return ProcessDied("the process hung, and was ended")
        return ProcessDied(f"the process died with exit code {process.exitcode}")
    finally:
        receiver.close()
    process.join()
    if isinstance(answer, _Failed):
        raise answer.error
    return answer
