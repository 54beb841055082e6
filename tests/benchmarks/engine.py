"""The in-house engine compared with torch and other engines: the same programs, interleaved, as ratios to torch.

    OMP_NUM_THREADS=1 python -m tests.benchmarks.engine [--rounds 30] [--only WORDS]

Each round runs a program once on every engine; the table shows the ratio of the least times of the thread (below 1:
faster than torch), which other work on the machine disturbs less than others. Memory and imports are measured in
processes of their own. Engines that are not installed are left out. Nothing here is a test: these numbers belong to a
machine.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.benchmarks.programs import ENGINES, GRAPH, Program, programs_of

# What chooses the kernels of numpy's library, OpenBLAS; left alone it takes those of the processor, as torch's does.
CHOSEN = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


# Measuring ----------------------------------------------------------------------------------------


def seconds(program: Program) -> float:
    started = time.thread_time()
    program()
    return time.thread_time() - started


def least(programs: dict[str, Program], rounds: int) -> dict[str, float]:
    """The least time of each program, run in turn."""
    for program in programs.values():
        program()
    times = [{name: seconds(program) for name, program in programs.items()} for _ in range(rounds)]
    return {name: min(each[name] for each in times) for name in programs}


def _resident() -> int:
    """Bytes that this process has in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def kept(engine: str) -> float:
    """Growth of a process for each node of graphs that are kept; of a new one, which has no memory to use again."""
    graph = programs_of(engine)[GRAPH]
    graph()
    gc.collect()
    before = _resident()
    graphs = [graph() for _ in range(100)]
    return (_resident() - before) / (len(graphs) * 1000)


def left(engine: str, name: str) -> float:
    """Growth of a new process, cyclic collection off, for each node of graphs that nothing refers to any more."""
    program = programs_of(engine)[name]
    gc.collect()
    gc.disable()
    for _ in range(10):
        program()
    before = _resident()
    for _ in range(40):
        program()
    return (_resident() - before) / (40 * 1000)


def import_seconds(module: str) -> float:
    """The least processor time of an import whose bytecode is cached, as it is where a package is installed."""
    code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        command = [sys.executable, "-c", code]
        return min(
            float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
            for _ in range(5)
        )


def print_row(name: str, found: dict[str, float], columns: list[str], digits: int = 2) -> None:
    cells = [f"{found[c]:15.{digits}f}" if c in found else f"{'-':>15}" for c in columns]
    print(f"{name:42}" + "".join(cells), flush=True)


def to_torch(found: dict[str, float]) -> dict[str, float]:
    return {engine: value / found["torch"] for engine, value in found.items()}


def print_times(engines: list[str], rounds: int, words: str) -> None:
    programs = {engine: programs_of(engine) for engine in engines}
    for name in programs["torch"]:
        if words in name:
            able = {engine: given[name] for engine, given in programs.items() if name in given}
            print_row(name, to_torch(least(able, rounds if "000,000" not in name else 2)), engines)


def print_memory(engines: list[str]) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        graphs = dict(zip(engines, pool.map(kept, engines), strict=True))
        print_row("bytes a node of graph", graphs, engines, 0)
        print_row("bytes a node of graph, in ratio", to_torch(graphs), engines)
        for words, name in (("backward", "chain of 1000 by numbers (1,)"), ("dropping", GRAPH)):
            found = dict(zip(engines, pool.map(left, engines, [name] * len(engines)), strict=True))
            print_row(f"bytes a node left after {words}", found, engines, 0)


def print_imports(engines: list[str]) -> None:
    print_row("import", to_torch({engine: import_seconds(ENGINES[engine][0]) for engine in engines}), engines)
    print_row("import of numpy", {"inhouse": import_seconds("numpy") / import_seconds("torch")}, engines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", default="")
    known = parser.parse_args()
    for name in CHOSEN:
        os.environ.pop(name, None)
    import torch

    torch.set_num_threads(1)
    engines = [
        engine
        for engine, (module, _) in ENGINES.items()
        if importlib.util.find_spec(module.partition(".")[0]) is not None
    ]
    print(
        f"{'ratio to torch (least of ' + str(known.rounds) + ')':42}" + "".join(f"{e:>15}" for e in engines)
    )
    print_times(engines, known.rounds, known.only)
    if not known.only:
        print_memory(engines)
        print_imports(engines)


if __name__ == "__main__":
    main()
