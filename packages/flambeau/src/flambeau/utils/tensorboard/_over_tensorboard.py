"""A writer of event files based on the package tensorboard, if tensorboardX is not installed: PyTorch requires the
former, so packages that write such files depend on it.
"""

import io
import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2, summary_v2
from tensorboard.plugins.hparams import metadata as hparams_metadata
from tensorboard.plugins.projector import projector_config_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter


class FileWriter(EventFileWriter):
    """An event file."""

    def add_summary(self, summary, global_step=None, walltime=None):
        event = event_pb2.Event(summary=summary, wall_time=time.time() if walltime is None else walltime)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)


def hparams(hparam_dict, metric_dict=None, hparam_domain_discrete=None):
    """Return the summaries that list a run's options and metrics, start it with option values, and end it."""
    plain = (str, bool, int, float)
    values = {key: value if isinstance(value, plain) else str(value) for key, value in hparam_dict.items()}
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=time.time())
    ending = summary_pb2.Summary.Value(
        tag=hparams_metadata.SESSION_END_INFO_TAG,
        metadata=hparams_metadata.create_summary_metadata(plugin_data_pb2.HParamsPluginData(session_end_info=ended)),
    )
    names, metrics = [*map(summary_v2.HParam, hparam_dict)], [*map(summary_v2.Metric, metric_dict or ())]
    return (
        summary_v2.hparams_config_pb(names, metrics),
        summary_v2.hparams_pb(values),
        summary_pb2.Summary(value=[ending]),
    )


