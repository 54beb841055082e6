"""A small HTML report: two engines, one of them broken, on a few scenarios of which documents say something."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from conformance.adapters.module import ModuleEngine
from conformance.adapters.torch import engine as torch
from conformance.check.checker import Checker, CheckResult
from conformance.language.claims import load_claims_text
from conformance.language.load import load_text
from conformance.report.claims import find
from conformance.report.html import render
from conformance.report.provenance import Provenance
from tests.runner.broken import Engine, Namespace

SCENARIOS = """
topic: A few
scenarios:
  - id: grad-adds-up
    title: each pass adds to the leaf's grad
    tier: core
    claim: notes/adds-up
    steps:
      - run: |
          a = torch.ones(2, requires_grad=True)  # a leaf
          for i in range(2):
              (a * 2).sum().backward()
        expect:
          a.grad: [4., 4.]
      - run: a.grad = None
  - id: retain-grad-on-a-constant
    title: retain_grad on a constant raises
    claim: notes/no-op
    run: |
      x = torch.ones(1, 3)
      x.retain_grad()
    claimed: {raises: null}
    raises: RuntimeError
    message: can't retain_grad on Tensor that has requires_grad=False
  - id: layer-is-linear
    title: a layer multiplies <b>and</b> adds
    matrix:
      size: [1, 2]
    run: |
      layer = nn.Linear(${size}, 1)
      y = layer(torch.zeros(${size}))
      y.retain_grad()
      y.sum().backward()
  - id: text-is-markup
    title: what looks like markup is text
    run: |
      s = "</script><script>document.title = 'broken'</script>"
      print(s)
"""

CLAIMS = """
documents:
  notes: {title: Notes & <remarks>}
claims:
  - {id: notes/adds-up, verdict: confirmed, says: Each pass adds.}
  - {id: notes/no-op, verdict: refuted, says: It does nothing., note: It raises.}
"""

SAME = ModuleEngine("same", torch.torch, version="1.0")
BROKEN = Engine(
    Namespace({}, ["nn"]), ("values", "flags", "graph", "errors", "messages"), {"retains_grad": False}
)
ENGINES = (SAME, BROKEN)


@cache
def checked() -> tuple[CheckResult, ...]:
    """Each scenario on each engine."""
    loaded = load_text(SCENARIOS, "specs/few/few.yaml", "few")
    assert not loaded.problems
    check = Checker(torch, pages=True)
    return tuple(check(scenario, engine) for scenario in loaded.scenarios for engine in ENGINES)


@cache
def report() -> str:
    """The file."""
    results = [each.result for each in checked()]
    pages = {
        (each.result.scenario, each.result.engine): each.page for each in checked() if each.page is not None
    }
    claims = load_claims_text(CLAIMS, "claims.yaml")
    assert not claims.problems
    scenarios = {"notes/adds-up": ["grad-adds-up"], "notes/no-op": ["retain-grad-on-a-constant"]}
    findings = find(claims.claims, scenarios, results)
    titles = {key: each.title for key, each in claims.documents.items()}
    about = Provenance(date="2026-01-02T03:04:05Z", specs="1", specs_hash="abc", command="pytest specs")
    return render(results, pages, titles, findings, about=about, seconds=65)


@cache
def large() -> str:
    """A report of 2000 scenarios on six engines, of which three differ in all."""
    results, pages = [], {}
    one = next(each for each in checked() if each.result.verdict == "unsupported")
    for number in range(2000):
        for engine in range(6):
            name = f"engine-{engine}"
            result = replace(
                one.result, scenario=f"scenario-{number}", engine=name, area=f"area-{number % 40}"
            )
            if engine > 2:
                result = replace(result, verdict="agrees", reason="", missing=())
            results.append(result)
            pages[result.scenario, name] = {**(one.page or {}), "of": name}
    return render(results, pages, {}, [])
