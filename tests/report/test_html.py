"""The HTML report as a file: what reads without scripts, and what scripts find in it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import torch

from conformance.report.html import render
from conformance.report.html_index import published_path
from conformance.report.page import _cells
from conformance.report.result import Result, Verdict
from conformance.report.statements import ComparisonRow
from conformance.report.subjects import subjects
from tests.report.reports import checked, report


class Text(HTMLParser):
    """The text of a page by the id of its section, without scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sections: dict[str, str] = {}
        self.addresses: list[str] = []
        self._section = self._skipped = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "section":
            self._section = str(found["id"])
        self._skipped = tag if tag in ("script", "style") else ""
        self.addresses += [value for key in ("href", "src") if (value := found.get(key))]

    def handle_endtag(self, tag: str) -> None:
        self._skipped = ""

    def handle_data(self, data: str) -> None:
        if not self._skipped and self._section:
            self.sections[self._section] = f"{self.sections.get(self._section, '')} {data.strip()}"


def unpacked(name: str, page: str = "") -> Any:
    """A script element's data, as scripts unpack it."""
    found = re.search(rf'<script id="{name}" type="text/plain">(.*?)</script>', page or report())
    assert found
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def test_it_reads_without_scripts() -> None:
    """Engines, areas, causes, refuted claims and where it comes from are in the page itself."""
    text = {key: " ".join(words.split()) for key, words in Text(report()).sections.items()}
    assert "same 1.0 5 100% ✓ 5 agrees" in text["overview"]
    assert f"broken {torch.__version__} 3 100% of 3/5 ✓ 3 agrees ∅ 2 unsupported" in text["overview"]
    assert "few 100% 5 100% 3 2 ∅" in text["overview"]
    assert "core 100% 1 100% 1 standard 100% 4 100% 2 2 ∅" in text["overview"]
    assert "Notes & <remarks> 1 1 agrees 2 agrees 2" in text["overview"]
    assert "duration 1 min 5 s command pytest specs specs version 1, abc" in text["overview"]
    assert "∅ unsupported the engine lacks a name that the program uses" in text["overview"]
    assert "∅ 2 broken no torch.nn: layer-is-linear[1], layer-is-linear[2]" in text["unsupported"]
    assert "failures" not in text  # nothing fails
    assert "It does nothing. Notes & <remarks> It raises." in text["refuted"]
    assert "raises nothing RuntimeError: can't retain_grad" in text["refuted"]


def test_the_index_has_every_scenario() -> None:
    """In columns, with each engine's verdict and reason by number."""
    index = unpacked("index")
    scenarios = index["scenarios"]
    assert scenarios["id"][2:4] == ["layer-is-linear[1]", "layer-is-linear[2]"]
    names = [each[0] for each in index["verdicts"]]
    assert [names[verdict] for verdict in scenarios["v"][1]] == [
        "agrees",
        "agrees",
        "unsupported",
        "unsupported",
        "agrees",
    ]
    assert index["reasons"][scenarios["why"][1][2]] == "broken has no torch.nn"
    assert index["claims"][1][0] == "notes/no-op" and index["claims"][1][6] == [1]
    assert index["causes"] == [[1, names.index("unsupported"), "no torch.nn", "", ANY, [2, 3]]]


def test_it_is_one_file_without_network() -> None:
    """Every address is a place in the page, or one that a reader may follow, and the page forbids itself any other."""
    assert all(address.startswith(("#", "data:,", "https://")) for address in Text(report()).addresses)
    assert "default-src 'none'" in report()
    assert "http://" not in re.sub(r'"http://www.w3.org/[^"]*"', "", report())


def test_paths_are_those_of_other_machines() -> None:
    """Of specs below the specs, also in an installed package; else below the current folder, or the name alone."""
    assert published_path("/usr/lib/python3/site-packages/conformance/_specs/nn/a.yaml") == "specs/nn/a.yaml"
    assert published_path("mine/a.yaml") == "mine/a.yaml"
    assert published_path(str(Path("mine/a.yaml").absolute())) == "mine/a.yaml"
    assert published_path("/somewhere/else/quite/a.yaml") == "a.yaml"


def test_what_looks_like_markup_is_text() -> None:
    """In titles, programs and what is printed."""
    assert "<b>and</b>" not in report()
    assert report().count("</script><script>") == 0


def test_a_page_has_all_that_is_shown_of_a_scenario() -> None:
    """What torch did once; of an engine that does not agree all it did, with the graphs that differ."""
    number = [each.result.scenario for each in checked()][::2].index("layer-is-linear[1]")
    columns = unpacked("part-0")
    page = {key: values[number] for key, values in columns.items()}
    (step,) = page["steps"]
    assert step[1].startswith("layer = nn.Linear(1, 1)\n")
    assert [statement[4] for statement in page["statements"]] == [1, 1, 1, 1]
    assert set(page["engines"]) == {"1"} and set(page["own"]) == {"0"}
    assert page["snippet"] == ["import torch", "nn = torch.nn", "torch.manual_seed(0)", [0, 4]]
    assert page["engines"]["1"][0][5][0] == [
        "raises",
        "nothing",
        "NameError: name 'nn' is not defined",
        1,
    ]
    boxes, arrows = page["graph"][1][2:]
    assert ["node", ["AccumulateGrad"], [], ANY, ANY] in boxes and arrows
    assert columns["claimed"][1] == [
        [
            "step 1",
            "",
            "raises nothing",
            "RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
        ]
    ]


