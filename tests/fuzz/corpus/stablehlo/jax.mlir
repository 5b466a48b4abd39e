#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true} loc("x")) -> (tensor<4xf32> {jax.result_info = ""}) {
    %0 = call @g(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc1)
    return %0 : tensor<4xf32> loc(#loc)
  } loc(#loc)
  func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<"0x0000803F"> : tensor<4xf32>
    return %a : tensor<4xf32>
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
