"""Compiles a game's kernels for a GPU, without one:  python -m stratagym.testing.ptx GAME [PACKAGE]

Prints one JSON object, the characters of PTX (NVIDIA's assembler) of each function in
``FUNCTIONS``. It needs ``numba-cuda[cu12]`` and no device: the kernel's types are those of arrays
of records, and the compute capability is a fixed one.

In a process of its own, because numba's types know nothing of CUDA once they have been used.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any

import numpy as np

FUNCTIONS = ("start", "play", "legal_mask", "observe")
CAPABILITY = (8, 0)
"""Compute capability: Ampere."""
MISSING = "numba-cuda or its compiler's libraries are not installed: pip install 'numba-cuda[cu12]'"


def ptx_sizes(name: str, package: str) -> dict[str, int]:
    """Characters of PTX by function.

    Raises:
        ModuleNotFoundError: numba-cuda or libNVVM is missing.
    """
    if importlib.util.find_spec("numba_cuda") is None:
        raise ModuleNotFoundError(MISSING)
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        for library in ("nvvm", "nvrtc"):
            load_nvidia_dynamic_lib(library)
    except DynamicLibNotFoundError:
        raise ModuleNotFoundError(MISSING) from None
    import _numba_cuda_redirector  # noqa: F401 - numba.cuda is then numba-cuda's
    from numba import cuda, from_dtype, typeof, types
    from numba.cuda import dispatcher

    from stratagym.envs import core, registry

    class Device:
        compute_capability = CAPABILITY

    # Device functions are compiled for the device at hand, whatever the kernel asks for.
    dispatcher.get_current_device = Device

    grid: Any = cuda.grid

    def start(rules, states, seeds, probs, players):
        i = grid(1)
        players[i] = core.start(rules, states[i], seeds[i], probs[i])

    def play(rules, states, actions, probs, players):
        i = grid(1)
        players[i] = core.play(rules, states[i], actions[i], probs[i])

    def legal_mask(rules, states, legal, masks, counts):
        i = grid(1)
        counts[i] = core.legal_mask(rules, states[i], legal[i], masks[i])

    def observe(rules, states, players, observations):
        i = grid(1)
        core.observe(rules, states[i], players[i], observations[i])

    rules = registry.unpickled(name, package).make_rules()
    states = typeof(core.new_states(rules))
    seen = from_dtype(np.dtype(rules.observation_dtype))
    observations = types.Array(seen, 1 + len(rules.observation_shape), "C")
    int64s, doubles = types.int64[::1], types.float64[:, ::1]
    arguments: dict[Any, tuple[Any, ...]] = {
        start: (states, types.uint64[::1], doubles, int64s),
        play: (states, int64s, doubles, int64s),
        legal_mask: (states, types.int64[:, ::1], types.int8[:, ::1], int64s),
        observe: (states, int64s, observations),
    }
    sizes = {}
    for kernel, given in arguments.items():
        ptx, _ = cuda.compile_ptx(kernel, (typeof(rules), *given), cc=CAPABILITY)
        sizes[kernel.__name__] = len(ptx)
    return sizes


def main(name: str, package: str = "") -> int:
    try:
        print(json.dumps(ptx_sizes(name, package)))
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
