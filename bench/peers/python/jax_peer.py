"""JAX on its CPU backend: jitted functions and block_until_ready."""

import jax
import jax.numpy as jnp
import numpy as np
from peer import Peer
from values import CHAIN_LENGTH, FACTOR, make_x


def add_hundred(value):
    for _ in range(CHAIN_LENGTH):
        value = jax.lax.optimization_barrier(value + 1)
    return value


class JaxPeer(Peer):
    def __init__(self):
        super().__init__()
        self.about = f"jax {jax.__version__} {jax.devices()[0].platform}"
        self.run_saxpy = jax.jit(lambda a, x, y: a * x + y, donate_argnums=2)

    def add_saxpy(self, name, elements):
        self.keep(name, [jnp.float32(FACTOR), jnp.array(make_x(elements)), jnp.ones(elements, jnp.float32)])

    def saxpy(self, name):
        pair = self.sizes[name]
        pair[2] = self.run_saxpy(*pair).block_until_ready()

    def y(self, name):
        return self.sizes[name][2]

    def prepare_counter(self):
        self.value = jnp.zeros(1, jnp.float32)
        self.one = jax.jit(lambda value: value + 1)
        # XLA's CPU compiler drops the barriers before it fuses: without this option the hundred additions are one kernel.
        self.hundred = jax.jit(add_hundred, compiler_options={"xla_disable_hlo_passes": "fusion"})
        text = self.hundred.lower(self.value).compile().as_text()
        kernels = text[text.index("ENTRY"):].count(" fusion(")
        if kernels != CHAIN_LENGTH:
            raise ValueError(f"the chain is {kernels} kernels")

    def launch(self):
        self.value = self.one(self.value).block_until_ready()

    def chain(self):
        self.value = self.hundred(self.value).block_until_ready()

    def counter(self):
        return self.value

    def prepare_transfer(self):
        self.far, self.device = None, jax.devices()[0]

    def upload(self):
        self.far = jax.device_put(self.sent, self.device, may_alias=False).block_until_ready()

    def download(self):
        np.copyto(self.received, np.asarray(self.far))

    def empty(self):
        self.value.block_until_ready()


def create(_kind):
    return JaxPeer()
