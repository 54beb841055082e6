"""Attempts of programs to leave the language.

``BY_NAME`` passes the checks of the language, and reaches out through functions of torch that take names as text.
``BY_PYTHON`` has all of Python, as if a way out had been found, and meets the second wall. ``{file}`` is a file that
does not exist, ``{secret}`` one that does.
"""

from __future__ import annotations

_FUNCTION = """
def f(): pass
f._forward_pre_hooks = {{}}
got = []
def take(name, value): got.append(value)
f.register_parameter = f.register_buffer = take
"""
_MODULE = "m = nn.Linear(2, 2)\nu = '_' * 2\n"
_LIST = """
opt = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
"""

BY_NAME = {
    "prune-identity": _FUNCTION + "nn.utils.prune.identity(f, '_' * 2 + 'globals' + '_' * 2)",
    "prune-generator": _FUNCTION + "def g(): yield\nh = g()\nnn.utils.prune.identity(h, 'gi_' + 'frame')",
    "prune-random": _MODULE + "nn.utils.prune.random_unstructured(m, u + 'class' + u, amount=1)",
    "prune-remove": _MODULE + "nn.utils.prune.remove(m, u + 'dict' + u)",
    "prune-is-pruned-global": _MODULE
    + "nn.utils.prune.global_unstructured([(m, u + 'dict' + u)], nn.utils.prune.L1Unstructured, amount=1)",
    "parameter-dict": "d = nn.ParameterDict()['_' * 2 + 'class' + '_' * 2]",
    "parameter-dict-set": "d = nn.ParameterDict()\nd['_' * 2 + 'class' + '_' * 2] = torch.ones(1)",
    "parameter-dict-delete": "d = nn.ParameterDict({{'a': torch.ones(1)}})\ndel d['_' * 2 + 'dict' + '_' * 2]",
    "get-parameter": _MODULE + "m.get_parameter(u + 'init' + u)",
    "get-buffer": _MODULE + "m.get_buffer(u + 'class' + u)",
    "get-submodule": _MODULE + "m.get_submodule(u + 'class' + u)",
    "set-submodule": _MODULE + "m.set_submodule(u + 'class' + u, m)",
    "register-parameter": _MODULE + "m.register_parameter(u + 'deepcopy' + u, nn.Parameter(torch.ones(1)))",
    "register-buffer": _MODULE + "m.register_buffer(u + 'deepcopy' + u, torch.ones(1))",
    "register-module": _MODULE + "m.add_module(u + 'deepcopy' + u, nn.Linear(1, 1))",
    "module-dict": "u = '_' * 2\nd = nn.ModuleDict({{u + 'deepcopy' + u: nn.Linear(1, 1)}})",
    "functional-call": _MODULE
    + "torch.func.functional_call(m, {{u + 'class' + u: torch.ones(1)}}, torch.ones(2))",
    "parametrize": _MODULE
    + "nn.utils.parametrize.register_parametrization(m, u + 'class' + u, nn.Identity())",
    "spectral-norm": _MODULE + "nn.utils.parametrizations.spectral_norm(m, u + 'dict' + u)",
    "weight-norm": _MODULE + "nn.utils.parametrizations.weight_norm(m, u + 'dict' + u)",
    "old-weight-norm": _MODULE + "nn.utils.weight_norm(m, u + 'dict' + u)",
    "old-spectral-norm": _MODULE + "nn.utils.spectral_norm(m, u + 'dict' + u)",
    "arg-constraints": """
class D(torch.distributions.Normal):
    arg_constraints = {{'_' * 2 + 'init' + '_' * 2: torch.distributions.constraints.real}}
d = D(0., 1.)
""",
    "storage-type": "torch.ones(2).untyped_storage().type('this')",
    "storage-type-of-a-package": "torch.ones(2).untyped_storage().type('pip.main')",
    "load-state-of-torch": "opt = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)\n"
    "s = optim.lr_scheduler.LambdaLR(opt, lambda e: 1)\nd = s.state_dict()\n"
    "s.lr_lambdas = [F.gelu if False else F.softmax]\nd['lr_lambdas'] = [{{'x': 1}}]\ns.load_state_dict(d)",
    "library-aten": "seen = []\nlib = torch.library.Library('at' + 'en', 'IMPL')\nseen.append([lib, seen])\n"
    "lib.impl('sin', lambda x: x, 'CPU')",
    "define-aten": "torch.library.define('at' + 'en::x2', '() -> ()')",
    "impl-aten": "torch.library.impl('at' + 'en::sin', 'CPU', lambda x: x)",
    "impl-aten-decorator": "torch.library.impl('at' + 'en::sin', 'CPU')(lambda x: x)",
    "custom-op-aten": "@torch.library.custom_op('at' + 'en::sin3', mutates_args=())\n"
    "def f(x: torch.Tensor) -> torch.Tensor: return x.clone()",
    "register-autograd": "torch.library.register_autograd('at' + 'en::sin', lambda ctx, g: g)",
}
"""On torch: refused when they run, whatever their text is made of."""

