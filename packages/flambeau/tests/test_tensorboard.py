"""torch.utils.tensorboard: what is in the event files."""

import importlib
import io
import struct
import sys

import numpy as np
import pytest

import flambeau as torch

WRITERS = {"tensorboardX": "tensorboardX.proto.event_pb2", "tensorboard": "tensorboard.compat.proto.event_pb2"}


@pytest.fixture(params=WRITERS)
def module(request, monkeypatch):
    """The module, over one of the packages that write such files, and the class of what is in them."""
    pytest.importorskip(request.param)
    event = importlib.import_module(WRITERS[request.param]).Event
    if request.param == "tensorboard":
        monkeypatch.setitem(sys.modules, "tensorboardX", None)
    forget(monkeypatch)
    return importlib.import_module("flambeau.utils.tensorboard"), event


def forget(monkeypatch):
    """Have the module chosen anew."""
    for name in [n for n in sys.modules if "utils.tensorboard" in n]:
        monkeypatch.delitem(sys.modules, name)


def events(folder, event_class):
    """The values of all event files, read as the format says: length, checksum, data, checksum."""
    for file in sorted(folder.rglob("*tfevents*")):
        data = file.read_bytes()
        while data:
            (n,) = struct.unpack("<Q", data[:8])
            event = event_class.FromString(data[12 : 12 + n])
            data = data[16 + n :]
            for value in event.summary.value:
                yield value.tag, event.step, value


def test_what_is_written(tmp_path, module):
    module, event_class = module
    with module.SummaryWriter(tmp_path) as writer:
        for i in range(3):
            writer.add_scalar("loss", torch.tensor(1.0 / (1 + i), requires_grad=True), i, new_style=True)
        writer.add_scalars("both", {"a": torch.tensor(1.0), "b": 2.0}, 0)
        writer.add_histogram("weights", torch.arange(10).to(torch.bfloat16), 0)
        writer.add_text("note", "hello", 0)
        writer.add_hparams({"lr": 0.1}, {"accuracy": torch.tensor(0.5)}, run_name="one")
        assert writer.get_logdir() == str(tmp_path) or writer.get_logdir() == tmp_path
    seen = {}
    for tag, step, value in events(tmp_path, event_class):
        seen.setdefault(tag, []).append((step, value))
    assert [step for step, _ in seen["loss"]] == [0, 1, 2]
    np.testing.assert_allclose([v.simple_value for _, v in seen["loss"]], [1, 0.5, 1 / 3], rtol=1e-6)
    assert seen["weights"][0][1].histo.num == 10 and seen["weights"][0][1].histo.sum == 45
    assert seen["accuracy"][0][1].simple_value == 0.5 and "note/text_summary" in seen


def test_pictures(tmp_path, module):
    pytest.importorskip("PIL")
    module, event_class = module
    with module.SummaryWriter(tmp_path) as writer:
        writer.add_image("red", torch.tensor([1.0, 0.0, 0.0]).reshape(3, 1, 1).expand(3, 2, 5), 7)
    ((tag, step, value),) = events(tmp_path, event_class)
    assert (tag, step, value.image.height, value.image.width) == ("red", 7, 2, 5)
    image = importlib.import_module("PIL.Image").open(io.BytesIO(value.image.encoded_image_string))
    assert image.getpixel((4, 1)) == (255, 0, 0)


def test_without_the_packages(monkeypatch):
    for name in WRITERS:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [n for n in sys.modules if n.startswith("tensorboard.")]:
        monkeypatch.delitem(sys.modules, name)
    forget(monkeypatch)
    with pytest.raises(ModuleNotFoundError, match="needs the package tensorboardX: pip install tensorboardX"):
        importlib.import_module("flambeau.utils.tensorboard")


def test_summaries_for_file_writers(tmp_path, module):
    module, event_class = module
    with module.SummaryWriter(tmp_path) as writer:
        summaries = module.summary.hparams({"lr": torch.tensor(0.5).item(), "net": "small"}, {"accuracy": 0.5})
        for summary in summaries:
            writer._get_file_writer().add_summary(summary)
        writer.file_writer.add_summary(summaries[0], 3)
        writer.add_images("pictures", torch.rand(10, 3, 4, 5), 1)
    seen = {tag: (step, value) for tag, step, value in events(tmp_path, event_class)}
    assert [tag for tag in seen if tag.startswith("_hparams_")] == [
        "_hparams_/experiment",
        "_hparams_/session_start_info",
        "_hparams_/session_end_info",
    ]
    assert seen["_hparams_/experiment"][0] == 3 and seen["pictures"][1].image.height == 8


class Branching(torch.nn.Module):
    def forward(self, x):
        return x.sin() if x.sum() > 0 else x


def read_graph(folder, event_class):
    (file,) = folder.rglob("*tfevents*")
    data, found = file.read_bytes(), []
    while data:
        (n,) = struct.unpack("<Q", data[:8])
        found.append(event_class.FromString(data[12 : 12 + n]))
        data = data[16 + n :]
    (graph,) = [event.graph_def for event in found if event.graph_def]
    package = event_class.__module__.rpartition(".")[0]
    return importlib.import_module(f"{package}.graph_pb2").GraphDef.FromString(graph)


def test_graphs(tmp_path, module, capsys):
    module, event_class = module
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    with module.SummaryWriter(tmp_path / "a") as writer:
        writer.add_graph(model, torch.ones(4, 3), verbose=True)
    nodes = {node.name: node for node in read_graph(tmp_path / "a", event_class).node}
    assert "Sequential/Linear[0]" in capsys.readouterr().out
    linear, relu = nodes["Sequential/Linear[0]/linear"], nodes["Sequential/ReLU[1]/relu"]
    assert list(relu.input) == [linear.name] and set(linear.input) <= set(nodes) and len(linear.input) == 3
    assert [d.size for d in linear.attr["_output_shapes"].list.shape[0].dim] == [4, 2]
    assert [node.op for node in nodes.values() if not node.input].count("Parameter") == 2
    with module.SummaryWriter(tmp_path / "b") as writer, pytest.raises(torch.fx.proxy.TraceError):
        writer.add_graph(Branching(), (torch.ones(2),))


def test_embeddings(tmp_path, module):
    pytest.importorskip("PIL")
    module, _ = module
    with module.SummaryWriter(tmp_path) as writer:
        writer.add_embedding(torch.tensor([[1.0, 2.0], [3.0, 4.5]]), metadata=["a", "b"], global_step=7, tag="words")
        writer.add_embedding(torch.ones(3, 2), label_img=torch.ones(3, 3, 4, 4), tag="pictures")
    folder = tmp_path / "00007" / "words"
    np.testing.assert_array_equal(np.loadtxt(folder / "tensors.tsv"), [[1.0, 2.0], [3.0, 4.5]])
    assert (folder / "metadata.tsv").read_text().split() == ["a", "b"]
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert config.count("embeddings {") == 2 and "words/tensors.tsv" in config
    assert len(list(tmp_path.rglob("sprite.png"))) == 1
