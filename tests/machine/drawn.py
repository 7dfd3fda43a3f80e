# SPDX-License-Identifier: BSD-3-Clause
"""Machines drawn by chance: the script that draws, and seeds to draw by."""
import hashlib
import importlib.machinery
import importlib.util


def load_script(path):
    loader = importlib.machinery.SourceFileLoader("random_model", str(path))
    spec = importlib.util.spec_from_loader("random_model", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def seeds_of(version, count):
    """Numbers that are new with each version."""
    digest = hashlib.sha256(version.encode()).hexdigest()
    return [int(digest[:8], 16) % 10**8 + i for i in range(count)]
