module {
  func.func @f(%a: tuple<tensor<4x?xf32>, (i1) -> i1>, %b: !stablehlo.token) {
    "x"() ({ ^bb0: }) {a = "
