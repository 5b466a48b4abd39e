!values$u32 = tensor<?xui32>

func.func @bench_nothing() {
  return
}

func.func @bench_turn(%values: !values$u32, %rounds: tensor<ui32>) -> !values$u32 {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %factor = stablehlo.constant dense<1664525> : !values$u32
  %summand = stablehlo.constant dense<1013904223> : !values$u32
  %end:2 = stablehlo.while(%i = %zero, %value = %values) : tensor<ui32>, !values$u32
  cond {
    %more = stablehlo.compare LT, %i, %rounds : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %product = stablehlo.multiply %value, %factor : !values$u32
    %turned = stablehlo.add %product, %summand : !values$u32
    %next = stablehlo.add %i, %one : tensor<ui32>
    stablehlo.return %next, %turned : tensor<ui32>, !values$u32
  }
  return %end#1 : !values$u32
}
