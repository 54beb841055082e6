"""The options of the pytest plugin, and the engines that they name."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from conformance.commands.command import seconds
from conformance.language.scenario import DEFAULT_TIER, TIERS, Tier

DEFAULT_ENGINE = "inhouse"
VARIABLE = "CONFORMANCE_ENGINE"
INI = "conformance_engines"
TIER_INI = "conformance_tier"
PAGES_INI = "conformance_pages"


def is_in_shard(case: str, shard: str) -> bool:
    """Whether a case is in a part of a run such as ``2/8``; its id determines that."""
    number, of = map(int, shard.split("/"))
    digest = hashlib.sha256(case.encode(errors="backslashreplace")).digest()
    return int.from_bytes(digest[:8]) % of == number - 1


def _shard(text: str) -> str:
    """A part of a run; it stays a text, which xdist can send.

    Raises:
        ArgumentTypeError: it is not one.
    """
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{ascii(text)[1:-1][:40]} is not one of several parts, as 2/8")
    return f"{int(found[1])}/{int(found[2])}"


def add_options(parser: pytest.Parser) -> None:
    """Add the options in a group of their own."""
    group = parser.getgroup("conformance", "autograd conformance")
    group.addoption(
        "--engine",
        action="append",
        default=[],
        metavar="ENGINE",
        help="check this engine: a registered name, a module that looks like torch, or module:attribute; "
        f"repeatable (default: {VARIABLE} in the environment, {INI} in the ini file, else {DEFAULT_ENGINE})",
    )
    group.addoption(
        "--tier",
        choices=TIERS,
        help="run the scenarios of the specs up to this tier: core, standard or full; a file or an id that the command "
        f"line names runs whatever its tier (default: {TIER_INI} in the ini file, else {DEFAULT_TIER})",
    )
    group.addoption(
        "--device",
        metavar="NAME",
        help="check torch itself on this device, with torch on the CPU, or a recording of it, as reference",
    )
    group.addoption(
        "--device-module",
        metavar="MODULE",
        help="import this module, which adds the device to torch, in the process of the engine",
    )
    group.addoption(
        "--compile",
        metavar="BACKEND",
        help="check torch.compile with this backend, with torch as it is as reference, on a sample of the tier core",
    )
    group.addoption(
        "--whole",
        action="store_true",
        help="with --compile: all selected scenarios, not a sample of 400",
    )
    group.addoption(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="run one of N parts of the scenarios, as 2/8; `conformance join` joins the files of --conformance-json",
    )
    group.addoption(
        "--cause",
        metavar="NAME",
        help="run the scenarios of one cause of an earlier run again, by the name that its summary shows",
    )
    group.addoption(
        "--engine-python",
        metavar="PATH",
        help="run the engines in this Python interpreter, which need not have this package",
    )
    group.addoption(
        "--engine-here",
        action="store_true",
        help="run the engines in pytest's process, as --pdb does: one that crashes or hangs ends the run",
    )
    group.addoption(
        "--reference",
        metavar="FILE",
        help="a recording to use instead of torch (default, where torch is not installed: the suite's own, of the "
        "tiers core and standard)",
    )
    group.addoption(
        "--scenario-timeout",
        type=seconds,
        default=20,
        metavar="SECONDS",
        help="fail a scenario that takes longer (default: 20)",
    )
    group.addoption("--conformance-json", metavar="FILE", help="write every result to FILE as JSON lines")
    group.addoption(
        "--conformance-html",
        metavar="FILE",
        help="write an HTML report to FILE, which needs no network",
    )
    parser.addini(INI, "engines to check if --engine names none", type="args", default=[])
    parser.addini(TIER_INI, "the tier to run if --tier names none", default=DEFAULT_TIER)
    parser.addini(
        PAGES_INI, "pages whose outputs are checked on torch, as `docs/*.md`", type="args", default=[]
    )


def is_page(config: pytest.Config, path: Path) -> bool:
    """Whether the ini option names a file as a page to check; patterns are relative to the ini file's folder."""
    patterns = config.getini(PAGES_INI)
    if not patterns or not path.is_relative_to(config.rootpath):
        return False
    relative = path.relative_to(config.rootpath)
    return any(fnmatch(relative.as_posix(), pattern) for pattern in patterns)


def engine_names(config: pytest.Config) -> tuple[str, ...]:
    """The engines to check, in order."""
    named = config.getoption("--engine") + elsewhere(config)
    named = named or os.environ.get(VARIABLE, "").replace(",", " ").split()
    return tuple(dict.fromkeys(named or config.getini(INI) or [DEFAULT_ENGINE]))


def elsewhere(config: pytest.Config) -> list[str]:
    """The names of the engines that are torch itself elsewhere, as the registry knows them."""
    device, module = config.getoption("--device"), config.getoption("--device-module")
    if module and not device:
        raise pytest.UsageError(
            "--device-module needs --device NAME, the device that the module adds to torch"
        )
    names = [f"torch-device:{device}{f',{module}' if module else ''}"] if device else []
    backend = config.getoption("--compile")
    return names + ([f"torch-compile:{backend}"] if backend else [])


def tier_of(config: pytest.Config) -> Tier:
    """The last tier to run.

    Raises:
        UsageError: the ini file names an unknown one.
    """
    named = config.getoption("--tier") or config.getini(TIER_INI)
    for tier in TIERS:
        if tier == named:
            return tier
    raise pytest.UsageError(f"{TIER_INI} is {named}; the tiers are {', '.join(TIERS)}")
