"""What a snapshot shows of every live name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters.module import ModuleEngine
from conformance.runner.execute import run
from tests.runner.make import at, facets, last, scenario, step, traced


def test_all_facets_of_a_tensor() -> None:
    """Values, flags and graph, of the tensor and of its grad."""
    moment = last("a = torch.tensor([3.], requires_grad=True)\nb = a * a\nb.backward()")
    assert facets(moment, "a") == {
        "value": "[3.0]",
        "shape": "[1]",
        "dtype": "float32",
        "requires_grad": True,
        "is_leaf": True,
        "retains_grad": False,
        "grad_fn": None,
        "output_nr": 0,
        "_version": 0,
        "_base": None,
        "storage": None,
    }
    assert facets(moment, "a.grad")["value"] == "[6.0]"
    assert facets(moment, "a.grad").keys() == facets(moment, "a").keys()
    assert facets(moment, "b")["grad_fn"] == "MulBackward0"
    assert "b.grad" not in (moment.state or {})


def test_edges_lead_to_names() -> None:
    """A node whose tensor is alive is shown by its name, a leaf's as AccumulateGrad of it."""
    moment = last("a = torch.ones(2, requires_grad=True)\nb = a * 2\nc = b + a")
    assert facets(moment, "c")["edges"] == "(b, AccumulateGrad(a))"
    assert facets(moment, "b")["edges"] == "(AccumulateGrad(a), None)"
    assert facets(moment, "b")["name()"] == "MulBackward0, torch::autograd::AccumulateGrad"


def test_nodes_between_names_are_spelled_out() -> None:
    """Each with a number, so that one node met twice is seen to be one."""
    moment = last("a = torch.ones(2, requires_grad=True)\nb = a.exp()\nc = (b * b).sum() + b.sum()\ndel b")
    assert facets(moment, "c")["edges"] == "\n".join(
        [
            "(#1, #2)",
            "#1 = SumBackward0(#3)",
            "#2 = SumBackward0(#4)",
            "#3 = MulBackward0(#4, #4)",
            "#4 = ExpBackward0(AccumulateGrad(a))",
        ]
    )


def test_edges_have_indices() -> None:
    """Outputs of one node are distinguished, named or not; names that share a node are seen."""
    moment = last("a = torch.ones(3, requires_grad=True)\nx, y, z = a.unbind()\nc = z + y\nd = c * z\ndel z")
    assert facets(moment, "c")["edges"] == "(grad_fn of x:2, y)"
    assert facets(moment, "y")["edges"] == "as x"
    assert (facets(moment, "x")["output_nr"], facets(moment, "y")["output_nr"]) == (0, 1)


def test_nodes_that_two_names_share_are_seen_to_be_one() -> None:
    """What an earlier name's text has spelled out is referred to, by a tensor and by a name for a node."""
    moment = last(
        "a = torch.ones(2, requires_grad=True)",
        "t = a.exp()\nc = t.sum()\nd = (t * 2).sum()\ndel t",
        "e, node = d.grad_fn.next_functions[0]",
    )
    assert facets(moment, "c")["edges"] == "(#1)\n#1 = ExpBackward0(AccumulateGrad(a))"
    assert facets(moment, "d")["edges"] == "(#1)\n#1 = MulBackward0(#1 of c, None)"
    assert facets(moment, "e")["edges"] == "as #1 of d"


def test_an_expectation_that_is_a_name_changes_no_text() -> None:
    """The nodes below it are spelled out all the same."""
    moment = last(
        step(
            "a = torch.ones(2, requires_grad=True)\nc = a.exp().sum()",
            expect={"c": 1, "c.grad_fn": "SumBackward0"},
        )
    )
    assert facets(moment, "c")["edges"] == "(#1)\n#1 = ExpBackward0(AccumulateGrad(a))"


def test_leaves_without_a_name_are_told_apart() -> None:
    """By number, in the order in which they are met."""
    moment = last("def leaf(): return torch.ones(1, requires_grad=True)\nx = leaf()\nc = x * leaf() * leaf()")
    assert facets(moment, "c")["edges"] == (
        "(#1, AccumulateGrad(unnamed 1))\n#1 = MulBackward0(AccumulateGrad(x), AccumulateGrad(unnamed 2))"
    )


def test_views_and_storages() -> None:
    """Who is a view of whom, and who shares storage without being one."""
    moment = last(
        "a = torch.ones(4)\nb = a[1:]\nc = b[1:]\nd = a.detach()\ne = torch.ones(4)\nf = torch.ones(4)[1:]"
    )
    assert {name: facets(moment, name)["_base"] for name in "abcdef"} == {
        "a": None,
        "b": "a",
        "c": "a",
        "d": None,
        "e": None,
        "f": "unnamed 1",
    }
    assert {name: facets(moment, name)["storage"] for name in "abcdef"} == {
        "a": None,
        "b": "a",
        "c": "a",
        "d": "a",
        "e": None,
        "f": None,
    }


