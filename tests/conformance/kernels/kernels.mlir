// The kernels of the conformance suite in StableHLO: each is one function over whole arrays, with an argument for every
// parameter and a result for every buffer that is written. What lies behind n stays, so old contents are arguments,
// too. Two buffers may differ in size: a gather stays within the one that it reads. Four kernels are not there:
// record_groups, count_groups and reduce are about groups, of which a launch has one, and store_at takes an address.

#at = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
!x$bool = tensor<?xi1>
!x$u32 = tensor<?xui32>
!x$f32 = tensor<?xf32>
!y$bool = tensor<?xi1>
!y$u32 = tensor<?xui32>
!y$f32 = tensor<?xf32>
!from$bool = tensor<?xi1>
!from$i8 = tensor<?xi8>
!from$i16 = tensor<?xi16>
!from$i32 = tensor<?xi32>
!from$i64 = tensor<?xi64>
!from$u8 = tensor<?xui8>
!from$u16 = tensor<?xui16>
!from$u32 = tensor<?xui32>
!from$u64 = tensor<?xui64>
!from$f16 = tensor<?xf16>
!from$bf16 = tensor<?xbf16>
!from$f32 = tensor<?xf32>
!from$f64 = tensor<?xf64>
!from$f8_e4m3fn = tensor<?xf8E4M3FN>
!from$f8_e5m2 = tensor<?xf8E5M2>
!from$complex64 = tensor<?xcomplex<f32>>
!to$bool = tensor<?xi1>
!to$i8 = tensor<?xi8>
!to$i16 = tensor<?xi16>
!to$i32 = tensor<?xi32>
!to$i64 = tensor<?xi64>
!to$u8 = tensor<?xui8>
!to$u16 = tensor<?xui16>
!to$u32 = tensor<?xui32>
!to$u64 = tensor<?xui64>
!to$f16 = tensor<?xf16>
!to$bf16 = tensor<?xbf16>
!to$f32 = tensor<?xf32>
!to$f64 = tensor<?xf64>
!to$f8_e4m3fn = tensor<?xf8E4M3FN>
!to$f8_e5m2 = tensor<?xf8E5M2>
!to$complex64 = tensor<?xcomplex<f32>>
!out$bool = tensor<?xi1>
!out$i8 = tensor<?xi8>
!out$i16 = tensor<?xi16>
!out$i32 = tensor<?xi32>
!out$i64 = tensor<?xi64>
!out$u8 = tensor<?xui8>
!out$u16 = tensor<?xui16>
!out$u32 = tensor<?xui32>
!out$u64 = tensor<?xui64>
!out$f16 = tensor<?xf16>
!out$bf16 = tensor<?xbf16>
!out$f32 = tensor<?xf32>
!out$f64 = tensor<?xf64>
!out$f8_e4m3fn = tensor<?xf8E4M3FN>
!out$f8_e5m2 = tensor<?xf8E5M2>
!out$complex64 = tensor<?xcomplex<f32>>

// XLA contracts a product and a sum to one rounding, and no optimization_barrier keeps it from that. A select between
// the two does; -0.0 changes no number that it is added to.
func.func @conform_saxpy(%a: tensor<f32>, %x: !x$f32, %y: !y$f32, %n: tensor<ui32>) -> !y$f32 {
  %i = stablehlo.iota dim = 0 : !y$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !y$u32
  %is_below = stablehlo.compare LT, %i, %end : (!y$u32, !y$u32) -> !y$bool
  %x_at_i = "stablehlo.gather"(%x, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!x$f32, !y$u32) -> !y$f32
  %factor = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> !y$f32
  %product = stablehlo.multiply %factor, %x_at_i : !y$f32
  %zero = stablehlo.constant dense<-0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> !y$f32
  %summand = stablehlo.select %is_below, %product, %zeros : !y$bool, !y$f32
  %result = stablehlo.add %summand, %y : !y$f32
  return %result : !y$f32
}