OWN_ERRORS = {
    "prune-generator": "AttributeError",
    "prune-remove": "ValueError",
    "parameter-dict-delete": "KeyError",
    "parametrize": "ValueError",
    "weight-norm": "ValueError",
    "old-spectral-norm": "KeyError",
}
"""Those that torch refuses by itself, before it looks for the name."""

HARMLESS_IN_THE_ENGINE = {"storage-type", "storage-type-of-a-package"}
"""The in-house engine imports nothing there."""

BY_PYTHON = {
    "write": "open('{file}', 'w')",
    "append": "open('{file}', 'a')",
    "write-bytes": "open('{file}', 'xb')",
    "os-open": "import os\nos.open('{file}', os.O_CREAT | os.O_WRONLY)",
    "mkdir": "import os\nos.mkdir('{file}')",
    "remove": "import os\nos.remove('{secret}')",
    "rename": "import os\nos.rename('{secret}', '{file}')",
    "symlink": "import os\nos.symlink('{secret}', '{file}')",
    "chmod": "import os\nos.chmod('{secret}', 0)",
    "truncate": "import os\nos.truncate('{secret}', 0)",
    "copy": "import shutil\nshutil.copy('{secret}', '{file}')",
    "temporary": "import tempfile\ntempfile.mkstemp(dir='.')",
    "read": "found = open('{secret}').read()",
    "read-up-a-folder": "import os\nfound = open(os.path.join(torch.__path__[0], *['..'] * 9) + '{secret}').read()",
    "read-passwd": "found = open('/etc/passwd').read()",
    "read-environment": "found = open('/proc/self/environ').read()",
    "list": "import os\nfound = os.listdir('/')",
    "scan": "import os\nfound = [each.name for each in os.scandir('/')]",
    "linecache": "import linecache\nfound = linecache.getlines('{secret}')",
    "system": "import os\nos.system('touch {file}')",
    "popen": "import os\nos.popen('touch {file}')",
    "subprocess": "import subprocess\nsubprocess.run(['touch', '{file}'])",
    "spawn": "import os\nos.posix_spawn('/bin/touch', ['touch', '{file}'], {{}})",
    "fork": "import os\nos.fork()",
    "exec": "import os\nos.execv('/bin/touch', ['touch', '{file}'])",
    "kill": "import os\nos.kill(os.getpid(), 9)",
    "socket": "import socket\nsocket.socket()",
    "connect": "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "resolve": "import socket\nsocket.getaddrinfo('localhost', 80)",
    "url": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9')",
    "ctypes": "import ctypes\nctypes.CDLL(None)",
    "ctypes-memory": "import ctypes\nctypes.string_at(id(1), 8)",
    "ctypes-pythonapi": "import ctypes\nctypes.pythonapi.Py_IncRef",
    "import-other": "import pytest._code.source_of_nothing",
    "import-by-name": "import importlib\nimportlib.import_module('pip.main')",
    "putenv": "import os\nos.environ['A_VARIABLE'] = '1'",
    "chdir": "import os\nos.chdir('/')",
    "torch-save": "torch.save(torch.ones(1), '{file}', _use_new_zipfile_serialization=False)",
    "numpy-tofile": "torch.ones(1).numpy().tofile('{file}')",
    "numpy-memmap": "import numpy\nnumpy.memmap('{file}', mode='w+', shape=(1,))",
    "pickle": "import pickle\npickle.loads(b'cos\\nsystem\\n(Vtouch {file}\\ntR.')",
    "objects": "import gc\nfound = len(gc.get_objects())",
    "trace": "import sys\nsys.settrace(lambda *given: None)",
    "lower": "import sys\nsys.audit('conformance.wall.down')\nopen('{file}', 'w')",
    "raise-again": "import sys\nsys.audit('conformance.wall.up', None, frozenset(), [])\nopen('{file}', 'w')",
    "another-thread": "import threading\nt = threading.Thread(target=open, args=('{file}', 'w'))\nt.start()\nt.join()",
    "thread-that-lowers": "import threading, sys\ndef f():\n  sys.audit('conformance.wall.down')\n  "
    "open('{file}', 'w')\nt = threading.Thread(target=f)\nt.start()\nt.join()",
    "module-of-the-wall": "from conformance.runner import wall\nvars(wall).update(_refusal=lambda *given: '', "
    "_is_below=lambda *given: True, _is_imported=lambda *given: True, _HARMLESS={{'open'}})\nopen('{file}', 'w')",
    "swallowed": "def f():\n  try: open('{file}', 'w')\n  except BaseException: pass\nf()",
    "callback": "def f(_): open('{file}', 'w')\nx = torch.ones(1)\nw = weakref(x, f)\ndel x",
    "code-of-another-file": "exec(compile('found = open(\"{secret}\").read()', '{secret}', 'exec'))",
    "code-of-the-engine": "exec(compile('import pip', torch.__file__, 'exec'))",
    "code-that-is-moved": "def f():\n  import pip\n"
    "exec(f.__code__.replace(co_filename=print.__self__._engine.torch.__file__))",
    "code-of-an-import": "exec(compile('import os; os.listdir(\"/\")', "
    "'<frozen importlib._bootstrap_external>', 'exec'))",
    "bytecode": "import sys\nvars(sys).update(dont_write_bytecode=False)\nopen('{file}', 'w')",
}
"""On either engine."""
