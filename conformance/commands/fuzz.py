"""The command that looks for divergences nobody wrote a scenario of."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from conformance.commands.command import FAILED, Add, Misuse


def add_commands(add: Add) -> None:
    """The command of this module."""
    fuzzing = add("fuzz", fuzz, "random programs on torch and an engine; what diverges becomes a scenario")
    fuzzing.add_argument("--engine", default="inhouse", help="(default: inhouse)")
    fuzzing.add_argument("--examples", type=int, default=1000, metavar="N", help="programs (default: 1000)")
    fuzzing.add_argument("--seed", type=int, default=0, metavar="S", help="other seeds draw other programs")
    fuzzing.add_argument("--save", type=Path, metavar="DIR", help="write what diverges as scenario files")
    fuzzing.add_argument("--processes", type=int, default=1, metavar="P", help="(default: 1)")
    fuzzing.add_argument(
        "--results", type=Path, metavar="FILE", help="kept after each batch; a run goes on from it"
    )


def fuzz(known: argparse.Namespace, _: list[str]) -> int:
    """Exit status 0 where nothing diverged, 1 where something did."""
    from conformance.adapters.registry import find

    try:
        from conformance.fuzz.campaign import Campaign, resume, run_campaign
        from conformance.fuzz.save import save
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        text = "programs are drawn by Hypothesis, which is not installed: pip install 'autograd-conformance[fuzz]'"
        raise Misuse(text) from None

    try:
        campaign = resume(known.results, known.engine, known.seed)
    except ValueError as error:
        raise Misuse(str(error)) from None

    def progress(so_far: Campaign, rate: float) -> None:
        text = f"{so_far.tally.programs} of {known.examples} programs, {rate:.0f} a second, {len(so_far.found)} found"
        print(f"\r{text}", end="", file=sys.stderr, flush=True)

    try:
        run_campaign(campaign, known.examples, known.processes, known.results, progress)
    finally:  # ends the line of the progress
        print(file=sys.stderr)
    tally = campaign.tally
    print(f"{tally.programs} programs of {tally.statements} statements on torch and {known.engine}")
    for feature, count in tally.features.most_common():
        print(f"{100 * count / max(tally.programs, 1):5.1f} %  {feature}")
    for found in campaign.found:
        print(f"\n{found.difference}\n")
        print("\n".join(f"    {line}" for text in found.statements for line in text.splitlines()))
        if known.save is not None and found.statements:
            print(f"saved as {save(found, known.save, find('torch'))}")
    print(f"\n{len(campaign.found)} kinds of divergence")
    return FAILED if campaign.found else 0
