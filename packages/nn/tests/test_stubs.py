"""The type stub of torch.nn.functional is what the schemas say."""

import json
import subprocess
import sys
from pathlib import Path

import flambeau_nn


def test_stubs_are_current():
    code = "import json; from flambeau_nn import stubs; print(json.dumps(stubs.files()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name, text in json.loads(done.stdout).items():
        compile(text, name, "exec")
        assert Path(flambeau_nn.__file__).parent.joinpath(name).read_text(encoding="utf-8") == text, (
            "write them again: nox -s renew"
        )
