"""Drawings of the autograd graph."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.adapters.torch import engine as torch
from conformance.cli import main
from conformance.commands.tracing import NoGraphError, drawing_of
from conformance.report.drawing import Arrow, Box, Drawing, draw
from conformance.report.layout import BETWEEN, place
from conformance.report.svg import svg
from tests.runner.make import last, scenario

NETWORK = """
    x, y = torch.ones(1, 3), torch.ones(1, 2)
    W = torch.ones(3, 2, requires_grad=True)
    b = torch.ones(1, 2, requires_grad=True)
    loss = F.mse_loss(F.relu(x @ W + b), y)
"""


def drawn(program: str) -> Drawing:
    """The graph at the end of a program."""
    return draw(last(program).state or {})


def ways(drawing: Drawing) -> set[str]:
    """Each arrow as ``W [3, 2] -> AccumulateGrad``, with the output's number."""
    boxes = {box.key: box for box in drawing.boxes}
    return {
        f"{boxes[arrow.start].lines[0]} -{arrow.label}> {boxes[arrow.end].lines[0]}"
        for arrow in drawing.arrows
    }


def test_the_tutorials_network_is_drawn_as_torchviz_draws_it() -> None:
    """Leaves with their names, all nodes, the result; input and target, being constants, are not there."""
    drawing = drawn(NETWORK)
    assert ways(drawing) == {
        "W [3, 2] -> AccumulateGrad",
        "b [1, 2] -> AccumulateGrad",
        "AccumulateGrad -> MmBackward0",
        "AccumulateGrad -> AddBackward0",
        "MmBackward0 -> AddBackward0",
        "AddBackward0 -> ReluBackward0",
        "ReluBackward0 -> MseLossBackward0",
        "MseLossBackward0 -> loss []",
    }
    assert [box.lines for box in drawing.boxes if box.kind == "leaf"] == [("W [3, 2]",), ("b [1, 2]",)]


def test_output_numbers_are_at_the_arrows() -> None:
    """Where they are not 0, for named and unnamed outputs."""
    drawing = drawn(
        "a = torch.ones(3, requires_grad=True)\nx, y, z = a.unbind()\nc = z + y\nd = c * z\ndel z"
    )
    assert "UnbindBackward0 -2> AddBackward0" in ways(drawing)
    assert "UnbindBackward0 -1> AddBackward0" in ways(drawing)
    assert "UnbindBackward0 -> x []" in ways(drawing)
    (unbind,) = (box for box in drawing.boxes if box.lines == ("UnbindBackward0",))
    assert unbind.tensors == ("1: y []",)


def test_retained_grads_are_marked() -> None:
    """Of tensors that go on and of results, with their grads; a leaf shows its grad."""
    drawing = drawn(
        "a = torch.ones(1, requires_grad=True)\nb = a * 2\nb.retain_grad()\nc = b.sum()\nc.retain_grad()\nc.backward()"
    )
    kept = {box.lines[0]: (box.lines[1:], box.tensors) for box in drawing.boxes if box.retained}
    assert kept == {
        "MulBackward0": ((), ("b [1]", "retains grad", "grad [1.0]")),
        "c []": (("retains grad", "grad 1.0"), ()),
    }
    assert drawing.boxes[[box.key for box in drawing.boxes].index(("leaf", "a"))].lines == (
        "a [1]",
        "grad [2.0]",
    )


def test_a_node_is_one_box_however_it_is_reached() -> None:
    """From two names, and by a name of its own."""
    drawing = drawn(
        "a = torch.ones(2, requires_grad=True)\nt = a.exp()\nc = t.sum()\nd = t.prod()\ndel t\n"
        "node = c.grad_fn.next_functions[0][0]\nleaf = node.next_functions[0][0]"
    )
    labels = [box.lines[0] for box in drawing.boxes]
    assert labels.count("ExpBackward0") == labels.count("AccumulateGrad") == 1


def test_names_may_look_like_anything() -> None:
    """Paths into containers, with commas and brackets in them."""
    drawing = drawn(
        "d = {'a, b': torch.ones(1, requires_grad=True)}\nd['(#1)'] = d['a, b'] * 2\nc = d['(#1)'] + d['a, b']"
    )
    assert "AccumulateGrad -> AddBackward0" in ways(drawing)
    assert "MulBackward0 -> AddBackward0" in ways(drawing)


def test_two_names_of_one_leaf_stand_together() -> None:
    """As of a parameter that is named too."""
    drawing = drawn("w = torch.ones(1, requires_grad=True)\nalso = w\nc = w * 2")
    assert next(box.lines for box in drawing.boxes if box.kind == "leaf") == ("w = also [1]",)


