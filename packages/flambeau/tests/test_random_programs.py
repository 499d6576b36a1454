"""A slice of the session of random programs: compiled and eager runs of each agree."""

import importlib.util
from pathlib import Path

import pytest

SESSION = Path(__file__).parents[3] / "fuzz" / "compiled.py"


@pytest.mark.filterwarnings("ignore:torch.compile")
@pytest.mark.parametrize(
    "kind, seed", [(kind, i) for i in range(3) for kind in ("chain", "grads", "training", "mixed")]
)
def test_random_program(kind, seed, tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))
    spec = importlib.util.spec_from_file_location("compiled_programs", SESSION)
    session = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(session)
    number = 4 * seed + ("chain", "grads", "training", "mixed").index(kind)
    notes = {}
    assert session.run(*session.draw(kind, str(number)), notes) is None
    assert notes["actions"] > 5 or notes.get("refused")
