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
from conformance.fuzz.scope import GeneratedStatement, Program
from conformance.fuzz.search import FoundDivergence, Tally, batch_seeds, scenario_of, search
from conformance.runner.checked_lines import DamagedError, loads, read_bytes
from conformance.runner.engine import Engine
from conformance.runner.execute import run
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
        return Program(tuple(GeneratedStatement(text) for text in self.statements))


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
) -> Campaign:
    """Run the remaining batches, each in its own process; the result file is written after each."""
    batches = [(s, n) for s, n in batch_seeds(campaign.seed, examples) if s not in campaign.done]
    started, before = time.monotonic(), campaign.tally.programs
    progress(campaign, 0.0)
    for seed, tally, found in _batches(campaign.engine, batches, processes):
        campaign.tally.merge(tally)
        campaign.done.append(seed)
        for each in found:
            if each.kind not in [known.kind for known in campaign.found]:
                campaign.found.append(each)
        if results is not None:
            write_text(results, _text(campaign))
        progress(campaign, (campaign.tally.programs - before) / max(time.monotonic() - started, 1e-9))
    return campaign


def _batches(
    engine: str, batches: list[tuple[int, int]], processes: int
) -> Iterator[tuple[int, Tally, list[Found]]]:
    """Yield the batches as they finish. If a program crashed torch, the batch is drawn again with another seed."""
    with TemporaryDirectory() as folder:
        notes = [Path(folder, str(number)) for number in range(len(batches))]
        waiting = list(range(len(batches)))
        for note in notes:
            note.write_text(json.dumps(["no engine", []]))
        for skip in range(0, _DRAWS * _FINDS_A_BATCH, _FINDS_A_BATCH):
            tasks = [partial(run_batch, engine, *batches[number], notes[number], skip) for number in waiting]
            again = []
            for place, result in fresh(tasks, processes):
                number = waiting[place]
                if not isinstance(result, ProcessDied):
                    yield result
                    continue
                seed, _ = batches[number]
                running, statements = json.loads(notes[number].read_text())
                if running == "torch":
                    again.append(number)
                else:
                    text = f"{result} while {running} ran"
                    yield seed, Tally(), [Found(seed, tuple(statements), text, ("process",))]
            waiting = again
            if not waiting:
                return
        for number in waiting:
            seed, _ = batches[number]
            yield seed, Tally(), [Found(seed, (), f"torch ended the process {_DRAWS} times", ("process",))]


_DRAWS = 3  # attempts at a batch that crashes torch repeatedly


def run_batch(engine: str, seed: int, size: int, note: Path, skip: int = 0) -> tuple[int, Tally, list[Found]]:
    """Run one batch; after a find it continues with the remaining programs, from another seed.

    The file ``note`` contains the running engine's name and statements, in case the process ends.
    """
    reference, under_test = find("torch"), find(engine)
    tally = Tally()
    found: list[Found] = []
    attempt = 0

    def noted(running: Engine, program: Program) -> None:
        note.write_text(json.dumps([running.name, [each.text for each in program.statements]]))

    for each in (reference, under_test):
        # Without a time limit, which would leave modules of the first pass half imported.
        noted(each, _FIRST)
        run(scenario_of(_FIRST), each, seconds=600)
    while tally.programs < size and attempt < _FINDS_A_BATCH:
        divergence = search(reference, under_test, size - tally.programs, seed + skip + attempt, tally, noted)
        attempt += 1
        if divergence is None:
            break
        found.append(_plain(divergence))
    return seed, tally, found


_FIRST = Program((GeneratedStatement("torch.ones(1, requires_grad=True).backward(torch.ones(1))"),))
_FINDS_A_BATCH = 3  # an engine that diverges everywhere need not be shrunk each time


def _plain(divergence: FoundDivergence) -> Found:
    return Found(
        divergence.seed,
        tuple(statement.text for statement in divergence.program.statements),
        str(divergence.difference or divergence.broken),
        divergence.kind,
    )
