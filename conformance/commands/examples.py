"""What the help of each command shows: its job, and calls to copy."""

from __future__ import annotations

from collections.abc import Iterable

JOBS: dict[str, tuple[str, ...]] = {
    "Check conformance": ("run", "show", "graph", "claims", "check"),
    "Add a scenario": ("new", "lint", "fuzz"),
    "Check another engine": ("engine", "coverage", "record", "changes"),
    "Compare and publish results": ("matrix", "diff", "join", "summary", "site"),
    "Maintain the suite": ("docs", "mutants"),
}
"""The commands by job, in the order in which the help lists them."""


def by_job(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The commands of each job; those that are in none come last."""
    others = tuple(name for name in names if not any(name in of for of in JOBS.values()))
    return JOBS | ({"Other": others} if others else {})


RENAMED = {"compare": "diff"}
"""Old names of commands."""

EXAMPLES = {
    "run": (
        ("conformance run", "the specs on the in-house engine"),
        ("conformance run --engine mymodule -n 2 --tier core", "another engine, the core first"),
        ("conformance run --engine mymodule --cause 3fa2c", "one cause of the run before, alone"),
        ("conformance run --engine mymodule --conformance-html report.html", "with a report to open"),
    ),
    "show": (
        ("conformance show retain-graph-accumulates", "each statement on torch and the in-house engine"),
        ("conformance show mine.yaml --engine mymodule --full", "all scenarios of a file, nothing shortened"),
        (
            "conformance show second-backward-raises --engine mymodule --script",
            "a script without the suite",
        ),
    ),
    "graph": (
        ("conformance graph second-backward-raises --step 1 --saved -o graph.svg", "with saved tensors"),
    ),
    "claims": (
        ("conformance claims", "a table of documents and verdicts"),
        ("conformance claims --engine mymodule --format json", "as data"),
    ),
    "check": (("conformance check README.md docs/tutorial.ipynb", "the outputs that pages show"),),
    "new": (
        ("conformance new snippet.py -o mine.yaml", "code as a scenario"),
        ("conformance new - --title 'a clone is not a leaf'", "from standard input"),
    ),
    "lint": (
        ("conformance lint mine.yaml", "mistakes, with their place"),
        ("conformance lint --deep mine.yaml", "and what only running it shows"),
    ),
    "fuzz": (("conformance fuzz --examples 200 --engine mymodule", "random programs"),),
    "engine": (
        ("conformance engine mymodule", "what can be read, what is missing, what to do next"),
        ("conformance engine mymodule --propose", "a diff of its divergence file"),
    ),
    "coverage": (("conformance coverage --engine mymodule", "names by area"),),
    "record": (
        ("conformance record --tier standard -o torch.jsonl.gz", "torch, to do without it later"),
        ("conformance record --engine mymodule -o before.jsonl", "an engine, to compare with later"),
    ),
    "changes": (("conformance changes --reference newer.jsonl", "what another release of torch does"),),
    "matrix": (("conformance matrix mine.jsonl other.jsonl --format markdown", "for a page"),),
    "diff": (
        ("conformance diff before.jsonl after.jsonl", "fails if something broke"),
        ("conformance diff old-torch.jsonl.gz new-torch.jsonl.gz", "two recordings, statement by statement"),
    ),
    "join": (
        ("conformance join part-1.jsonl part-2.jsonl -o mymodule.jsonl", "runs with --shard 1/2 and 2/2"),
    ),
    "summary": (
        ("conformance summary mymodule.jsonl -o summary.json", "counts by tier, area and group"),
        ("conformance summary mymodule.jsonl --badge --group values", "a badge of one group"),
    ),
    "site": (("conformance site results/mymodule.jsonl results/other.jsonl -o site", "pages to publish"),),
    "docs": (("conformance docs --check", "whether generated parts are up to date"),),
    "mutants": (("conformance mutants --area views", "faults of one area"),),
}
"""Calls of each command, with what they do."""

OF_RUN = """
all other options are pytest's; those that matter here:
  -n N                       in N processes
  -k WORDS                   scenarios whose id, file, claim or area has these words
  -x, --lf                   stop at the first failure; run those that failed last time
  -v, -q                     failures in full; less output
  --tier TIER                core, standard (default) or full
  --shard I/N                one of N parts
  --reference FILE           a recording instead of torch
  --engine-python PATH       the interpreter that has the engine
  --scenario-timeout SECONDS the limit of a scenario
  --conformance-json FILE    every result as a line of JSON
  --conformance-html FILE    a report to open
`conformance run autograd/leaf/` runs a part of the specs.
"""
"""The end of the help of `conformance run`."""
