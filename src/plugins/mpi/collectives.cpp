// What MPI does together by itself.
#include "pintle/collective.h"
#include "plugins/mpi/handles.h"
#include "plugins/mpi/parts.h"

namespace pintle::plugins::mpi {
namespace {

MPI_Datatype unsigned_type(DType dtype) noexcept {
  switch (dtype) {
    case DType::i8:
    case DType::u8: return MPI_UINT8_T;
    case DType::i16:
    case DType::u16: return MPI_UINT16_T;
    case DType::i32:
    case DType::u32: return MPI_UINT32_T;
    case DType::i64:
    case DType::u64: return MPI_UINT64_T;
    default: return MPI_DATATYPE_NULL;
  }
}

MPI_Datatype type_of(DType dtype, ReduceOp op) noexcept {
  // The order of signed numbers matters to min and max only; unsigned sums and products are defined to wrap.
  const bool is_ordered = op == ReduceOp::min || op == ReduceOp::max;
  switch (dtype) {
    case DType::i8: return is_ordered ? MPI_INT8_T : MPI_UINT8_T;
    case DType::i16: return is_ordered ? MPI_INT16_T : MPI_UINT16_T;
    case DType::i32: return is_ordered ? MPI_INT32_T : MPI_UINT32_T;
    case DType::i64: return is_ordered ? MPI_INT64_T : MPI_UINT64_T;
    case DType::f32: return MPI_FLOAT;
    case DType::f64: return MPI_DOUBLE;
    case DType::complex64: return MPI_C_FLOAT_COMPLEX;
    default: return unsigned_type(dtype);
  }
}

MPI_Op operator_of(ReduceOp op) noexcept {
  switch (op) {
    case ReduceOp::sum: return MPI_SUM;
    case ReduceOp::prod: return MPI_PROD;
    case ReduceOp::min: return MPI_MIN;
    case ReduceOp::max: return MPI_MAX;
    case ReduceOp::bit_and: return MPI_BAND;
    case ReduceOp::bit_or: return MPI_BOR;
    case ReduceOp::bit_xor: return MPI_BXOR;
    case ReduceOp::logical_and: return MPI_LAND;
    case ReduceOp::logical_or: return MPI_LOR;
    case ReduceOp::logical_xor: return MPI_LXOR;
    default: return MPI_OP_NULL;
  }
}

struct Pair {
  Pair(int dtype, int op) noexcept
      : type(type_of(static_cast<DType>(dtype), static_cast<ReduceOp>(op))),
        operation(operator_of(static_cast<ReduceOp>(op))) {}
  [[nodiscard]] bool is_known() const noexcept { return type != MPI_DATATYPE_NULL && operation != MPI_OP_NULL; }

  MPI_Datatype type;
  MPI_Op operation;
};

}  // namespace

int all_reduce(std::uint64_t communicator, void* to, const void* from, int count, int dtype, int op) {
  const Pair pair(dtype, op);
  if (!pair.is_known()) return vendor::mpi::pair_is_unknown;
  const void* const source = to == from ? MPI_IN_PLACE : from;
  return in_order(
      [&] { return MPI_Allreduce(source, to, count, pair.type, pair.operation, handle_of<MPI_Comm>(communicator)); });
}

int reduce_scatter(std::uint64_t communicator, void* to, const void* from, int count, int dtype, int op) {
  const Pair pair(dtype, op);
  if (!pair.is_known()) return vendor::mpi::pair_is_unknown;
  return in_order([&] {
    return MPI_Reduce_scatter_block(from, to, count, pair.type, pair.operation, handle_of<MPI_Comm>(communicator));
  });
}

int all_gather(std::uint64_t communicator, void* to, const void* from, int bytes) {
  const void* const source = from == nullptr ? MPI_IN_PLACE : from;
  return in_order(
      [&] { return MPI_Allgather(source, bytes, MPI_BYTE, to, bytes, MPI_BYTE, handle_of<MPI_Comm>(communicator)); });
}

int broadcast(std::uint64_t communicator, void* bytes, int count, int root) {
  return in_order([&] { return MPI_Bcast(bytes, count, MPI_BYTE, root, handle_of<MPI_Comm>(communicator)); });
}

int all_to_all(std::uint64_t communicator, void* to, const void* from, int bytes) {
  return in_order(
      [&] { return MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, handle_of<MPI_Comm>(communicator)); });
}

}  // namespace pintle::plugins::mpi
