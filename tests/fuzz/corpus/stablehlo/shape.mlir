!a$b = tensor<?x2x?xcomplex<f32>>
#c = @"g\41"
func.func @f(%a: !a$b {tf.aliasing_output = 0 : i32}) -> !a$b attributes {x = #c} { return %a : !a$b }
func.func nested @"gA"(tensor<2xf32, #e<1>>)
{-# dialect_resources: {builtin: {x: "0x08"}} #-}