class SummaryWriter:
    """Numbers, texts, histograms, pictures and options of runs; the methods are tensorboardX's."""

    def __init__(self, log_dir, comment, purge_step, max_queue, flush_secs, filename_suffix):
        if not log_dir:
            started = time.strftime("%b%d_%H-%M-%S")
            log_dir = Path("runs", f"{started}_{socket.gethostname()}{comment}")
        self.logdir = str(log_dir)
        self._made_with = max_queue, flush_secs, filename_suffix
        self._writers = {}
        if purge_step is not None:
            status = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
            self._add(event_pb2.Event(session_log=status), purge_step)

    @property
    def log_dir(self) -> str:
        return self.logdir

    def _add(self, event, step, walltime=None, folder=""):
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self._get_file_writer(folder).add_event(event)

    def _get_file_writer(self, folder=""):
        if folder not in self._writers:
            self._writers[folder] = FileWriter(str(Path(self.logdir, folder)), *self._made_with)
        return self._writers[folder]

    @property
    def file_writer(self) -> FileWriter:
        return self._get_file_writer()

    def _value(self, step, walltime, folder="", **value):
        summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(**value)])
        self._add(event_pb2.Event(summary=summary), step, walltime, folder)

    def _number(self, tag, value, step, walltime=None, folder=""):
        self._value(step, walltime, folder, tag=tag, simple_value=float(np.asarray(value).squeeze()))

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
        self._number(tag, scalar_value, global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        for name, number in tag_scalar_dict.items():
            folder = f"{main_tag.replace('/', '_')}_{name}"
            self._number(main_tag, number, global_step, walltime, folder)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)])
        text = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[text_string.encode()], tensor_shape=shape)
        plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name="text")
        metadata = summary_pb2.SummaryMetadata(plugin_data=plugin)
        self._value(global_step, walltime, tag=f"{tag}/text_summary", metadata=metadata, tensor=text)

    def add_histogram(self, tag, values, global_step=None, bins=64, walltime=None, max_bins=None):
        values = np.asarray(values, dtype=np.float64).ravel()
        counts, edges = np.histogram(values, bins=64 if bins == "tensorflow" else bins)
        histogram = summary_pb2.HistogramProto(
            min=values.min(),
            max=values.max(),
            num=values.size,
            sum=values.sum(),
            sum_squares=values @ values,
            bucket_limit=edges[1:].tolist(),
            bucket=counts.tolist(),
        )
        self._value(global_step, walltime, tag=tag, histo=histogram)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        from PIL import Image

        pixels = np.asarray(img_tensor)
        if pixels.dtype != np.uint8:
            pixels = (pixels.clip(0, 1) * 255).astype(np.uint8)
        if "C" in dataformats:
            pixels = pixels.transpose([dataformats.index(d) for d in "HWC"])
            pixels = pixels[..., 0] if pixels.shape[2] == 1 else pixels
        else:
            pixels = pixels.transpose([dataformats.index(d) for d in "HW"])
        data = io.BytesIO()
        Image.fromarray(pixels).save(data, "PNG")
        picture = summary_pb2.Summary.Image(
            height=pixels.shape[0],
            width=pixels.shape[1],
            colorspace=1 if pixels.ndim == 2 else pixels.shape[2],
            encoded_image_string=data.getvalue(),
        )
        self._value(global_step, walltime, tag=tag, image=picture)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Return images side by side, in rows of at most eight."""
        places = [dataformats.index(d) for d in "NHWC"]
        pictures = np.asarray(img_tensor).transpose(places)
        n, height, width, channels = pictures.shape
        columns = min(n, 8)
        rows = -(-n // columns)
        sheet = np.zeros((rows * height, columns * width, channels), dtype=pictures.dtype)
        for i, picture in enumerate(pictures):
            y, x = i // columns * height, i % columns * width
            sheet[y : y + height, x : x + width] = picture
        self.add_image(tag, sheet, global_step, walltime, "HWC")

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        figure.canvas.draw()
        self.add_image(tag, np.asarray(figure.canvas.buffer_rgba()), global_step, walltime, "HWC")
        if close:
            import matplotlib.pyplot as plt

            plt.close(figure)

    def add_hparams(self, hparam_dict, metric_dict, name=None, global_step=None):
        folder = str(time.time()) if name is None else name
        for summary in hparams(hparam_dict, metric_dict):
            self._add(event_pb2.Event(summary=summary), None, folder=folder)
        for key, number in metric_dict.items():
            self._number(key, number, global_step, folder=folder)

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        rows = np.asarray(mat)
        folder = Path(f"{global_step or 0:05d}", tag)
        place = Path(self.logdir, folder)
        place.mkdir(parents=True, exist_ok=True)
        shown = projector_config_pb2.EmbeddingInfo(
            tensor_name=f"{tag}:{global_step or 0:05d}", tensor_path=str(folder / "tensors.tsv")
        )
        np.savetxt(place / "tensors.tsv", rows.reshape(len(rows), -1), delimiter="\t", fmt="%.9g")
        if metadata is not None:
            if len(metadata) != len(rows):
                raise AssertionError("#labels should equal with #data points")
            lines = [metadata_header, *metadata] if metadata_header else metadata
            texts = ["\t".join(map(str, x)) if isinstance(x, (list, tuple)) else str(x) for x in lines]
            (place / "metadata.tsv").write_text("\n".join(texts) + "\n", encoding="utf-8")
            shown.metadata_path = str(folder / "metadata.tsv")
        if label_img is not None:
            shown.sprite.image_path = str(folder / "sprite.png")
            shown.sprite.single_image_dim.extend([label_img.shape[3], label_img.shape[2]])
            _write_sprite(place / "sprite.png", np.asarray(label_img))
        config = projector_config_pb2.ProjectorConfig(embeddings=[shown])
        with open(Path(self.logdir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
            file.write(text_format.MessageToString(config))

    def flush(self) -> None:
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def __enter__(self):
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()


def _write_sprite(path, images):
    """Write pictures (number, channels, height, width) side by side, in as many rows as columns."""
    from PIL import Image

    count, channels, height, width = images.shape
    side = int(np.ceil(np.sqrt(count)))
    filled = np.concatenate([images, np.zeros((side * side - count, channels, height, width), images.dtype)])
    table = filled.reshape(side, side, channels, height, width).transpose(0, 3, 1, 4, 2)
    pixels = table.reshape(side * height, side * width, channels)
    if images.dtype.kind == "f":
        pixels = (pixels * 255).clip(0, 255)
    pixels = pixels.astype("uint8")
    Image.fromarray(pixels[..., 0] if channels == 1 else pixels).save(path)


def _needs_the_other(name):
    def method(self, *args: Any, **kwargs: Any) -> None:
        raise ModuleNotFoundError(f"SummaryWriter.{name} needs the package tensorboardX: pip install tensorboardX")

    return method


for _name in "audio custom_scalars mesh onnx_graph pr_curve video".split():
    _name = f"add_{_name}"
    setattr(SummaryWriter, _name, _needs_the_other(_name))
