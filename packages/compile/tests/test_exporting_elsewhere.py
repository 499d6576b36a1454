"""What CasADi and WebAssembly make of exported functions."""

import json
import shutil
import subprocess

import casadi
import numpy as np
import pytest

import flambeau_nn.functional as F
import flambeau_tensor as ft
from flambeau_autograd import func
from flambeau_cext import compiler
from flambeau_compile.exporting import ExportError, export_c, export_wasm
from flambeau_nn import Linear, Sequential, Tanh
from flambeau_nn.optim import Adam


def cart_pole(x, u):
    position, speed, angle, rate = x.unbind()
    s, c = angle.sin(), angle.cos()
    push = (u[0] + 0.5 * rate * rate * s) / (1 + 0.1 * s * s)
    return ft.stack([speed, push, rate, (9.81 * s - push * c) / 0.5])


@pytest.fixture
def external(tmp_path):
    """A function that exports another for CasADi, compiles and loads it."""

    def load(function, *examples, name="f", **options):
        (file,) = export_c(function, examples, tmp_path, name, abi="casadi", **options)
        command = [*compiler.find(compiler.C).command, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2",
                   "-shared", "-fPIC", file.name, "-o", f"{name}.so", "-lm"]  # fmt: skip
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:2000]
        return casadi.external(name, str(tmp_path / f"{name}.so"))

    return load


def test_derivatives_are_exact_and_sparse(external):
    x, u = ft.tensor([0.1, 0.2, 0.3, 0.4], dtype=ft.float64), ft.tensor([0.7], dtype=ft.float64)
    f = external(cart_pole, x, u)
    assert (f.n_in(), f.n_out(), f.name_in(), f.size1_in(0)) == (2, 1, ["x", "u"], 4)
    assert np.array_equal(f(x.numpy(), u.numpy()).full().ravel(), cart_pole(x, u).numpy())
    a, b = casadi.MX.sym("a", 4), casadi.MX.sym("b")
    first = casadi.Function("first", [a, b], [casadi.jacobian(f(a, b), a), casadi.jacobian(f(a, b), b)])
    by_x, by_u = first(x.numpy(), u.numpy())
    expected = func.jacfwd(cart_pole, argnums=(0, 1))(x, u)
    assert np.array_equal(by_x.full(), expected[0].numpy())
    assert np.array_equal(by_u.full(), expected[1].numpy())
    assert by_x.nnz() == 6  # of sixteen
    second = casadi.Function("second", [a, b], [casadi.jacobian(casadi.vec(casadi.jacobian(f(a, b), a)), a)])
    hessian = func.jacfwd(func.jacfwd(cart_pole))(x, u).numpy()
    found = second(x.numpy(), u.numpy())
    assert np.array_equal(found.full(), hessian.transpose(1, 0, 2).reshape(16, 4))
    assert found.nnz() == 8  # of sixty-four


def test_matrices_lie_by_columns(external):
    a, b = ft.randn(2, 3, dtype=ft.float64), ft.randn(3, 2, dtype=ft.float64)
    f = external(lambda a, b: (a @ b.sin(), a.sum(0)), a, b)
    product, total = f(a.numpy(), b.numpy())
    np.testing.assert_allclose(product.full(), (a @ b.sin()).numpy(), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(total.full().ravel(), a.sum(0).numpy(), rtol=1e-13, atol=1e-15)
    m = casadi.MX.sym("m", 3, 2)
    jacobian = casadi.Function("j", [m], [casadi.jacobian(f(a.numpy(), m)[0], m)])(b.numpy()).full()
    expected = func.jacfwd(lambda b: a @ b.sin())(b).numpy().transpose(1, 0, 3, 2).reshape(4, 6)
    np.testing.assert_allclose(jacobian, expected, rtol=1e-13, atol=1e-15)


def test_names_and_the_sparsity_of_a_norm(external):
    x = ft.tensor([3.0, 4.0], dtype=ft.float64)
    g = external(lambda w, arg, mem: w * arg + mem, x, x * 2, x + 1, name="g")
    assert g(1, 2, 3).full().ravel().tolist() == [5.0, 5.0]
    f = external(lambda *parts: ft.stack([ft.cat(parts[:1]).norm(), (parts[1] * parts[1]).sum()]), x, x + 1)
    assert f.name_in() == ["parts_0", "parts_1"]
    a, b = casadi.MX.sym("a", 2), casadi.MX.sym("b", 2)
    jacobian = casadi.Function("j", [a, b], [casadi.jacobian(f(a, b), casadi.vertcat(a, b))])(x.numpy(), x.numpy())
    assert jacobian.nnz() == 4 and np.allclose(jacobian.full(), [[0.6, 0.8, 0, 0], [0, 0, 6, 8]])


def test_ipopt_swings_a_pole_up(external):
    """Optimal control through the exported dynamics: every derivative that Ipopt takes is the program's."""
    x, u = ft.zeros(4, dtype=ft.float64), ft.zeros(1, dtype=ft.float64)
    f = external(lambda x, u: x + 0.05 * cart_pole(x + 0.025 * cart_pole(x, u), u), x, u)
    problem = casadi.Opti()
    states, forces = problem.variable(4, 21), problem.variable(1, 20)
    for k in range(20):
        problem.subject_to(states[:, k + 1] == f(states[:, k], forces[:, k]))
    problem.subject_to(states[:, 0] == np.array([0, 0, 0.4, 0]))
    problem.subject_to(states[:, 20] == np.zeros(4))
    problem.minimize(casadi.sumsqr(forces))
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "max_iter": 100})
    solution = problem.solve()
    found = solution.value(states)
    for k in range(20):
        step = f(found[:, k], solution.value(forces)[k]).full().ravel()
        np.testing.assert_allclose(step, found[:, k + 1], atol=1e-6)
    assert abs(found[2, -1]) < 1e-6


