#include "collective/mpi/mpi_native.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/contain.h"

namespace pintle::collective {
namespace {

// MPI counts in int, and some of its algorithms add up the counts of all ranks.
constexpr std::uint64_t most_count = 1ull << 30;

bool is_integer(DType dtype) noexcept { return dtype >= DType::i8 && dtype <= DType::u64; }

/// OpenMPI's sums of these saturate where the processor has an instruction that does, and wrap for the elements that
/// are left over.
bool is_short_integer(DType dtype) noexcept { return is_integer(dtype) && bytes_of(dtype) <= 2; }

bool is_logical(ReduceOp op) noexcept {
  return op == ReduceOp::logical_and || op == ReduceOp::logical_or || op == ReduceOp::logical_xor;
}

Result<void> check_count(std::uint64_t count) {
  if (count <= most_count) return {};
  return base::contain("checking a count", [&]() -> Result<void> {
    return Error(Errc::unsupported,
                 fmt::format("Count of all ranks together ({}) is larger than what MPI is asked for at once ({}).",
                             count, most_count));
  });
}

bool is_within(std::span<const std::byte> part, std::span<const std::byte> whole) noexcept {
  const std::less<const std::byte*> before;
  return before(part.data(), whole.data() + whole.size()) && before(whole.data(), part.data() + part.size());
}

}  // namespace

bool mpi_reduces(ReduceOp op, DType dtype, std::uint32_t ranks) noexcept {
  if (op == ReduceOp::mean || (is_logical(op) && ranks < 2)) return false;
  if (is_integer(dtype)) return op != ReduceOp::sum || !is_short_integer(dtype);
  const bool is_float = dtype == DType::f32 || dtype == DType::f64 || dtype == DType::complex64;
  return is_float && (op == ReduceOp::sum || op == ReduceOp::prod);
}

MpiCollectives::MpiCollectives(std::shared_ptr<const MpiCommunicator> communicator, std::uint32_t ranks) noexcept
    : communicator_(std::move(communicator)), ranks_(ranks) {}

bool MpiCollectives::reduces(ReduceOp op, DType dtype) const noexcept { return mpi_reduces(op, dtype, ranks_); }

bool MpiCollectives::is_faster(std::uint64_t bytes) const noexcept {
  constexpr std::uint64_t least = 64ull << 10;
  return bytes >= least;
}

Result<void> MpiCollectives::check_pair(ReduceOp op, DType dtype) const {
  if (reduces(op, dtype)) return {};
  return base::contain("checking a reduction", [&]() -> Result<void> {
    return Error(Errc::unsupported,
                 fmt::format("MPI does not reduce ({}) with ({}) as this library does.", name(dtype), name(op)));
  });
}

Result<void> MpiCollectives::all_reduce(std::span<std::byte> to, std::span<const std::byte> from, DType dtype,
                                        ReduceOp op) {
  PINTLE_TRY(check_pair(op, dtype));
  const std::uint64_t count = to.size() / bytes_of(dtype);
  for (std::uint64_t done = 0; done < count; done += most_count) {
    const std::uint64_t now = std::min(most_count, count - done);
    const std::uint64_t offset = done * bytes_of(dtype);
    PINTLE_TRY(
        mpi_done(functions(),
                 functions().all_reduce(communicator_->handle(), to.data() + offset, from.data() + offset,
                                        static_cast<int>(now), std::to_underlying(dtype), std::to_underlying(op)),
                 "reduce ({}) elements", now));
  }
  return {};
}

Result<void> MpiCollectives::reduce_scatter(std::span<std::byte> to, std::span<const std::byte> from, DType dtype,
                                            ReduceOp op) {
  PINTLE_TRY(check_pair(op, dtype));
  PINTLE_TRY(check_count(from.size() / bytes_of(dtype)));
  if (to.empty()) return {};
  return base::contain("reducing and scattering over MPI", [&]() -> Result<void> {
    // MPI's in-place form has another layout: the result at the beginning.
    std::vector<std::byte> apart(is_within(to, from) ? to.size() : 0);
    std::byte* const result = apart.empty() ? to.data() : apart.data();
    const std::uint64_t count = to.size() / bytes_of(dtype);
    PINTLE_TRY(
        mpi_done(functions(),
                 functions().reduce_scatter(communicator_->handle(), result, from.data(), static_cast<int>(count),
                                            std::to_underlying(dtype), std::to_underlying(op)),
                 "reduce and scatter ({}) elements", count));
    if (!apart.empty()) std::ranges::copy(apart, to.begin());
    return {};
  });
}

Result<void> MpiCollectives::all_gather(std::span<std::byte> to, std::span<const std::byte> from) {
  PINTLE_TRY(check_count(to.size()));
  if (to.empty()) return {};
  const std::byte* const source = is_within(from, to) ? nullptr : from.data();
  return mpi_done(functions(),
                  functions().all_gather(communicator_->handle(), to.data(), source, static_cast<int>(from.size())),
                  "gather ({}) bytes", to.size());
}

Result<void> MpiCollectives::broadcast(std::span<std::byte> bytes, std::uint32_t root) {
  for (std::uint64_t done = 0; done < bytes.size(); done += most_count) {
    const std::uint64_t now = std::min(most_count, bytes.size() - done);
    PINTLE_TRY(mpi_done(functions(),
                        functions().broadcast(communicator_->handle(), bytes.data() + done, static_cast<int>(now),
                                              static_cast<int>(root)),
                        "broadcast ({}) bytes", now));
  }
  return {};
}

Result<void> MpiCollectives::all_to_all(std::span<std::byte> to, std::span<const std::byte> from) {
  PINTLE_TRY(check_count(to.size()));
  if (to.empty()) return {};
  const auto bytes = static_cast<int>(to.size() / ranks_);
  return mpi_done(functions(), functions().all_to_all(communicator_->handle(), to.data(), from.data(), bytes),
                  "exchange ({}) bytes with each rank", bytes);
}

}  // namespace pintle::collective
