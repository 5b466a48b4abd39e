#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions =$1 : o32} {
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = t {
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true} loc("x")) -> (tensor<xf3tf.aliasing_output2> {jax.result_info = ""}) {
    %0 = ca: tensor<4xf32>
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
rue} loc("x")) -> (tensor<xf3tf.aliasing_output2> {jax.result_info = ""}) {
    %0 = ca: tensor<4xf32>
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
