"""What an editor offers after typical beginnings; `nox -s types` asks jedi, in an installation from wheels."""

import itertools
import sys

import jedi

IMPORTS = (
    "import flambeau as torch\nfrom flambeau import nn\nx = torch.ones(2)\n",
    "import torch\nfrom torch import nn\nx = torch.ones(2)\n",  # the stand-in is installed
)
OFFERED = {
    "torch.lin": "linspace",
    "torch.nn.Lin": "Linear",
    "nn.functional.rel": "relu",
    "torch.optim.Ad": "Adam",
    "torch.optim.lr_scheduler.Step": "StepLR",
    "torch.autograd.Fun": "Function",
    "torch.linalg.so": "solve",
    "torch.fft.rf": "rfft",
    "torch.distributions.Nor": "Normal",
    "torch.utils.cpp_ext": "cpp_extension",
    "torch.utils.data.DataL": "DataLoader",
    "x.su": "sum",
    "torch.ones(2).requires_gr": "requires_grad_",
    "x.sum().back": "backward",
}


def main() -> None:
    missing = []
    here = jedi.create_environment(sys.prefix, safe=False)
    for imports, (text, name) in itertools.product(IMPORTS, OFFERED.items()):
        source = imports + text
        line = source.count("\n") + 1
        offered = [one.name for one in jedi.Script(source, environment=here).complete(line, len(text))]
        if name not in offered:
            missing.append(f"{imports}{text}: {name} is not among {offered}")
    if missing:
        raise SystemExit("\n".join(missing))


if __name__ == "__main__":
    main()
