"""Random programs of views, writes in place, hooks, transforms and their gradients; and damaged pickles and files."""

import random

SHAPES = [(3,), (2, 3), (3, 3), (2, 3, 2), (1, 3), ()]
VIEWS = [
    "{x}.view(-1)",
    "{x}.reshape(-1)",
    "{x}.transpose(0, -1)",
    "{x}[0]",
    "{x}[1:]",
    "{x}[..., 0]",
    "{x}[::2]",
    "{x}.unsqueeze(0)",
    "{x}.squeeze()",
    "{x}.expand(2, *{x}.shape)",
    "{x}.diagonal()",
    "{x}.narrow(0, 0, 1)",
    "{x}.select(-1, 1)",
    "{x}.split(1)[0]",
    "{x}.chunk(2)[-1]",
    "{x}.unbind()[0]",
    "{x}.detach()",
    "{x}.unfold(-1, 2, 1)",
    "{x}.view_as({x})",
    "{x}.flatten()",
    "{x}.mT",
    "{x}.as_strided((2,), (1,))",
    "{x}.movedim(0, -1)",
    "{x}[None]",
    "{x}.data",
    "{x}.view({x}.shape)",
    "{x}.real",
    "{x}.unflatten(0, (1, -1))",
]
RESULTS = [
    "{x} * {y}",
    "{x} + {y}",
    "{x}.exp()",
    "{x}.sin()",
    "{x}.sum()",
    "{x}.mean(0)",
    "{x} @ {y}",
    "{x}.cumsum(0)",
    "{x}.max(0)[0]",
    "{x}.amax()",
    "{x}.clone()",
    "torch.where({x} > 0, {x}, {y})",
    "torch.cat([{x}, {x}])",
    "{x}.softmax(-1)",
    "{x}.pow(2)",
    "{x}.prod()",
    "{x}[torch.tensor([0, 0])]",
    "{x}.flip(0)",
    "{x}.relu()",
    "{x} / ({y} * {y} + 1)",
    "{x}.sort()[0]",
    "torch.stack([{x}, {y}])",
    "{x}.norm()",
    "{x}.var()",
    "{x}.repeat(2)",
    "{x}.tanh()",
    "{x}.clamp(-1, 1)",
    "{x}.abs().sqrt()",
    "{x}.index_select(0, torch.tensor([0]))",
    "{x}.masked_fill({x} > 0, 2.)",
    "torch.nn.functional.layer_norm({x}, {x}.shape[-1:])",
    "{x}.std(0)",
    "{x}.roll(1)",
    "{x}.min()",
    "{x}.median()",
]
WRITES = [
    "{x}.mul_(2)",
    "{x}.add_({y})",
    "{x}.mul_({y})",
    "{x}[0] = {y}",
    "{x}.zero_()",
    "{x}.copy_({y})",
    "{x}.sigmoid_()",
    "{x}.fill_(3)",
    "{x}.masked_fill_({x} > 0, 1.)",
    "{x}.unsqueeze_(0)",
    "{x}.squeeze_()",
    "{x}.t_()",
    "{x}.detach_()",
    "{x}.requires_grad_()",
    "{x}.data.mul_(2)",
    "{x}[{x} > 0] = 0",
    "{x}.exp_()",
    "{x} += {y}",
    "{x} *= 2",
    "{x}.index_add_(0, torch.tensor([0]), {x}[:1].detach())",
    "{x}.transpose_(0, -1)",
    "{x}.clamp_(min=0)",
    "{x}[..., 1] = {y}[..., 0]",
    "torch.exp({y}, out={x})",
    "{x}.requires_grad_(False)",
    "{x}.resize_(2)",
    "{x}.data = {y}.data",
    "{x}.grad = {y}.detach().clone()",
    "{x}.grad = None",
    "{x}.relu_()",
    "{x}.pow_(2)",
    "{x}.swapaxes_(0, -1)",
]
HOOKS = [
    "{x}.register_hook(lambda g: g * 2)",
    "{x}.retain_grad()",
    "{x}.register_hook(lambda g: None)",
    "{x}.register_hook(seen.append) and None",
    "{x}.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum()))",
    "{x}.register_hook(lambda g: g.sum())",
    "_h = {x}.grad_fn.register_hook(lambda a, b: seen.append(len(a)))",
    "_h = {x}.grad_fn.register_prehook(lambda a: None)",
    "_h = {x}.register_hook(lambda g: g + 1); _h.remove()",
]
ENDS = [
    "{x}.sum().backward()",
    "{x}.sum().backward(retain_graph=True)",
    "{x}.backward()",
    "{x}.backward(torch.ones_like({x}))",
    "({x} * {y}).sum().backward()",
    "{n} = torch.autograd.grad({x}.sum(), [{y}], allow_unused=True)",
    "{n} = torch.autograd.grad({x}.sum(), {y}, create_graph=True)",
    "{n} = torch.autograd.grad({x}.sum(), [{y}], materialize_grads=True, retain_graph=True)",
    "{x}.pow(2).sum().backward(inputs=[{y}])",
]
FUNCTIONS = [
    "(x * x).sum()",
    "x.sin().sum()",
    "(x @ x).sum()",
    "x.prod()",
    "(x.clone().mul_(2) * x).sum()",
    "x[0].sum()",
    "(x * 2).exp().mean()",
    "x.max()",
    "torch.where(x > 0, x, -x).sum()",
    "x.softmax(-1).pow(2).sum()",
    "x.cumsum(0).sum()",
    "x.detach().sum() * x.sum()",
    "x.sum(0)",
    "x * x.sum()",
    "x.flip(0)",
    "x.t()",
    "(x, x * 2)",
    "x.clone().fill_(2.)",
    "x + T('float64', (3,))",
    "x.sort()[0]",
    "x[None] * x",
    "x.squeeze()",
    "3",
]
TRANSFORMS = [
    "torch.func.grad({f})({x})",
    "torch.func.vmap({f})({x})",
    "torch.func.jvp({f}, ({x},), (torch.ones_like({x}),))",
    "torch.func.vjp({f}, {x})[0]",
    "torch.func.vjp({f}, {x})[1](torch.tensor(1., dtype={x}.dtype))",
    "torch.func.jacrev({f})({x})",
    "torch.func.jacfwd({f})({x})",
    "torch.func.hessian({f})({x})",
    "torch.func.vmap(torch.func.grad({f}))({x})",
    "torch.func.grad(torch.func.grad({f}))({x})",
    "torch.func.vmap({f}, in_dims=-1, out_dims=-1)({x})",
    "torch.func.grad_and_value({f})({x})",
    "torch.func.vmap(torch.func.vmap({f}))({x})",
    "torch.autograd.functional.jacobian({f}, {x})",
    "torch.autograd.functional.hessian({f}, {x})",
    "torch.func.functionalize({f})({x})",
    "torch.func.linearize({f}, {x})[0]",
]
PICKLED = [
    "T('float32', (2, 3))",
    "T('int64', (3,), (2,))",
    "[T('bool', ()), T('float64', (3, 3), (1, 3))]",
    "torch.nn.Linear(2, 3)",
    "torch.nn.Linear(2, 2).state_dict()",
    "torch.float32",
    "torch.Size([2, 3])",
    "torch.device('cpu')",
    "torch.nn.Parameter(T('float32', (2,)))",
    "T('complex64', (2,)).expand(3, 2)",
    "torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())",
    "T('float32', (3,), grad=True)",
    "torch.add",
    "torch.Generator()",
    "torch.optim.SGD([torch.nn.Parameter(T('float32', (2,)))], lr=0.1).state_dict()",
    "torch.finfo(torch.float32)",
    "T('bfloat16', (2, 0))",
    "torch.max(T('float32', (2, 3)), 0)",
    "torch.strided",
    "torch.nn.BatchNorm1d(3)",
]
USES = [
    "s = repr(r)",
    "s = r + 1",
    "s = r.sum()",
    "s = r.tolist()",
    "r.fill_(1)",
    "s = r.clone()",
    "s = pickle.dumps(r)",
    "r.resize_(100).zero_()",
    "s = r.storage_offset()",
    "s = hash(r)",
    "s = r(T('float32', (2, 2)))",
    "s = list(r)",
    "r.load_state_dict(r.state_dict())",
    "s = len(r)",
    "s = r == r",
]


