"""Observing changes nothing of what is observed."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from conformance.runner.execute import run
from conformance.runner.observe import Observer
from conformance.runner.trace import Trace
from tests.runner.broken import broken
from tests.runner.make import facets, last, scenario, step, torch_engine, traced

torch = torch_engine.torch

PROGRAMS = {
    "accumulate": """
        a = torch.tensor([1., 2.], requires_grad=True)
        for i in range(3):
            b = (a * i).exp()
            b.sum().backward()
        a.grad.zero_()
    """,
    "retain": """
        a = torch.ones(2, requires_grad=True)
        b = a * 3
        b.retain_grad()
        c = b.sum()
        c.backward(retain_graph=True)
        c.backward()
        c.backward()
    """,
    "create graph": """
        x = torch.tensor([2.], requires_grad=True)
        g, = autograd.grad((x ** 3).sum(), x, create_graph=True)
        g2, = autograd.grad(g.sum(), x, create_graph=True)
        (g + g2).backward()
    """,
    "in place": """
        a = torch.ones(3, requires_grad=True)
        b = a.clone()
        v = b[1:]
        w = v * 2
        b.mul_(3)
        v.add_(1)
        w2 = v.exp()
        w2.sum().backward()
    """,
    "saved version": """
        a = torch.ones(3, requires_grad=True)
        b = a.exp()
        b.add_(1)
        b.sum().backward()
    """,
    "hooks": """
        seen = []
        a = torch.ones(1, requires_grad=True)
        a.register_hook(lambda g: seen.append(('a', g.item())))
        a.register_post_accumulate_grad_hook(lambda t: seen.append('post'))
        b = a * 2
        b.register_hook(lambda g: g * 10)
        b.grad_fn.register_hook(lambda gi, go: seen.append('node'))
        b.backward()
    """,
    "multi-output views": """
        a = torch.ones(2, requires_grad=True) * 1
        x, y = a.unbind()
        a.mul_(2)
        x.add_(1)
        y.is_leaf
    """,
    "no_grad view": """
        a = torch.ones(2, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            v = b[0]
        b.mul_(2)
        v.add_(1)
        v.requires_grad
    """,
    "inference": """
        with torch.inference_mode():
            a = torch.ones(2)
            b = a[:1]
        c = a * torch.ones(2, requires_grad=True)
    """,
    "saved tensors": """
        log = []
        def pack(x):
            log.append('pack')
            return x
        def unpack(x):
            log.append('unpack')
            return x
        a = torch.ones(2, requires_grad=True)
        with autograd.graph.saved_tensors_hooks(pack, unpack):
            b = a * a
        c = b.exp()
        (b + c).sum().backward()
    """,
    "custom function": """
        class Double(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return g * 2
        a = torch.ones(2, requires_grad=True)
        b = Double.apply(a)
        b.sum().backward()
    """,
    "training": """
        m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Dropout(0.5), nn.Linear(3, 1))
        opt = optim.Adam(m.parameters(), lr=0.1)
        for i in range(3):
            opt.zero_grad()
            loss = F.mse_loss(m(torch.randn(4, 2)), torch.ones(4, 1))
            loss.backward()
            opt.step()
        m.eval()
        out = m(torch.ones(1, 2))
    """,
    "warnings": """
        a = torch.ones(1, requires_grad=True)
        b = a * 1
        b.grad
        c = torch.ones(2, 3).T @ torch.ones(2, 1)
        torch.ones(3, 2, 1).T
    """,
    "checkpoint": """
        from torch.utils.checkpoint import checkpoint
        a = torch.ones(2, requires_grad=True)
        b = checkpoint(lambda x: (x * 2).exp(), a, use_reentrant=False)
        b.sum().backward()
    """,
    "detach and data": """
        a = torch.ones(2, requires_grad=True)
        b = a * 2
        d = b.detach()
        d.add_(1)
        b.data.mul_(3)
        b.sum().backward()
        a.data = torch.zeros(2)
        a.grad.data.zero_()
    """,
}


def _end(trace: Trace) -> list[object]:
    """Everything but the states on the way."""
    happened = [(m.statement, m.raised, m.warned, m.printed, m.values, m.failed) for m in trace.moments]
    return [*happened, trace.moments[-1].state]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_observed_ends_as_one_unobserved(name: str) -> None:
    """In the same state, with the same errors, warnings and hooks on the way."""
    made = scenario(step(PROGRAMS[name]))
    assert _end(run(made, torch_engine)) == _end(run(made, torch_engine, observe="end"))


def test_a_scenario_that_observing_changes_says_so() -> None:
    """Reading grad_fn of a view whose base was written makes its node at once: hence observe: end."""
    program = """
        seen = []
        a = torch.ones(2, requires_grad=True)
        b = a * 1
        v = b[:]
        b.mul_(2)
        c = b * 3
        v.grad_fn.register_hook(lambda *grads: seen.append('v'))
        c.grad_fn.register_hook(lambda *grads: seen.append('c'))
        (v.sum() + c.sum()).backward()
    """
    assert facets(last(step(program), observe="each"), "seen")["value"] == "['c', 'v']"
    assert facets(last(step(program), observe="end"), "seen")["value"] == "['v', 'c']"


def test_a_snapshot_keeps_no_reference() -> None:
    """A tensor and its graph are freed when their names go."""
    program = """
        a = torch.ones(1, requires_grad=True)
        b = a.exp()
        c = b * b  # saves b
        wb, wc = weakref(b), weakref(c)
        del b
        alive = wb() is not None
        del c
        gone = wb() is None, wc() is None
    """
    moment = last(step(program))
    assert (facets(moment, "alive")["value"], facets(moment, "gone")["value"]) == ("True", "(True, True)")


def test_an_error_keeps_no_frame_alive() -> None:
    """What a failing function held is gone before the next snapshot."""
    program = """
        refs = []
        def fails():
            local = torch.ones(1)
            refs.append(weakref(local))
            local.view(7)
    """
    trace = traced(step(program), "fails()", step("pass", expect={"refs[0]() is None": True}))
    assert trace.moments[-2].raised is None
    assert dict(trace.moments[-1].values) == {"refs[0]() is None": "True"}


def test_an_error_that_the_engine_keeps_keeps_no_frame_alive() -> None:
    """Its traceback is let go of, and those of the errors behind it."""
    kept: list[BaseException] = []

    def fails() -> None:
        try:
            raise ValueError("behind")
        except ValueError as error:
            kept.append(RuntimeError("before"))
            raise kept[0] from error

    program = """
        refs = []
        def holds():
            local = torch.ones(1)
            refs.append(weakref(local))
            torch.fails()
    """
    made = scenario(step(program), "holds()", step("pass", expect={"refs[0]() is None": True}))
    trace = run(made, broken(fails=fails))
    assert str(trace.moments[-3].raised) == "RuntimeError: before"
    assert dict(trace.moments[-1].values) == {"refs[0]() is None": "True"}
    assert str(kept[0]) == "before"


def test_expectations_keep_no_result_alive() -> None:
    """Their results live as long as the snapshot after them."""
    trace = traced(
        step(
            "refs = []\ndef f():\n  t = torch.ones(1)\n  refs.append(weakref(t))\n  return t",
            expect={"f()": [1.0]},
        ),
        step("pass", expect={"refs[0]() is None": True}),
    )
    assert dict(trace.moments[-1].values) == {"refs[0]() is None": "True"}


@pytest.mark.filterwarnings("ignore:.torch.distributed")
def test_a_run_keeps_nothing_alive() -> None:
    """When it is over, all that the program made is gone, without a collection."""

    def tensors() -> set[int]:
        return {id(one) for one in gc.get_objects() if isinstance(one, torch.Tensor)}

    made = scenario("a = torch.ones(1, requires_grad=True)\nb = a * 2\nb.backward()\nb.view(7)")
    before = tensors()
    run(made, torch_engine)
    assert tensors() <= before


def test_a_snapshot_warns_nothing(recwarn: pytest.WarningsRecorder) -> None:
    """Not of non-leaves, whose .grad warns when it is read, nor of storages."""
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    with torch.inference_mode():
        c = torch.ones(1)
    torch.set_warn_always(True)
    try:
        Observer(torch_engine).snapshot([("a", a), ("b", b), ("c", c), ("m", torch.nn.Linear(1, 1))])
    finally:
        torch.set_warn_always(False)
    assert [str(warning.message) for warning in recwarn] == []


def test_a_snapshot_runs_no_unpack_hook() -> None:
    """Saved tensors are not read."""
    calls: list[str] = []

    def unpack(saved: object) -> object:
        calls.append("unpacked")
        return saved

    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack):
        b = torch.ones(2, requires_grad=True).exp()
    Observer(torch_engine).snapshot([("b", b), ("n", b.grad_fn)])
    assert calls == []


def test_what_raises_when_read_has_the_error_as_its_value() -> None:
    """Views that in-place writes made invalid, and versions of inference tensors."""
    stale = last("a = torch.ones(2, requires_grad=True) * 1\nx, y = a.unbind()\na.mul_(2)")
    assert str(facets(stale, "x")["grad_fn"]).startswith("raises RuntimeError: Output 0 of Unbind is a view")
    assert str(facets(stale, "x")["is_leaf"]).startswith("raises RuntimeError")
    assert facets(stale, "x")["value"] == "2.0"
    inference = last("with torch.inference_mode():\n  a = torch.ones(1)")
    assert str(facets(inference, "a")["_version"]).startswith(
        "raises RuntimeError: Inference tensors do not track"
    )
    assert facets(inference, "a")["requires_grad"] is False


def test_a_long_chain_is_cut_after_a_thousand_nodes() -> None:
    """And the cut is recorded."""
    moment = last("a = torch.ones(1, requires_grad=True)\nb = a\nfor i in range(3000):\n  b = b * 1")
    lines = str(facets(moment, "b")["edges"]).split("\n")
    assert (len(lines), lines[-1]) == (1002, "...")


def test_dropping_a_chain_that_was_walked_often_does_not_crash() -> None:
    """The walked nodes of a whole run are limited too: 60 snapshots of 1000 nodes each would be too many."""
    program = """
from tests.runner.broken import broken
from tests.runner.make import traced
loop = "for i in range(1000):\\n  b = b * 1\\n"
trace = traced("a = torch.ones(1, requires_grad=True)\\nb = a\\n" + 60 * loop + "del b")
print(len(trace.moments))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, str(3 + 60 * 21)), done.stderr


def test_a_warning_of_an_engine_that_is_looked_at_is_not_the_programs() -> None:
    """It belongs to no statement."""
    trace = traced("a = torch.ones(1, requires_grad=True)\nb = a * 1\nb.retain_grad()\nc = 1")
    assert [moment.warned for moment in trace.moments] == [(), (), (), ()]
