"""A network of two layers in JAX. `mlp.py mlp.pack` writes the pack that lies here."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import jax_pack

BATCH, IN, HIDDEN, OUT = 8, 64, 128, 10


def forward(params, x):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss_of(params, x, labels):
    """The mean cross-entropy."""
    chosen = jax.nn.one_hot(labels, OUT) * jax.nn.log_softmax(forward(params, x))
    return -jnp.mean(jnp.sum(chosen, axis=-1))


def step(params, x, labels, rate):
    """The loss, and what the parameters are after one step down its gradient."""
    loss, gradients = jax.value_and_grad(loss_of)(params, x, labels)
    return loss, jax.tree.map(lambda value, gradient: value - rate * gradient, params, gradients)


def lowered():
    def array(*sides, dtype=jnp.float32):
        return jax.ShapeDtypeStruct(sides, dtype)

    params = {"w1": array(IN, HIDDEN), "b1": array(HIDDEN), "w2": array(HIDDEN, OUT), "b2": array(OUT)}
    x, labels, rate = array(BATCH, IN), array(BATCH, dtype=jnp.int32), array()
    return {"forward": jax.jit(forward).lower(params, x), "step": jax.jit(step, donate_argnums=0).lower(params, x, labels, rate)}


def write(folder):
    return jax_pack.write_pack(folder, lowered())


if __name__ == "__main__":
    print("\n".join(write(sys.argv[1])))