def program(seed):
    """The program of a seed, with gradients."""
    rng = random.Random(seed)
    lines, names, shape = ["seen = []"], [], rng.choice(SHAPES)
    for name in "abc"[: rng.randrange(1, 4)]:
        dtype = rng.choice(["float64"] * 8 + ["float32", "complex128", "int64"])
        grad = rng.random() < 0.7 and dtype != "int64"
        if rng.random() < 0.2:
            shape = rng.choice(SHAPES)
        lines.append(f"{name} = T('{dtype}', {shape!r}, seed={rng.randrange(1, 9)}{', grad=True' if grad else ''})")
        names.append(name)
    fresh = iter("defghijklmnopq")
    for _ in range(rng.randrange(2, 10)):
        x, y, n = rng.choice(names[-3:] if rng.random() < 0.6 else names), rng.choice(names), next(fresh)
        kind, guard = rng.random(), rng.random()
        before = "with torch.no_grad(): " if guard < 0.08 else "with torch.inference_mode(): " if guard < 0.1 else ""
        if kind < 0.3:
            lines.append(before + f"{n} = " + rng.choice(VIEWS).format(x=x))
            names.append(n)
        elif kind < 0.52:
            lines.append(before + f"{n} = " + rng.choice(RESULTS).format(x=x, y=y))
            names.append(n)
        elif kind < 0.74:
            lines.append(before + rng.choice(WRITES).format(x=x, y=y))
        elif kind < 0.83:
            lines.append(rng.choice(HOOKS).format(x=x))
        elif kind < 0.9:
            lines.append(rng.choice(ENDS).format(x=x, y=y, n=n))
        else:
            f = f"lambda x: {rng.choice(FUNCTIONS)}"
            lines.append(f"{n} = " + rng.choice(TRANSFORMS).format(f=f, x=x))
    x = rng.choice(names[-2:])
    lines.append(rng.choice(ENDS[:5]).format(x=x, y=rng.choice(names), n="r"))
    lines += [f"about_{n} = ({n}.is_leaf, {n}._version, type({n}.grad_fn).__name__)" for n in names]
    return "program", "\n".join(lines)