def test_a_report_of_one_failing_engine_has_each_state_once() -> None:
    """The reference's own table is left out where the engine's has it too; long values are cut, errors at their end."""
    values = f"[{', '.join(f'{number}.25' for number in range(100))}]"
    row = ComparisonRow("a", values, "=")
    (name, shown) = _cells(row)
    assert name == "a" and len(shown) < 300 and shown.startswith("[0.25, 1.25") and shown.endswith("99.25]")
    assert " ..." in shown and not re.search(r"\d \.\.\.\d", shown)
    assert _cells(ComparisonRow("a", "1", "")) == ["a", "1", ""]  # its differing facets follow
    error = f"RuntimeError: {'this is wrong, ' * 60}"
    (_, raised, other, differs) = _cells(ComparisonRow("raises", "nothing", error, True))
    assert (raised, differs) == ("nothing", 1) and re.search(
        r"wrong, \.\.\.\d+\.\.\.$|\w,? \.\.\.\d+\.\.\.$", other
    )
    assert _cells(ComparisonRow("a _version", "1", "0", True, False)) == ["a _version", "1", "0", 2]
    only = [each for each in checked() if each.result.engine == "broken"]
    pages = {(each.result.scenario, each.result.engine): each.page for each in only if each.page is not None}
    part = unpacked("part-0", render([each.result for each in only], pages, {}, []))
    assert [each is not None for each in part["statements"]] == [True, True, False, False, True]


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


TEXTS = {
    "ink": ("paper", "panel"),
    "soft": ("paper", "panel", "bad-soft"),
    "link": ("paper", "panel"),
    "ok": ("paper", "ok-soft"),
    "bad": ("paper", "bad-soft", "ok-soft"),
    "known": ("paper", "known-soft", "ok-soft"),
    "lacks": ("paper", "lacks-soft", "ok-soft"),
    "none": ("paper", "none-soft"),
    "string": ("panel",),
    "number": ("panel",),
    "word": ("panel",),
}


def test_texts_have_contrast() -> None:
    """At least 4.5:1 with each background that they stand on, in light and dark."""
    themes = re.findall(r"\{([^{}]*--paper:[^{}]*)\}", report())
    assert len(themes) >= 3
    low = []
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+):\s*(#\w{6})", theme))
        if "panel" not in colours:  # of drawings
            continue
        for text, grounds in TEXTS.items():
            for ground in grounds:
                one, other = sorted(luminance(colours[each]) for each in (text, ground))
                if (other + 0.05) / (one + 0.05) < 4.5:
                    low.append((text, ground, colours["paper"]))
    assert low == []


def test_scenarios_without_a_page_are_listed() -> None:
    """Those that were skipped, and those that cannot be read."""
    skipped = Result("a-b", "a title", "area", "a.yaml", 1, "torch 1", "same", "1", "skipped", "needs cuda")
    invalid = Result("c-d", "", "", "a.yaml", 9, "", "", "", "invalid", "a.yaml:9:1: unknown key `x`")
    page = render([skipped, invalid], {}, {}, [])
    index = unpacked("index", page)
    assert index["scenarios"]["id"] == ["a-b", "c-d"]
    assert index["reasons"] == ["needs cuda", "a.yaml:9:1: unknown key `x`"]
    assert "all engines</b> a.yaml:9:1: unknown key `x`" in page


def test_an_area_with_a_failure_shows_it() -> None:
    """However many of its scenarios the engine has no names for."""
    verdicts: list[Verdict] = ["agrees", "unsupported", "unsupported", "differs"]
    results = [
        Result(f"a-{n}", "a title", "area", "a.yaml", n, "torch 1", "same", "1", verdict)
        for n, verdict in enumerate(verdicts)
    ]
    cells = [
        re.search(r'<a class="cell (\w+)".*?</td>', render(part, {}, {}, []), re.DOTALL)
        for part in (results, results[:3])
    ]
    assert [each and each[1] for each in cells] == ["bad", "ok"]
    texts = [re.sub(r"<[^>]*>|\s+", " ", each[0]) for each in cells if each]
    assert [" ".join(text.split()) for text in texts] == ["50% 1 ✗ 2 ∅", "100% 1 2 ∅"]
    assert "engine=same&amp;verdict=failing" in render(results, {}, {}, [])


def test_a_rule_has_the_verdicts_on_what_shows_it() -> None:
    """One for each engine that ran it, also case by case; a rule whose scenario did not run is left out."""
    verdicts: list[tuple[str, str, Verdict]] = [
        ("one[a]", "same", "agrees"),
        ("one[b]", "same", "differs"),
        ("one[a]", "other", "unsupported"),
        ("once", "same", "agrees"),
    ]
    results = [
        Result(case, "a title", "leaf", "a.yaml", 1, "torch 1", engine, "1", verdict)
        for case, engine, verdict in verdicts
    ]
    described = subjects(
        {
            "leaf": {"about": "", "rule": "It is one.", "shows": "one"},
            "views": {"about": "", "rule": "None.", "shows": "two"},
        }
    )
    page = render(results, {}, {}, [], subjects=described)
    shown = page.partition('<section id="rules"')[2].partition("</section>")[0]
    assert "It is one." in shown and "None." not in page
    words = " ".join(re.sub(r"<[^>]*>", " ", shown.partition("It is one.")[2]).split())
    assert words == "one[a] ✓ same ∅ other one[b] ✗ same"
    assert 'href="#rules"' in page and 'href="#rules"' not in render(results, {}, {}, [])