def test_networks_of_float32(external):
    net = Sequential(Linear(3, 40), Tanh(), Linear(40, 2))
    x = ft.randn(3)
    f = external(net, x)
    np.testing.assert_allclose(f(x.numpy()).full().ravel(), net(x).detach().numpy(), rtol=1e-5)
    large = external(net, x, name="g", unrolled=False)
    assert np.allclose(large(x.numpy()).full(), f(x.numpy()).full(), rtol=1e-5)


def test_refused_for_casadi(tmp_path):
    total = ft.zeros(2)

    def count(x):
        return total.add_(x)

    with pytest.raises(ExportError, match="changes total; CasADi functions must not change anything"):
        export_c(count, (ft.ones(2),), tmp_path, abi="casadi")
    with pytest.raises(ExportError, match="3 dimensions; CasADi matrices have two"):
        export_c(lambda x: x * 2, (ft.ones(2, 2, 2),), tmp_path, abi="casadi")
    shared = ft.ones(2)
    with pytest.raises(ExportError, match="two arguments of net share memory"):
        export_c(lambda a, b: a + b, (shared, shared[:]), tmp_path, abi="casadi")
    with pytest.raises(ValueError, match="store their weights in the file"):
        export_c(lambda x: x * 2, (ft.ones(2),), tmp_path, abi="casadi", weights="argument")


def test_training_in_webassembly(tmp_path):
    """Thirty steps in Node, where there is one; else the module's bytes and its names alone are looked at."""
    ft.manual_seed(0)
    net = Sequential(Linear(4, 8), Tanh(), Linear(8, 2))
    optimizer = Adam(net.parameters(), lr=0.01)

    def step(x, y):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    x, y = ft.randn(3, 4), ft.randn(3, 2)
    code, loader = export_wasm(step, (x, y), tmp_path, "train")
    assert code.read_bytes()[:4] == b"\0asm" and len(code.read_bytes()) < 30_000
    assert "export async function load(bytes)" in loader.read_text()
    node = shutil.which("node")
    if node is None:
        assert all(name.encode() in code.read_bytes() for name in ("run", "init", "at_x", "at_state_lr"))
        return
    (tmp_path / "go.mjs").write_text(f"""
        import {{ load }} from "./train.mjs"; import fs from "node:fs";
        const t = await load(fs.readFileSync("train.wasm"));
        t.x.set({json.dumps(x.flatten().tolist())}); t.y.set({json.dumps(y.flatten().tolist())});
        const losses = [];
        for (let i = 0; i < 30; i++) {{ if (i == 20) t.state.lr[0] = 0.1; t.run(); losses.push(t.result[0]); }}
        t.init(); t.run(); losses.push(t.result[0]);
        console.log(JSON.stringify(losses));
    """)
    done = subprocess.run([node, "go.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = []
    for i in range(30):
        if i == 20:
            optimizer.param_groups[0]["lr"] = 0.1
        expected.append(step(x, y).item())
    np.testing.assert_allclose(found[:30], expected, rtol=1e-3)
    assert found[30] == found[0]
