"""The suite compared with plain pytest tests on torch alone: the same programs, as ratios of times.

    OMP_NUM_THREADS=1 python tests/benchmarks/suite.py [--count 1000] [--rounds 5] [--large 10000]

Programs are generated into a folder that is dropped afterwards. Every run is a process of its own and includes start,
collection and report; the rounds are interleaved, and the table shows the least of each: of wall times, and of
processor times, which other work on the machine disturbs less. Bytecode is cached, as it is where packages are
installed. Nothing here is a test: these numbers belong to a machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROGRAM = """\
x = torch.tensor([{number}.0, 2.0], requires_grad=True)
w = torch.full((2,), 0.5, requires_grad=True)
y = x * w
z = y.exp() if {number} % 2 else y * y
s = (z + x).sum()
s.backward()
g = x.grad * 2
v = g.view(2, 1)
"""
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


def indented(text: str, by: int) -> str:
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def write_scenarios(path: Path, count: int) -> None:
    """The programs as scenarios: every state is compared after every statement."""
    parts = ["scenarios:\n"]
    for number in range(count):
        parts.append(f"  - id: program-{number}\n    title: program {number} runs\n    run: |\n")
        parts.append(indented(PROGRAM.format(number=number % 7), 6))
    path.write_text("".join(parts))


def write_tests(path: Path, count: int) -> None:
    """The programs as one parametrised test on torch, which asks for the gradients alone."""
    path.write_text(
        f"import pytest\nimport torch\n\n\n@pytest.mark.parametrize('number', range({count}))\n"
        "def test_program(number):\n    number = number % 7\n"
        + indented(PROGRAM.replace("{number}.0", "float(number)").replace("{number}", "number"), 4)
        + "    expected = (w.exp() * 0 + w * (x * w).exp() + 1) if number % 2 else 2 * x * w * w + 1\n"
        "    assert torch.allclose(x.grad, expected)\n    assert v.shape == (2, 1)\n"
    )


@dataclass(frozen=True)
class Taken:
    """What a process took: wall time and processor time in seconds, and its largest memory in MB."""

    wall: float
    processor: float
    memory: float


def run(command: list[str], folder: Path) -> Taken:
    """Run a process that must succeed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    started = time.perf_counter()
    child = os.fork()
    if not child:
        os.chdir(folder)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execve(command[0], command, environment)
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"failed with {status}: {' '.join(command)}")
    wall = time.perf_counter() - started
    return Taken(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def commands(count: int) -> dict[str, list[str]]:
    scenarios, conformance = f"scenarios{count}.yaml", [sys.executable, "-m", "conformance"]
    return {
        "import torch": [sys.executable, "-c", "import torch"],
        f"{count} plain tests on torch alone": [*PYTEST, "test_plain.py"],
        f"{count} scenarios on torch and the engine": [*PYTEST, scenarios],
        f"{count} scenarios, torch's answers stored": [*PYTEST, "--reference", "torch.json", scenarios],
        f"collection of {count} scenarios": [*PYTEST, "--collect-only", scenarios],
        f"lint of {count} scenarios": [*conformance, "lint", scenarios],
        f"{count} scenarios, -n 2": [*PYTEST, "-n", "2", scenarios],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", type=int, default=0, help="also run this many scenarios once")
    known = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_scenarios(folder / f"scenarios{known.count}.yaml", known.count)
        write_tests(folder / "test_plain.py", known.count)
        record = ["-m", "conformance", "record", "-o", "torch.json", "--in", f"scenarios{known.count}.yaml"]
        run([sys.executable, *record], folder)
        runs = commands(known.count)
        for command in runs.values():  # which writes the bytecode
            run(command, folder)
        taken: dict[str, list[Taken]] = {each: [] for each in runs}
        for _ in range(known.rounds):
            for each, command in runs.items():
                taken[each].append(run(command, folder))
        bare, plain = list(taken)[:2]
        for what in ("wall", "processor"):
            least = {each: min(getattr(one, what) for one in found) for each, found in taken.items()}
            print(f"{what + ' time':45}{'seconds':>10}{'to import':>12}{'to plain':>12}")
            for each, seconds in least.items():
                print(f"{each:45}{seconds:10.2f}{seconds / least[bare]:12.2f}{seconds / least[plain]:12.2f}")
        if known.large:
            write_scenarios(folder / f"scenarios{known.large}.yaml", known.large)
            one = run([*PYTEST, f"scenarios{known.large}.yaml"], folder)
            least_of = min(
                each.processor for each in taken[f"{known.count} scenarios on torch and the engine"]
            )
            print(f"{known.large} scenarios on torch and the engine: {one.wall:.1f} s, {one.processor:.1f} s of the "
                  f"processor ({least_of:.1f} for {known.count}), {one.memory:.0f} MB")  # fmt: skip


if __name__ == "__main__":
    main()
