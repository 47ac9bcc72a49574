"""What the tests share: the project's folder, its scenes, its command, models of their own."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BIELA_BUILD", ROOT / "build"))
SCENES = ROOT / "scenes"

# a rod of 1 m falling from the horizontal about its end
ROD = {"model": "rod", "dimension": 2, "gravity": [0, -9.81],
       "parameters": {"l": 1, "m": 2},
       "bodies": [{"name": "rod", "rod": {"from": [0, 0], "to": ["=l", 0]}, "mass": "=m"}],
       "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}],
       "probes": {"tip": {"body": "rod", "at": ["=l", 0]}},
       "simulate": {"until": 2, "tolerance": 1e-9}}


def scene(name):
    return str(SCENES / f"{name}.yaml")


def command(*words):
    """The JSON object that the command prints."""
    done = subprocess.run([str(BUILD / "biela"), *map(str, words), "--json"], capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)


@pytest.fixture
def rod():
    import biela
    return biela.Model.from_dict(ROD)
