"""The HTML report as a file: what reads without scripts, and what scripts find in it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from typing import Any

import pytest
import torch

from conformance.report.html import render
from conformance.report.page import operation
from conformance.report.result import Result, Verdict
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


def part(number: int) -> list[dict[str, Any]]:
    """The pages of one part, as scripts unpack them."""
    found = re.search(rf'<script id="part-{number}" type="text/plain">(.*?)</script>', report())
    assert found
    data: list[dict[str, Any]] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


def test_it_reads_without_scripts() -> None:
    """Engines, areas, every scenario with its verdicts, failures and claims are in the page itself."""
    text = {key: " ".join(words.split()) for key, words in Text(report()).sections.items()}
    assert "same 1.0 5 5 of 5 ✓ 5 agrees" in text["overview"]
    assert f"broken {torch.__version__} 3 3 of 5 ✓ 3 agrees ∅ 2 unsupported" in text["overview"]
    assert "few 5 3/5" in text["overview"]
    assert "core 1 1 standard 4 2/4" in text["overview"]
    assert (
        "layer-is-linear[2] a layer multiplies <b>and</b> adds broken has no torch.nn ✓ ∅"
        in text["scenarios"]
    )
    assert "∅ 2 broken no torch.nn after Linear" in text["failures"]
    assert "It does nothing. Notes & <remarks> It raises." in text["refuted"]
    assert "raises nothing RuntimeError: can't retain_grad" in text["refuted"]
    assert "Each pass adds." in text["claims"]


def test_it_is_one_file_without_network() -> None:
    """Every address is a place in the page, and the page forbids itself any other."""
    assert all(address.startswith(("#", "data:,")) for address in Text(report()).addresses)
    assert "default-src 'none'" in report()
    assert "http://" not in re.sub(r'xmlns="http://[^"]*"|"http://www.w3.org/[^"]*"', "", report())


def test_what_looks_like_markup_is_text() -> None:
    """In titles, programs and what is printed."""
    assert "<b>and</b>" not in report()
    assert report().count("</script><script>") == 0


def test_a_page_has_all_that_is_shown_of_a_scenario() -> None:
    """What torch did once; of an engine that does not agree all it did, with the graphs that differ."""
    pages = dict(zip([each.result.scenario for each in checked()][::2], part(0), strict=True))
    page = pages["layer-is-linear[1]"]
    assert [statement[4] for statement in page["told"]][:2] == [
        "layer = nn.Linear(1, 1)",
        "y = layer(torch.zeros(1))",
    ]
    assert set(page["engines"]) == {"1"} and set(page["own"]) == {"0", "1"}
    assert page["snippet"].startswith("import torch\nnn = torch.nn\ntorch.manual_seed(0)\n")
    assert page["graph"][1].startswith("<svg") and "AccumulateGrad" in page["graph"][1]
    assert pages["retain-grad-on-a-constant"]["claimed"] == [
        [
            "step 1",
            "",
            "raises nothing",
            "RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
        ]
    ]


@pytest.mark.parametrize(
    ("statement", "done"),
    [
        ("(a * b).sum().backward()", "backward"),
        ("c = a * b", "*"),
        ("c = F.relu(a)", "relu"),
        ("a += 1", "+="),
        ("a[0] = 1", "[] ="),
        ("a.requires_grad = True", ".requires_grad ="),
        ("b = a[0]", "[]"),
        ("x, y = torch.ones(1), 2", "ones"),
        ("with torch.no_grad():", "with no_grad"),
        ("for i in range(3):", "for"),
        ("d = a.grad", ".grad"),
        ("y = torch.cat([", "cat"),
        ("", ""),
    ],
)
def test_an_operation_is_what_a_statement_does_last(statement: str, done: str) -> None:
    """Of a line that ends within brackets it is what the line begins with."""
    assert operation(statement) == done


def test_scenarios_without_a_page_are_listed() -> None:
    """Those that were skipped, and those that cannot be read."""
    skipped = Result("a-b", "a title", "area", "a.yaml", 1, "torch 1", "same", "1", "skipped", "needs cuda")
    invalid = Result("c-d", "", "", "a.yaml", 9, "", "", "", "invalid", "a.yaml:9:1: unknown key `x`")
    page = render([skipped, invalid], {}, {}, [])
    assert "needs cuda" in page and "unknown key `x`" in page
    assert "a-b" in page and "c-d" in page


def test_an_area_with_a_failure_shows_it() -> None:
    """However many of its scenarios the engine has no names for."""
    verdicts: list[Verdict] = ["agrees", "unsupported", "unsupported", "differs"]
    results = [
        Result(f"a-{n}", "a title", "area", "a.yaml", n, "torch 1", "same", "1", verdict)
        for n, verdict in enumerate(verdicts)
    ]
    assert re.search(r'<a class="cell bad"[^>]*>1/4</a>', render(results, {}, {}, []))
    assert re.search(r'<a class="cell lacks"[^>]*>1/3</a>', render(results[:3], {}, {}, []))
