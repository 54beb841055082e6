"""What became of a sample of changes, as text and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from typing import Any

from conformance.mutation.trial import Trial

Read = Callable[[str], bytes]  # the content of a file


def percent(trials: Sequence[Trial]) -> float:
    """The share that is killed of those that can be."""
    counted = [each for each in trials if not each.broken and not each.equivalent]
    return 100 * sum(bool(each.killer) for each in counted) / len(counted) if counted else 100.0


def score(trials: Sequence[Trial]) -> str:
    """The score in one line."""
    killed = sum(bool(each.killer) for each in trials)
    broken = sum(bool(each.broken) for each in trials)
    equivalent = sum(bool(each.equivalent) for each in trials)
    text = f"{percent(trials):.1f} %: {killed} of {len(trials) - broken - equivalent} faults are caught"
    rest = [
        f"{count} {what}"
        for count, what in ((equivalent, "recorded as equivalent"), (broken, "broke the import"))
        if count
    ]
    return f"{text}; not counted: {', '.join(rest)}" if rest else text


def report(trials: Sequence[Trial], read: Read) -> Iterator[str]:
    """The score of each module, the survivors as diffs, the score of all."""
    modules: dict[str, list[Trial]] = {}
    for each in trials:
        modules.setdefault(each.change.file, []).append(each)
    width = max(map(len, modules), default=0)
    for file in sorted(modules):
        yield f"{file:<{width}}  {score(modules[file])}"
    survivors = [each for each in trials if not (each.killer or each.broken or each.equivalent)]
    for number, each in enumerate(survivors, start=1):
        yield ""
        where = f" in {each.change.within}" if each.change.within else ""
        yield f"Survivor {number}: {each.change.kind}{where}; {each.reached} scenarios run it, {each.ran} were run"
        yield from diff(each, read)
    yield ""
    yield score(trials)


def diff(trial: Trial, read: Read) -> Iterator[str]:
    """A change as a diff without context, since the function is named."""
    source = read(trial.change.file)
    before, after = (text.decode().splitlines() for text in (source, trial.change.applied_to(source)))
    name = trial.change.file
    yield from unified_diff(before, after, name, name, lineterm="", n=1)


def as_json(trials: Sequence[Trial], read: Read) -> dict[str, Any]:
    """The same as data."""
    return {
        "score": round(percent(trials), 2),
        "faults": [
            {
                "file": each.change.file,
                "line": each.change.lines[0],
                "within": each.change.within,
                "kind": each.change.kind,
                "was": each.change.was,
                "becomes": each.change.becomes,
                "outcome": _outcome(each),
                "killer": each.killer,
                "difference": each.difference,
                "reason": each.equivalent or each.broken,
                "reached_by": each.reached,
                "ran": each.ran,
                "diff": [] if each.killer or each.broken else list(diff(each, read)),
            }
            for each in trials
        ],
    }


def _outcome(trial: Trial) -> str:
    if trial.killer:
        return "killed"
    return "breaks the import" if trial.broken else "equivalent" if trial.equivalent else "survived"