def test_what_nodes_have_saved_is_shown_on_request() -> None:
    """By the name of the tensor where it is one; freed by backward it says so."""
    made = scenario(
        "a = torch.ones(1, requires_grad=True)\nk = torch.ones(1)\nb = a * k\nc = b.exp()\nc.backward()"
    )
    _, before = drawing_of(made, torch, line=4, saved=True)
    assert {line for box in before.boxes if box.kind == "saved" for line in box.lines} == {
        "other: k",
        "result: c",
    }
    _, after = drawing_of(made, torch, saved=True)
    assert {line for box in after.boxes if box.kind == "saved" for line in box.lines} == {"freed"}


def test_a_moment_without_a_graph_is_told() -> None:
    """A missing step is reported too."""
    made = scenario("a = torch.ones(1)")
    with pytest.raises(NoGraphError, match="nothing requires grad"):
        drawing_of(made, torch)
    with pytest.raises(NoGraphError, match="nothing that was computed has a name"):
        drawing_of(scenario("a = torch.ones(1, requires_grad=True)\n(a * 2).backward()"), torch)
    with pytest.raises(NoGraphError, match="has 1 step, there is no step 2"):
        drawing_of(made, torch, step=2)
    with pytest.raises(
        NoGraphError, match=r"no statement there: its programs are on the lines \d+ to \d+ of the file"
    ):
        drawing_of(made, torch, line=7)


@st.composite
def graphs(
    draw: st.DrawFn,
) -> tuple[dict[tuple[int], tuple[float, float]], list[tuple[tuple[int], tuple[int]]]]:
    """Boxes of all sizes, arrows from lower to higher numbers."""
    count = draw(st.integers(1, 14))
    sizes = {(n,): (draw(st.floats(10, 200)), draw(st.floats(10, 60))) for n in range(count)}
    pairs = list(combinations(sizes, 2))
    return sizes, draw(st.lists(st.sampled_from(pairs), max_size=25)) if pairs else []


@given(graphs())
@settings(max_examples=60)
def test_boxes_do_not_overlap_and_arrows_go_down(
    graph: tuple[dict[tuple[int], tuple[float, float]], list[tuple[tuple[int], tuple[int]]]],
) -> None:
    """All within the picture, each arrow from the lower edge of its box to the upper edge of the other."""
    sizes, arrows = graph
    layout = place(sizes, arrows)
    for one, other in combinations(sizes, 2):
        (x, y), (to_x, to_y) = layout.places[one], layout.places[other]
        apart = abs(x - to_x) - (sizes[one][0] + sizes[other][0]) / 2
        below = abs(y - to_y) - (sizes[one][1] + sizes[other][1]) / 2
        assert apart > BETWEEN - 0.1 or below > 0
    for (start, end), points in zip(arrows, layout.arrows, strict=True):
        assert points[0][1] == pytest.approx(layout.places[start][1] + sizes[start][1] / 2)
        assert points[-1][1] == pytest.approx(layout.places[end][1] - sizes[end][1] / 2)
        assert all(one[1] <= other[1] + 1e-6 for one, other in pairwise(points))
    for key, (x, y) in layout.places.items():
        assert x - sizes[key][0] / 2 > -0.1 and x + sizes[key][0] / 2 < layout.width + 0.1
        assert y + sizes[key][1] / 2 < layout.height + 0.1


def test_a_large_graph_is_placed_quickly() -> None:
    """A thousand nodes in a row, and a hundred side by side."""
    boxes = tuple(Box((str(n),), "node", ("MulBackward0",)) for n in range(1100))
    chain = [Arrow((str(n),), (str(n + 1),)) for n in range(1000)]
    wide = [Arrow(("1000",), (str(n),)) for n in range(1001, 1100)]
    assert svg(Drawing(boxes, (*chain, *wide))).count("<rect") == 1101


def test_the_picture_is_xml_whatever_the_names_are() -> None:
    """Names are text, not markup."""
    picture = svg(drawn("d = {'<&\"': torch.ones(1, requires_grad=True)}\nc = d['<&\"'] * 2"), title="a < b")
    root = ElementTree.fromstring(picture)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "d['<&\"'] [1]" in texts


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a file or to standard output; a scenario without a graph is a misuse."""
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(
        "scenarios:\n  - {id: with-graph, title: t, run: 'a = torch.ones(1, requires_grad=True) * 2'}\n"
        "  - {id: without, title: t, run: 'a = torch.ones(1)'}\n"
    )
    assert main(["graph", "a.yaml::with-graph", "-o", "a.svg"]) == 0
    assert "MulBackward0" in Path("a.svg").read_text()
    assert main(["graph", "with-graph"]) == 0
    assert capsys.readouterr().out.startswith("<svg")
    assert main(["graph", "without"]) == 2
    assert "nothing requires grad" in capsys.readouterr().err
