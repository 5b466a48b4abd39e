!x = tensor<?xf32>
!x$i1 = tensor<?xi1>
!x$matrix = tensor<?x4xf32>
!y = !x
func.func @f(%x: !x, %y: !y {a = "b"}) -> (!x, !x$i1) {
  %m = stablehlo.reshape %x : (!x) -> !x$matrix
  return %x, %m : !x, !x$i1
}
