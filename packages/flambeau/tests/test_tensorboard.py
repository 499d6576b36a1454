"""torch.utils.tensorboard: what is in the event files."""

import struct

import numpy as np
import pytest

import flambeau as torch

pytest.importorskip("tensorboardX")


def events(folder):
    """The values of all event files, read as the format says: length, checksum, data, checksum."""
    from tensorboardX.proto.event_pb2 import Event

    for file in sorted(folder.rglob("*tfevents*")):
        data = file.read_bytes()
        while data:
            (n,) = struct.unpack("<Q", data[:8])
            event = Event.FromString(data[12 : 12 + n])
            data = data[16 + n :]
            for value in event.summary.value:
                yield value.tag, event.step, value


def test_what_is_written(tmp_path):
    from flambeau.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        for i in range(3):
            writer.add_scalar("loss", torch.tensor(1.0 / (1 + i), requires_grad=True), i, new_style=True)
        writer.add_scalars("both", {"a": torch.tensor(1.0), "b": 2.0}, 0)
        writer.add_histogram("weights", torch.arange(10).to(torch.bfloat16), 0)
        writer.add_text("note", "hello", 0)
        writer.add_hparams({"lr": 0.1}, {"accuracy": torch.tensor(0.5)}, run_name="one")
        with pytest.raises(NotImplementedError, match="add_graph is not built"):
            writer.add_graph(None)
        assert writer.get_logdir() == str(tmp_path) or writer.get_logdir() == tmp_path
    seen = {}
    for tag, step, value in events(tmp_path):
        seen.setdefault(tag, []).append((step, value))
    assert [step for step, _ in seen["loss"]] == [0, 1, 2]
    np.testing.assert_allclose([v.simple_value for _, v in seen["loss"]], [1, 0.5, 1 / 3], rtol=1e-6)
    assert seen["weights"][0][1].histo.num == 10 and seen["weights"][0][1].histo.sum == 45
    assert seen["accuracy"][0][1].simple_value == 0.5 and "note/text_summary" in seen


def test_without_the_package(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    for name in [n for n in sys.modules if n.endswith("utils.tensorboard")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModuleNotFoundError, match="needs the package tensorboardX: pip install tensorboardX"):
        import flambeau.utils.tensorboard  # noqa: F401
