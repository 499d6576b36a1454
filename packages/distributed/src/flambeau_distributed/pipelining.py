"""``torch.distributed.pipelining``: parts of a model in several processes, which is not built."""

from flambeau_distributed.unbuilt import class_not_built as _class
from flambeau_distributed.unbuilt import function_not_built as _function

for _name in (
    "Pipe",
    "PipelineStage",
    "Schedule1F1B",
    "ScheduleGPipe",
    "ScheduleInterleaved1F1B",
    "ScheduleInterleavedZeroBubble",
    "ScheduleLoopedBFS",
    "ScheduleZBVZeroBubble",
    "SplitPoint",
):
    globals()[_name] = _class(f"pipelining.{_name}")
build_stage = _function("pipelining.build_stage")
pipe_split = _function("pipelining.pipe_split")
pipeline = _function("pipelining.pipeline")