def test_empty_tensors_share_their_storage_with_nobody() -> None:
    """Though all have data pointer 0."""
    moment = last("a = torch.empty(0)\nb = torch.ones(0, 3)")
    assert (facets(moment, "a")["storage"], facets(moment, "b")["storage"]) == (None, None)


def test_names_of_one_object() -> None:
    """The second name says so, and says no more."""
    moment = last(
        "a = torch.ones(1, requires_grad=True)\nb = a\n(a * 2).backward()\ng = a.grad\nl = [a]\nk = l"
    )
    assert facets(moment, "b") == {"is": "a"}
    assert facets(moment, "g") == {"is": "a.grad"}
    assert facets(moment, "l[0]") == {"is": "a"}
    assert facets(moment, "k") == {"is": "l"}


def test_containers_stand_for_the_paths_into_them() -> None:
    """Where they hold tensors; plain data is shown as it is."""
    moment = last(
        "s = [torch.ones(1), (2, torch.zeros(1))]\nd = {'k': torch.ones(1)}\np = {'n': [1, (2.5, None)]}"
    )
    assert moment.state is not None
    assert set(moment.state) == {"s", "s[0]", "s[1]", "s[1][0]", "s[1][1]", "d", "d['k']", "p"}
    assert facets(moment, "p") == {"value": "{'n': [1, (2.5, None)]}"}
    assert facets(moment, "s") == {"value": "sequence of 2"}


def test_a_long_list_is_cut() -> None:
    """And says so."""
    moment = last("x = torch.ones(1)\nl = [x * i for i in range(1000)]")
    assert facets(moment, "l") == {"value": "sequence of 1000, of which 200 are shown"}
    assert moment.state is not None
    assert len(moment.state) == 2 + 200


def test_a_list_in_itself_ends() -> None:
    """By the name it was first found by."""
    assert facets(last("l = [torch.ones(1)]\nl.append(l)"), "l[1]") == {"is": "l"}