func.func @conform_fill_index(%out: !out$u32, %width: tensor<ui32>, %height: tensor<ui32>, %depth: tensor<ui32>)
    -> !out$u32 {
  %layer = stablehlo.multiply %width, %height : tensor<ui32>
  %n = stablehlo.multiply %layer, %depth : tensor<ui32>
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %thousand = stablehlo.constant dense<1000> : tensor<ui32>
  %thousands = stablehlo.broadcast_in_dim %thousand, dims = [] : (tensor<ui32>) -> !out$u32
  %widths = stablehlo.broadcast_in_dim %width, dims = [] : (tensor<ui32>) -> !out$u32
  %heights = stablehlo.broadcast_in_dim %height, dims = [] : (tensor<ui32>) -> !out$u32
  %x = stablehlo.remainder %i, %widths : !out$u32
  %row = stablehlo.divide %i, %widths : !out$u32
  %y = stablehlo.remainder %row, %heights : !out$u32
  %z = stablehlo.divide %row, %heights : !out$u32
  %z_thousands = stablehlo.multiply %z, %thousands : !out$u32
  %zy = stablehlo.add %z_thousands, %y : !out$u32
  %zy_thousands = stablehlo.multiply %zy, %thousands : !out$u32
  %zyx = stablehlo.add %zy_thousands, %x : !out$u32
  %result = stablehlo.select %is_below, %zyx, %out : !out$bool, !out$u32
  return %result : !out$u32
}

func.func @conform_affine(%x: !x$u32, %m: tensor<ui32>, %a: tensor<ui32>, %n: tensor<ui32>) -> !x$u32 {
  %i = stablehlo.iota dim = 0 : !x$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !x$u32
  %is_below = stablehlo.compare LT, %i, %end : (!x$u32, !x$u32) -> !x$bool
  %factor = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<ui32>) -> !x$u32
  %summand = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<ui32>) -> !x$u32
  %product = stablehlo.multiply %x, %factor : !x$u32
  %sum = stablehlo.add %product, %summand : !x$u32
  %result = stablehlo.select %is_below, %sum, %x : !x$bool, !x$u32
  return %result : !x$u32
}

func.func @conform_add_to(%from: !from$u32, %to: !to$u32, %add: tensor<ui32>, %n: tensor<ui32>) -> !to$u32 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %from_at_i = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u32, !to$u32) -> !to$u32
  %summand = stablehlo.broadcast_in_dim %add, dims = [] : (tensor<ui32>) -> !to$u32
  %sum = stablehlo.add %from_at_i, %summand : !to$u32
  %result = stablehlo.select %is_below, %sum, %to : !to$bool, !to$u32
  return %result : !to$u32
}

func.func @conform_nothing() {
  return
}

// Bytes of a dtype are moved, not understood: a float goes as an unsigned integer, since a NaN may change on its way.
func.func @conform_put_bool(%value: tensor<i1>, %out: !out$bool, %n: tensor<ui32>) -> !out$bool {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<i1>) -> !out$bool
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$bool
  return %result : !out$bool
}
func.func @conform_copy_bool(%from: !from$bool, %to: !to$bool, %n: tensor<ui32>) -> !to$bool {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$bool, !to$u32) -> !to$bool
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$bool
  return %result : !to$bool
}

func.func @conform_put_i8(%value: tensor<i8>, %out: !out$i8, %n: tensor<ui32>) -> !out$i8 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<i8>) -> !out$i8
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$i8
  return %result : !out$i8
}
func.func @conform_copy_i8(%from: !from$i8, %to: !to$i8, %n: tensor<ui32>) -> !to$i8 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$i8, !to$u32) -> !to$i8
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$i8
  return %result : !to$i8
}