def cache(seed):
    """The program of a seed that loads an extension whose cache was damaged: it is built again."""
    rng = random.Random(seed)
    flips = ", ".join(f"({rng.random():.4f}, {rng.randrange(1, 256)})" for _ in range(rng.choice([1, 1, 2])))
    return "damage", f"load_damaged({rng.random():.3f}, {flips})"


def damage(seed):
    """The program of a seed that reads what it wrote, a pickle or a file, with bytes flipped. Nothing is compared: it
    must not crash."""
    rng = random.Random(seed)
    lines = [f"x = {rng.choice(PICKLED)}", f"data = pickle.dumps(x, {rng.choice([2, 2, 3, 4, 5])})"]
    flips = ", ".join(f"({rng.random():.4f}, {rng.randrange(256)})" for _ in range(rng.choice([1, 1, 1, 2, 3])))
    lines.append(f"r = pickle.loads(flip(data, {flips}))")
    if rng.random() < 0.5:
        how = f"pickle_protocol={rng.choice([2, 2, 4])}, _use_new_zipfile_serialization={rng.random() < 0.7}"
        lines = [
            lines[0],
            "file = io.BytesIO()",
            f"torch.save(x, file, {how})",
            f"r = torch.load(io.BytesIO(flip(file.getvalue(), {flips})))",
        ]
    elif rng.random() < 0.1:
        lines = [
            "r = T('float32', (2,))",
            "state = torch.get_rng_state().numpy().tobytes()",
            f"torch.set_rng_state(torch.tensor(list(flip(state, {flips})), dtype=torch.uint8))",
            "s = torch.rand(3)",
        ]
    return "damage", "\n".join([*lines, *rng.sample(USES, 3)])
