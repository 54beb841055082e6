"""Run many batches of random programs in processes, with a result file from which a run can continue."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from conformance.adapters.registry import find
from conformance.fuzz.features import Pair
from conformance.fuzz.scope import Program, prelude
from conformance.fuzz.search import FoundDivergence, Note, Tally, batch_seeds, scenario_of, search, skeleton
from conformance.runner.checked_lines import DamagedError, loads, read_bytes
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.last_words import LastWords
from conformance.runner.last_words import read as last_place
from conformance.runner.output import write_text
from conformance.runner.processes import ProcessDied, fresh


@dataclass(frozen=True)
class Found:
    """A divergence as plain data; without statements if torch itself ended the process."""

    seed: int
    statements: tuple[str, ...]
    difference: str
    kind: tuple[str, ...]

    @property
    def program(self) -> Program:
        """The program again."""
        return Program(self.statements)


@dataclass
class Campaign:
    """The state of a run; ``done`` are the seeds of its finished batches."""

    engine: str
    seed: int
    tally: Tally = field(default_factory=Tally)
    done: list[int] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data for the result file."""
        return {
            "engine": self.engine,
            "seed": self.seed,
            "programs": self.tally.programs,
            "statements": self.tally.statements,
            "features": dict(self.tally.features),
            "pairs": [[*pair, count] for pair, count in self.tally.pairs.items()],
            "done": self.done,
            "found": [
                {"seed": f.seed, "statements": f.statements, "difference": f.difference, "kind": f.kind}
                for f in self.found
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Campaign:
        """The campaign that ``to_json`` wrote."""
        campaign = cls(data["engine"], data["seed"], done=list(data["done"]))
        campaign.tally.programs, campaign.tally.statements = data["programs"], data["statements"]
        campaign.tally.features.update(data["features"])
        campaign.tally.pairs.update({(first, second): count for first, second, count in data["pairs"]})
        for each in data["found"]:
            campaign.found.append(
                Found(each["seed"], tuple(each["statements"]), each["difference"], tuple(each["kind"]))
            )
        return campaign


def resume(path: Path | None, engine: str, seed: int) -> Campaign:
    """The campaign in a result file, or a new one.

    Raises:
        ValueError: the file belongs to another engine or seed, or is truncated.
    """
    if path is None or not path.exists():
        return Campaign(engine, seed)
    try:
        content = read_bytes(path)
        campaign = Campaign.from_json(loads(content.decode()))
        if _text(campaign).encode() != content:
            raise DamagedError("it was changed after it was written: its checksum is not that of its content")
    except DamagedError as error:
        raise ValueError(f"{path}: not a result file of the fuzzer: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ValueError(f"{path}: not a result file of the fuzzer") from None
    if (campaign.engine, campaign.seed) != (engine, seed):
        raise ValueError(
            f"{path}: holds a run with engine {campaign.engine} and seed {campaign.seed}; "
            "give another --results file"
        )
    return campaign


def write_results(campaign: Campaign, path: Path) -> None:
    """Write a result file."""
    write_text(path, _text(campaign))


def _text(campaign: Campaign) -> str:
    """The content of a result file, with a checksum."""
    plain = campaign.to_json()
    return json.dumps({**plain, "checksum": hashlib.sha256(json.dumps(plain).encode()).hexdigest()})


def run_campaign(
    campaign: Campaign,
    examples: int,
    processes: int,
    results: Path | None = None,
    progress: Callable[[Campaign, float], None] = lambda campaign, rate: None,
    unmet: tuple[Pair, ...] = (),
) -> Campaign:
    """Run the remaining batches, each in its own process; the result file is written after each.

    The features of ``unmet`` meet more often than others.
    """
    batches = [(s, n) for s, n in batch_seeds(campaign.seed, examples) if s not in campaign.done]
    started, before = time.monotonic(), campaign.tally.programs
    progress(campaign, 0.0)
    for seed, tally, found in _batches(campaign.engine, batches, processes, unmet):
        campaign.tally.merge(tally)
        campaign.done.append(seed)
        for each in found:
            if each.kind not in [known.kind for known in campaign.found]:
                campaign.found.append(each)
        if results is not None:
            write_results(campaign, results)
        progress(campaign, (campaign.tally.programs - before) / max(time.monotonic() - started, 1e-9))
    return campaign


@dataclass
class _Batch:
    """A batch that may run several times, each time without the programs that ended its process."""

    seed: int
    size: int
    note: Path
    ended: list[tuple[str, ...]] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)

    def died(self, how: ProcessDied) -> bool:
        """Note the program that ended the process; whether the batch can run again without it."""
        running, statements, before = json.loads(self.note.read_text())
        program = tuple(statements)
        place = last_place(_words(self.note))
        if running != "torch":  # a crash of torch is not a divergence
            # The names that all programs have are step 0, if there are any.
            last = place.step + (0 if prelude(Program(tuple(program))) else 1)
            shown = program[: max(last, 1)]
            how_ended = f"{how} while {running} ran" + (f" ({place.error})" if place.error else "")
            kind = ("process", skeleton(shown[-1])) if shown else ("process",)
            self.found.append(Found(self.seed + _FINDS_A_BATCH + len(self.ended), shown, how_ended, kind))
        if not program or program == _FIRST.statements or program in self.ended:
            self._give_up(f"{how} while {running} ran, so no program could be run")
            return False
        self.ended.append(program)
        if len(self.ended) > _DEATHS and _SOUND * len(self.ended) > before:
            self._give_up(
                f"{len(self.ended)} of {before} programs ended their process; the others were not run"
            )
            return False
        return True

    def _give_up(self, why: str) -> None:
        if not self.found:
            self.found.append(Found(self.seed, (), why, ("process",)))


_DEATHS = 3  # programs of a batch may end their process
_SOUND = 10  # times as many programs must have run, if there are more


def _batches(
    engine: str, sizes: list[tuple[int, int]], processes: int, unmet: tuple[Pair, ...]
) -> Iterator[tuple[int, Tally, list[Found]]]:
    """Yield the batches as they finish. If a program ends the process, its batch runs again without that program."""
    with TemporaryDirectory() as folder:
        waiting = [_Batch(*size, Path(folder, str(number))) for number, size in enumerate(sizes)]
        while waiting:
            for batch in waiting:
                batch.note.write_text(json.dumps(["no engine", [], 0]))
                _words(batch.note).write_bytes(b"")
            tasks = [
                partial(run_batch, engine, b.seed, b.size, b.note, tuple(b.ended), unmet) for b in waiting
            ]
            again = []
            for place, result in fresh(tasks, processes):
                batch = waiting[place]
                if not isinstance(result, ProcessDied):
                    tally, found = result
                    yield batch.seed, tally, [*found, *batch.found]
                elif batch.died(result):
                    again.append(batch)
                else:
                    yield batch.seed, Tally(), batch.found
            waiting = again


def run_batch(
    engine: str,
    seed: int,
    size: int,
    note: Path,
    ended: tuple[tuple[str, ...], ...] = (),
    unmet: tuple[Pair, ...] = (),
) -> tuple[Tally, list[Found]]:
    """Run one batch; after a find it continues with the remaining programs, from another seed.

    The file ``note`` contains the running engine's name and statements, and how many programs ran before, in case the
    process ends; the programs ``ended`` did that before, and are left out.
    """
    reference, under_test = find("torch"), find(engine)
    tally = Tally()
    found: list[Found] = []
    attempt = 0

    def may_run(running: Engine, program: Program) -> bool:
        texts = program.statements
        if texts in ended:
            return False
        note.write_text(json.dumps([running.name, texts, tally.programs]))
        words.at_step(0, 1)
        return True

    words = LastWords(str(_words(note)))
    for each in (reference, under_test):
        # Without a time limit, which would leave modules of the first pass half imported.
        may_run(each, _FIRST)
        run(scenario_of(_FIRST), each, seconds=600)
    noted = Note(may_run, words.at_step)
    while tally.programs < size and attempt < _FINDS_A_BATCH:
        divergence = search(reference, under_test, size - tally.programs, seed + attempt, tally, noted, unmet)
        attempt += 1
        if divergence is None:
            break
        found.append(_plain(divergence))
    return tally, found


def _words(note: Path) -> Path:
    """The file of the last words, next to the note."""
    return note.with_suffix(".words")


_FIRST = Program(("torch.ones(1, requires_grad=True).backward(torch.ones(1))",))
_FINDS_A_BATCH = 3  # an engine that diverges everywhere need not be shrunk each time


def _plain(divergence: FoundDivergence) -> Found:
    return Found(
        divergence.seed,
        divergence.program.statements,
        str(divergence.difference or divergence.broken),
        divergence.kind,
    )