func.func @conform_put_i16(%value: tensor<i16>, %out: !out$i16, %n: tensor<ui32>) -> !out$i16 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<i16>) -> !out$i16
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$i16
  return %result : !out$i16
}
func.func @conform_copy_i16(%from: !from$i16, %to: !to$i16, %n: tensor<ui32>) -> !to$i16 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$i16, !to$u32) -> !to$i16
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$i16
  return %result : !to$i16
}

func.func @conform_put_i32(%value: tensor<i32>, %out: !out$i32, %n: tensor<ui32>) -> !out$i32 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<i32>) -> !out$i32
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$i32
  return %result : !out$i32
}
func.func @conform_copy_i32(%from: !from$i32, %to: !to$i32, %n: tensor<ui32>) -> !to$i32 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$i32, !to$u32) -> !to$i32
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$i32
  return %result : !to$i32
}

func.func @conform_put_i64(%value: tensor<i64>, %out: !out$i64, %n: tensor<ui32>) -> !out$i64 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<i64>) -> !out$i64
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$i64
  return %result : !out$i64
}
func.func @conform_copy_i64(%from: !from$i64, %to: !to$i64, %n: tensor<ui32>) -> !to$i64 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$i64, !to$u32) -> !to$i64
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$i64
  return %result : !to$i64
}

func.func @conform_put_u8(%value: tensor<ui8>, %out: !out$u8, %n: tensor<ui32>) -> !out$u8 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<ui8>) -> !out$u8
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$u8
  return %result : !out$u8
}
func.func @conform_copy_u8(%from: !from$u8, %to: !to$u8, %n: tensor<ui32>) -> !to$u8 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u8, !to$u32) -> !to$u8
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$u8
  return %result : !to$u8
}

func.func @conform_put_u16(%value: tensor<ui16>, %out: !out$u16, %n: tensor<ui32>) -> !out$u16 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<ui16>) -> !out$u16
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$u16
  return %result : !out$u16
}
func.func @conform_copy_u16(%from: !from$u16, %to: !to$u16, %n: tensor<ui32>) -> !to$u16 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u16, !to$u32) -> !to$u16
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$u16
  return %result : !to$u16
}

func.func @conform_put_u32(%value: tensor<ui32>, %out: !out$u32, %n: tensor<ui32>) -> !out$u32 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<ui32>) -> !out$u32
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$u32
  return %result : !out$u32
}
func.func @conform_copy_u32(%from: !from$u32, %to: !to$u32, %n: tensor<ui32>) -> !to$u32 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u32, !to$u32) -> !to$u32
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$u32
  return %result : !to$u32
}

func.func @conform_put_u64(%value: tensor<ui64>, %out: !out$u64, %n: tensor<ui32>) -> !out$u64 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<ui64>) -> !out$u64
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$u64
  return %result : !out$u64
}
func.func @conform_copy_u64(%from: !from$u64, %to: !to$u64, %n: tensor<ui32>) -> !to$u64 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u64, !to$u32) -> !to$u64
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$u64
  return %result : !to$u64
}

func.func @conform_put_f16(%value: tensor<f16>, %out: !out$f16, %n: tensor<ui32>) -> !out$f16 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %bits = stablehlo.bitcast_convert %value : (tensor<f16>) -> tensor<ui16>
  %all = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui16>) -> !out$u16
  %old = stablehlo.bitcast_convert %out : (!out$f16) -> !out$u16
  %both = stablehlo.select %is_below, %all, %old : !out$bool, !out$u16
  %result = stablehlo.bitcast_convert %both : (!out$u16) -> !out$f16
  return %result : !out$f16
}
func.func @conform_copy_f16(%from: !from$f16, %to: !to$f16, %n: tensor<ui32>) -> !to$f16 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %bits = stablehlo.bitcast_convert %from : (!from$f16) -> !from$u16
  %new = "stablehlo.gather"(%bits, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u16, !to$u32) -> !to$u16
  %old = stablehlo.bitcast_convert %to : (!to$f16) -> !to$u16
  %both = stablehlo.select %is_below, %new, %old : !to$bool, !to$u16
  %result = stablehlo.bitcast_convert %both : (!to$u16) -> !to$f16
  return %result : !to$f16
}

