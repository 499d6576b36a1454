"""What `files/plain.pkl` holds pickles of, made with PyTorch, and what the tests make of it here."""

import warnings


def things():
    """Of each kind that programs pickle: one, by name. Random numbers are not in them."""
    import torch
    import torch.fx
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.data import DataLoader, Subset, TensorDataset

    x = torch.arange(6.0).reshape(2, 3)
    marked = torch.ones(2)
    marked.tag = "mine"

    def fixed(module):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(torch.linspace(-1, 1, parameter.numel()).view_as(parameter))
        return module.eval()

    def stepped(optimizer):
        (optimizer.param_groups[0]["params"][0] * 2).sum().backward()
        optimizer.step()
        return optimizer

    def parameter():
        return nn.Parameter(torch.ones(2))

    made = {
        "tensor": x,
        "view": x.t()[1:],
        "half": torch.ones(2, dtype=torch.bfloat16),
        "complex": torch.tensor([1 + 2j]).conj(),
        "gradient": torch.ones(2, requires_grad=True),
        "marked": marked,
        "sparse": x.to_sparse(),
        "parameter": parameter(),
        "buffer": nn.Buffer(torch.ones(2)),
        "meta": torch.empty(3, device="meta"),
        "storage": torch.FloatStorage([1, 2]),
        "size": torch.Size([2, 3]),
        "dtype": torch.float32,
        "device": torch.device("cuda:1"),
        "layout": torch.strided,
        "generator": torch.Generator().manual_seed(3),
        "max": torch.max(x, 0),
        "functions": [torch.add, torch.einsum, torch.linalg.inv, torch.fft.fft, torch.special.expit],
        "functions of nn": [F.relu, F.gelu, F.mse_loss, F.conv2d, nn.init.xavier_uniform_],
        "classes": [nn.Linear, torch.Tensor, torch.optim.Adam, torch.distributions.Normal],
        "linear": fixed(nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Dropout(0.3), nn.Softmax(-1))),
        "lstm": fixed(nn.LSTM(3, 2)),
        "encoder": fixed(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, activation=F.gelu), 1)),
        "lazy": nn.LazyLinear(3),
        "spectral": fixed(nn.utils.spectral_norm(nn.Linear(2, 2))),
        "traced": torch.fx.symbolic_trace(fixed(nn.Sequential(nn.Linear(3, 2), nn.ReLU()))),
        "adam": stepped(torch.optim.Adam([parameter()])),
        "sgd": stepped(torch.optim.SGD([parameter()], 0.1, momentum=0.9)),
        "cyclic": torch.optim.lr_scheduler.CyclicLR(torch.optim.SGD([parameter()], 0.1, momentum=0.9), 0.1, 0.2),
        "step": torch.optim.lr_scheduler.StepLR(torch.optim.SGD([parameter()], 0.1), 2),
        "normal": torch.distributions.Normal(torch.zeros(2), 1.0),
        "transform": torch.distributions.StickBreakingTransform(),
        "dataset": Subset(TensorDataset(x, x), [0]),
        "loader": DataLoader(TensorDataset(x), 2),
    }
    with warnings.catch_warnings(action="ignore"):
        made["norm"] = fixed(nn.utils.weight_norm(nn.Linear(2, 2)))
    return made


def shown(thing):
    """What is compared: values, and of modules how they print and what they hold."""
    import torch

    if isinstance(thing, torch.Tensor):
        values = "meta" if thing.is_meta else thing.to_dense().tolist()
        if thing.is_complex():
            values = str(values)
        return str(thing.dtype), str(thing.layout), tuple(thing.shape), values, thing.requires_grad
    if isinstance(thing, torch.nn.Module) and not isinstance(thing, torch.nn.modules.lazy.LazyModuleMixin):
        state = {} if "spectral" in repr(thing._forward_pre_hooks) else thing.state_dict()
        return str(thing), {name: shown(value) for name, value in state.items()}
    if isinstance(thing, torch.optim.Optimizer):
        return type(thing).__name__, shown(thing.state_dict()["state"])
    if isinstance(thing, torch.utils.data.Dataset):
        return [shown(thing[i]) for i in range(len(thing))]
    if isinstance(thing, torch.Generator):
        return torch.rand(2, generator=thing).tolist()
    if isinstance(thing, dict):
        return {name: shown(value) for name, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [shown(part) for part in thing]
    if callable(thing) and hasattr(thing, "__name__"):
        return thing.__name__
    return type(thing).__name__ if " at 0x" in repr(thing) else repr(thing)
