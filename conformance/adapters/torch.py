"""The reference. The only file of the suite that imports torch."""

from __future__ import annotations

import torch

from conformance.adapters.module import ModuleEngine

engine = ModuleEngine("torch", torch)