func.func @conform_put_bf16(%value: tensor<bf16>, %out: !out$bf16, %n: tensor<ui32>) -> !out$bf16 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %bits = stablehlo.bitcast_convert %value : (tensor<bf16>) -> tensor<ui16>
  %all = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui16>) -> !out$u16
  %old = stablehlo.bitcast_convert %out : (!out$bf16) -> !out$u16
  %both = stablehlo.select %is_below, %all, %old : !out$bool, !out$u16
  %result = stablehlo.bitcast_convert %both : (!out$u16) -> !out$bf16
  return %result : !out$bf16
}
func.func @conform_copy_bf16(%from: !from$bf16, %to: !to$bf16, %n: tensor<ui32>) -> !to$bf16 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %bits = stablehlo.bitcast_convert %from : (!from$bf16) -> !from$u16
  %new = "stablehlo.gather"(%bits, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u16, !to$u32) -> !to$u16
  %old = stablehlo.bitcast_convert %to : (!to$bf16) -> !to$u16
  %both = stablehlo.select %is_below, %new, %old : !to$bool, !to$u16
  %result = stablehlo.bitcast_convert %both : (!to$u16) -> !to$bf16
  return %result : !to$bf16
}

func.func @conform_put_f32(%value: tensor<f32>, %out: !out$f32, %n: tensor<ui32>) -> !out$f32 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %bits = stablehlo.bitcast_convert %value : (tensor<f32>) -> tensor<ui32>
  %all = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui32>) -> !out$u32
  %old = stablehlo.bitcast_convert %out : (!out$f32) -> !out$u32
  %both = stablehlo.select %is_below, %all, %old : !out$bool, !out$u32
  %result = stablehlo.bitcast_convert %both : (!out$u32) -> !out$f32
  return %result : !out$f32
}
func.func @conform_copy_f32(%from: !from$f32, %to: !to$f32, %n: tensor<ui32>) -> !to$f32 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %bits = stablehlo.bitcast_convert %from : (!from$f32) -> !from$u32
  %new = "stablehlo.gather"(%bits, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u32, !to$u32) -> !to$u32
  %old = stablehlo.bitcast_convert %to : (!to$f32) -> !to$u32
  %both = stablehlo.select %is_below, %new, %old : !to$bool, !to$u32
  %result = stablehlo.bitcast_convert %both : (!to$u32) -> !to$f32
  return %result : !to$f32
}

func.func @conform_put_f64(%value: tensor<f64>, %out: !out$f64, %n: tensor<ui32>) -> !out$f64 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %bits = stablehlo.bitcast_convert %value : (tensor<f64>) -> tensor<ui64>
  %all = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui64>) -> !out$u64
  %old = stablehlo.bitcast_convert %out : (!out$f64) -> !out$u64
  %both = stablehlo.select %is_below, %all, %old : !out$bool, !out$u64
  %result = stablehlo.bitcast_convert %both : (!out$u64) -> !out$f64
  return %result : !out$f64
}
func.func @conform_copy_f64(%from: !from$f64, %to: !to$f64, %n: tensor<ui32>) -> !to$f64 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %bits = stablehlo.bitcast_convert %from : (!from$f64) -> !from$u64
  %new = "stablehlo.gather"(%bits, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u64, !to$u32) -> !to$u64
  %old = stablehlo.bitcast_convert %to : (!to$f64) -> !to$u64
  %both = stablehlo.select %is_below, %new, %old : !to$bool, !to$u64
  %result = stablehlo.bitcast_convert %both : (!to$u64) -> !to$f64
  return %result : !to$f64
}