def test_modules_stand_for_parameters_buffers_and_own_attributes() -> None:
    """Of submodules too; of torch's own modules the mode, of a program's what it sets."""
    program = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
                self.scale = 2.5
                self.seen = []
        m = Net()
        m.seen.append(torch.ones(1))
        m.layers[0].weight.requires_grad_(False)
    """
    moment = last(step(program))
    assert moment.state is not None
    assert {"m.layers[0].weight", "m.layers[0].bias", "m.layers[1].running_mean", "m.seen[0]"} <= set(
        moment.state
    )
    assert facets(moment, "m.layers[0].weight")["requires_grad"] is False
    assert facets(moment, "m.scale") == {"value": "2.5"}
    assert facets(moment, "m.training") == facets(moment, "m.layers[1].training") == {"value": "True"}
    assert "m.layers[0].in_features" not in moment.state


def test_optimizers_stand_for_their_groups_and_state() -> None:
    """Parameters by the names they have, state by the place of its parameter."""
    program = """
        m = nn.Linear(2, 1)
        opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
        m(torch.ones(1, 2)).sum().backward()
        opt.step()
    """
    moment = last(step(program))
    assert facets(moment, "opt.param_groups[0].params[1]") == {"is": "m.bias"}
    assert facets(moment, "opt.param_groups[0].lr") == {"value": "0.1"}
    assert facets(moment, "opt.state[0].momentum_buffer")["value"] == "[[1.0, 1.0]]"
    assert facets(moment, "opt.state[1].momentum_buffer")["shape"] == "[1]"


def test_a_node_is_shown_as_its_type_with_its_edges() -> None:
    """A name may hold one."""
    moment = last(
        "a = torch.ones(1, requires_grad=True)\nb = a * a\nn = b.grad_fn\nk = n.next_functions[0][0]"
    )
    assert facets(moment, "n")["grad_fn"] == "MulBackward0"
    assert facets(moment, "n")["edges"] == "as b"
    assert facets(moment, "k") == {
        "grad_fn": "AccumulateGrad",
        "edges": "(a)",
        "name()": "torch::autograd::AccumulateGrad",
    }


def test_other_values() -> None:
    """Numbers and text as they are, dtypes by name; of functions and the like that they are there."""
    data = "n = 1; f = 0.1; s = 'x'; t = torch.Size([2]); d = torch.float16; v = {1}; c = torch.device('cpu')"
    moment = last(f"{data}\ndef g(): pass\nh = torch.exp")
    shown = {name: facets(moment, name)["value"] for name in ("n", "f", "s", "t", "d", "v", "c", "g", "h")}
    assert shown == {
        "n": "1",
        "f": "0.1",
        "s": "'x'",
        "t": "(2,)",
        "d": "torch.float16",
        "c": "cpu",
        "g": "bound",
        "h": "bound",
        "v": "{1}",
    }


def test_a_program_may_bind_torchs_names_anew() -> None:
    """Then they are names of the program."""
    assert set(last("F = 2\nx = 1").state or {}) == {"F", "x"}


def test_grads_of_grads() -> None:
    """A grad with a graph is a tensor like others, down to its own grad."""
    program = """
        a = torch.ones(1, requires_grad=True)
        (a ** 3).backward(create_graph=True)
        a.grad.retain_grad()
        (a.grad * 2).backward()
    """
    moment = last(step(program))
    assert facets(moment, "a.grad")["grad_fn"] == "CopyBackwards" or facets(moment, "a.grad")["grad_fn"]
    assert facets(moment, "a.grad.grad")["value"] == "[2.0]"


def test_expectations_are_evaluated_after_the_snapshot() -> None:
    """Their results are observed in one more statement, and their values kept for the verdict."""
    trace = traced(step("a = torch.ones(2)", expect={"a.add_(1)": [2.0, 2.0], "a.nope": 1, "[a, 1]": []}))
    before, after = trace.moments
    assert (facets(before, "a")["value"], facets(after, "a")["value"]) == ("[1.0, 1.0]", "[2.0, 2.0]")
    assert (before.statement.kind, after.statement.kind) == ("run", "expect")
    assert facets(after, "a.add_(1)") == {"is": "a"}
    assert dict(after.values) == {
        "a.add_(1)": "[2.0, 2.0]",
        "a.nope": "raises AttributeError: 'Tensor' object has no attribute 'nope'",
        "[a, 1]": "[[2.0, 2.0], 1]",
    }


def test_warnings_are_those_of_the_statement() -> None:
    """All of them, each time, whatever filters the process has."""
    trace = traced("a = torch.ones(1, requires_grad=True) * 1\nfor i in range(2):\n  a.grad\nb = 1")
    assert [len(moment.warned) for moment in trace.moments] == [0, 1, 1, 0, 0]
    assert at(trace, 3, 1).warned[0].category == "UserWarning"
    assert at(trace, 3, 1).warned[0].message.startswith("The .grad attribute of a Tensor that is not a leaf")
    assert "Triggered" not in at(trace, 3, 1).warned[0].message


def test_observe_end_takes_one_snapshot() -> None:
    """After the last statement; errors, warnings and prints are noted at each."""
    trace = traced("a = 1\nprint(a)", "b = 2\nc = 3", observe="end")
    assert [moment.state is None for moment in trace.moments] == [True, True, True, False]
    assert trace.moments[1].printed == "1\n"
    failing = traced("a = 1", "b = 2\n1 / 0\nc = 3", observe="end")
    assert [moment.state is None for moment in failing.moments] == [True, True, False]
    expecting = traced(step("a = 1\nb = 1", expect={"a": 1}), observe="end")
    assert [moment.state is None for moment in expecting.moments] == [True, True, False]


def test_numpys_arrays_and_numbers() -> None:
    """Are numbers with a shape and a dtype, and names of one object."""
    moment = last("a = torch.ones(2).numpy()\nb = a\nc = torch.ones(2).sum().numpy()")
    assert facets(moment, "a") == {"value": "[1.0, 1.0]", "shape": "[2]", "dtype": "float32"}
    assert facets(moment, "b") == {"is": "a"}
    assert facets(moment, "c") == {"value": "2.0", "shape": "[]", "dtype": "float32"}


def test_cyclic_garbage_is_collected_on_demand_alone() -> None:
    """However much the runner allocates in between."""
    program = """
        def cycle():
            t = torch.ones(1)
            l = [t]
            l.append(l)
            return weakref(t)
        w = cycle()
        for i in range(3000):
            l = [[j] for j in range(10)]
        before = w() is None
        collect()
        after = w() is None
    """
    moment = last(step(program))
    assert (facets(moment, "before")["value"], facets(moment, "after")["value"]) == ("False", "True")


class _Listing:
    """A tensor whose list of numbers is the data."""

    def __init__(self, data: Any) -> None:
        self.data, self.shape = data, ()

    def tolist(self) -> Any:
        """What it was made of."""
        return self.data


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        ("[n.float32(1.5), n.float32(2)]", "[1.5, 2.0]"),
        ("[n.array([1, 2])]", "[[1, 2]]"),
        ("n.float32(1.5)", "1.5"),
        ("[1.5, torch.tensor([2.])]", "[1.5, [2.0]]"),
        ("[[], []]", "[[], []]"),
        ("(n.bool_(True), False)", "[True, False]"),
    ],
)
def test_numbers_that_are_not_pythons_own_are_listed_as_such(listed: str, text: str) -> None:
    """An engine's tolist() may return NumPy's numbers, arrays, or tensors in a list."""
    torch = SimpleNamespace(Tensor=_Listing, tensor=_Listing, n=np)
    made = scenario(f"n = torch.n\na = torch.tensor({listed})")
    trace = run(made, ModuleEngine("listing", torch, version="1"))
    assert facets(trace.moments[-1], "a")["value"] == text
