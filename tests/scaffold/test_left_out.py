"""What changes nothing that torch computes is left out and named; other packages are written in the language."""

from __future__ import annotations

import pytest

from conformance.scaffold.pasted import clean
from conformance.scaffold.snippet import read


def left(program: str) -> tuple[list[str], list[str]]:
    """The lines that remain, without imports, and the notes."""
    pasted = clean(program)
    kept = [line for line in pasted.lines if line.strip() and "import" not in line]
    return kept, [note for _, note in pasted.notes]


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        (
            "import time\nt = time.time()\nx = torch.ones(1)\nd = time.time() - t\nprint(d)\n",
            ["x = torch.ones(1)"],
        ),
        ("import time\nt = time.time()\nprint('took', time.time() - t)\n", []),
        ("import time\nt = time.time()\nprint('x', x, time.time() - t)\n", ["print('x', x, \"...\")"]),
        (
            "import time\nt = time.time()\nprint(f'{x} in {time.time() - t:.2f}s')\n",
            ["print(f'{x} in ...s')"],
        ),
        (
            "from tqdm import tqdm\nfor n in tqdm(range(3), desc='a'):\n    f(n)\n",
            ["for n in range(3):", "    f(n)"],
        ),
        ("from tqdm import trange\nfor n in trange(3):\n    f(n)\n", ["for n in range(3):", "    f(n)"]),
        (
            "import tqdm\nbar = tqdm.tqdm([1, 2])\nfor n in bar:\n    bar.set_postfix(n=n)\n",
            ["bar = ([1, 2])", "for n in bar:", "    pass"],
        ),
        ("import matplotlib.pyplot as plt\nfig, (a, b) = plt.subplots(2)\na.plot(x)\nplt.show()\n", []),
        ("plt.plot(x); y = x\n", ["pass; y = x"]),
        ("if x:\n    plt.show()\n", ["if x:", "    pass"]),
        ("if x:\n    plt.show()\n    y = 1\n", ["if x:", "    y = 1"]),
        ("torch.save(model.state_dict(), 'a.pt')\n", []),
        ("import os\nPATH = os.path.join('a', 'b')\ntorch.save(model, PATH)\n", []),
        (
            "def seed(n):\n    random.seed(n)\n    torch.manual_seed(n)\n",
            ["def seed(n):", "    torch.manual_seed(n)"],
        ),
        ("torch.backends.cudnn.benchmark = False\ntorch.cuda.empty_cache()\n", []),
        ("@torch.compile\ndef f(x):\n    return x\n", ["def f(x):", "    return x"]),
        ("@torch.compile(mode='max')\ndef f(x):\n    return x\n", ["def f(x):", "    return x"]),
        ("g = torch.compile(f, dynamic=True)\n", ["g = f"]),
        ("torch.compile(lambda x: x)(1)\n", ["(lambda x: x)(1)"]),
        ("from torch import compile\ng = compile(f)\n", ["g = f"]),
    ],
)
def test_what_is_left_out(program: str, kept: list[str]) -> None:
    """Each is named; the lines that remain keep their places."""
    program = (
        program.replace("random.seed", "import random\n    random.seed") if "def seed" in program else program
    )
    found, notes = left(program)
    assert found == kept
    assert notes


@pytest.mark.parametrize(
    "program",
    [
        "import time\nt = time.time()\ny = x * t\n",
        "import time\nscale = time.time()\nprint(x * scale)\ny = [x, scale]\n",
        "time = 3\nprint(time)\n",
        "tqdm = list\nfor n in tqdm(x):\n    pass\n",
        "x = torch.ones(1)\n",
    ],
)
def test_what_is_used_stays(program: str) -> None:
    """A value that the program computes with is not left out, and neither is a name that the program defines."""
    found, _ = left(program)
    assert [
        line for line in program.split("\n") if line and "import" not in line and "print(x" not in line
    ] == [line for line in found if "print(x" not in line]


@pytest.mark.parametrize(
    ("program", "becomes"),
    [
        ("from functorch import grad, vmap as v\n", "from torch.func import grad, vmap as v"),
        ("import functorch\nfunctorch.vmap(f)\n", "torch.func.vmap(f)"),
        ("import functorch as ft\nft.grad(f)\n", "torch.func.grad(f)"),
        ("import numpy as np\nx = torch.tensor(np.array([1, 2]))\n", "x = torch.tensor([1, 2])"),
        (
            "import numpy as np\nx = torch.from_numpy(np.array([1., -2.]))\n",
            "x = torch.tensor([1.0, -2.0], dtype=torch.float64)",
        ),
        (
            "import numpy as np\nx = torch.tensor(np.array([1.]), dtype=torch.float32)\n",
            "x = torch.tensor([1.0], dtype=torch.float32)",
        ),
        (
            "from collections import defaultdict\nd = defaultdict(list)\nd[1].append(2)\n",
            "d.setdefault(1, []).append(2)",
        ),
        (
            "import collections\nd = collections.defaultdict(int)\nd['a'] += 2\n",
            "d['a'] = d.setdefault('a', 0) + 2",
        ),
        ("from collections import defaultdict\nd = defaultdict(lambda: 7)\n", "d = {}"),
    ],
)
def test_what_is_written_otherwise(program: str, becomes: str) -> None:
    """With the same meaning."""
    assert clean(program).source.strip().split("\n")[-1] == becomes


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        (
            "from functorch import make_functional\ny = make_functional(m)",
            "a:1:23: `functorch` may not be imported; torch.func has",
        ),
        ("x = torch.compiler.foo", "a:1:20: `torch.compiler.foo` is not in the vocabulary"),
        (
            "from collections import Counter\nc = Counter()",
            "a:1:25: `collections` may not be imported; write a dict, and",
        ),
        (
            "from torch.utils.data import DataLoader\nDataLoader(d)",
            "a:1:30: `torch.utils.data.DataLoader` is not in the",
        ),
        (
            "import random\nx = random.random()",
            "a:1:8: `random` may not be imported; torch.rand, torch.randint",
        ),
        (
            "import time\nx = torch.ones(1) * time.time()",
            "a:1:8: `time` may not be imported; a scenario may not measure",
        ),
        (
            "import numpy as np\nx = np.dot(a, b)",
            "a:1:8: `numpy` may not be imported; torch.tensor and torch.arange",
        ),
        (
            "import matplotlib.pyplot as plt\ny = x * plt.size",
            "a:1:8: `matplotlib` may not be imported; leave it out: a",
        ),
        (
            "import itertools\nx = list(itertools.count())",
            "a:1:8: `itertools` may not be imported; write a comp",
        ),
        (
            "from torchvision import models\nx = models.resnet18()",
            "a:1:25: `torchvision` may not be imported; write a",
        ),
    ],
)
def test_an_answer_that_helps(program: str, answer: str) -> None:
    """What cannot be left out is refused with what to write instead, by line and column."""
    assert read(program, "a").faults[0].startswith(answer)