func.func @conform_put_f8_e4m3fn(%value: tensor<f8E4M3FN>, %out: !out$f8_e4m3fn, %n: tensor<ui32>)
    -> !out$f8_e4m3fn {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %bits = stablehlo.bitcast_convert %value : (tensor<f8E4M3FN>) -> tensor<ui8>
  %all = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui8>) -> !out$u8
  %old = stablehlo.bitcast_convert %out : (!out$f8_e4m3fn) -> !out$u8
  %both = stablehlo.select %is_below, %all, %old : !out$bool, !out$u8
  %result = stablehlo.bitcast_convert %both : (!out$u8) -> !out$f8_e4m3fn
  return %result : !out$f8_e4m3fn
}
func.func @conform_copy_f8_e4m3fn(%from: !from$f8_e4m3fn, %to: !to$f8_e4m3fn, %n: tensor<ui32>)
    -> !to$f8_e4m3fn {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %bits = stablehlo.bitcast_convert %from : (!from$f8_e4m3fn) -> !from$u8
  %new = "stablehlo.gather"(%bits, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u8, !to$u32) -> !to$u8
  %old = stablehlo.bitcast_convert %to : (!to$f8_e4m3fn) -> !to$u8
  %both = stablehlo.select %is_below, %new, %old : !to$bool, !to$u8
  %result = stablehlo.bitcast_convert %both : (!to$u8) -> !to$f8_e4m3fn
  return %result : !to$f8_e4m3fn
}

func.func @conform_put_f8_e5m2(%value: tensor<f8E5M2>, %out: !out$f8_e5m2, %n: tensor<ui32>) -> !out$f8_e5m2 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %bits = stablehlo.bitcast_convert %value : (tensor<f8E5M2>) -> tensor<ui8>
  %all = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui8>) -> !out$u8
  %old = stablehlo.bitcast_convert %out : (!out$f8_e5m2) -> !out$u8
  %both = stablehlo.select %is_below, %all, %old : !out$bool, !out$u8
  %result = stablehlo.bitcast_convert %both : (!out$u8) -> !out$f8_e5m2
  return %result : !out$f8_e5m2
}
func.func @conform_copy_f8_e5m2(%from: !from$f8_e5m2, %to: !to$f8_e5m2, %n: tensor<ui32>) -> !to$f8_e5m2 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %bits = stablehlo.bitcast_convert %from : (!from$f8_e5m2) -> !from$u8
  %new = "stablehlo.gather"(%bits, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$u8, !to$u32) -> !to$u8
  %old = stablehlo.bitcast_convert %to : (!to$f8_e5m2) -> !to$u8
  %both = stablehlo.select %is_below, %new, %old : !to$bool, !to$u8
  %result = stablehlo.bitcast_convert %both : (!to$u8) -> !to$f8_e5m2
  return %result : !to$f8_e5m2
}

func.func @conform_put_complex64(%value: tensor<complex<f32>>, %out: !out$complex64, %n: tensor<ui32>)
    -> !out$complex64 {
  %i = stablehlo.iota dim = 0 : !out$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !out$u32
  %is_below = stablehlo.compare LT, %i, %end : (!out$u32, !out$u32) -> !out$bool
  %all = stablehlo.broadcast_in_dim %value, dims = [] : (tensor<complex<f32>>) -> !out$complex64
  %result = stablehlo.select %is_below, %all, %out : !out$bool, !out$complex64
  return %result : !out$complex64
}
func.func @conform_copy_complex64(%from: !from$complex64, %to: !to$complex64, %n: tensor<ui32>)
    -> !to$complex64 {
  %i = stablehlo.iota dim = 0 : !to$u32
  %end = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<ui32>) -> !to$u32
  %is_below = stablehlo.compare LT, %i, %end : (!to$u32, !to$u32) -> !to$bool
  %new = "stablehlo.gather"(%from, %i) <{dimension_numbers = #at, slice_sizes = array<i64: 1>}>
    : (!from$complex64, !to$u32) -> !to$complex64
  %result = stablehlo.select %is_below, %new, %to : !to$bool, !to$complex64
  return %result : !to$complex64
}
