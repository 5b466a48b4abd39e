// A DLPack struct of arbitrary numbers is refused, its deleter called once, or described without a byte of it being
// read; what was taken hands out a struct that describes the same elements.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "io/dlpack.h"
#include "vendor/dlpack/dlpack.h"

namespace {

using pintle::Errc;
using pintle::io::Tensor;

/// The numbers of a struct, as the fuzzer writes them.
struct Numbers {
  std::uint32_t major;
  std::int32_t device;
  std::int32_t ndim;
  DLDataType dtype;
  std::uint64_t data;
  std::uint64_t byte_offset;
  std::uint64_t flags;
  std::uint64_t has_strides;
  std::array<std::int64_t, 10> shape;
  std::array<std::int64_t, 10> strides;
  std::array<std::int64_t, 6> more_shape;
  std::array<std::int64_t, 6> more_strides;
};

/// The ten first numbers of an array, and the six behind them.
using Sixteen = std::array<std::int64_t, 16>;
Sixteen joined(const std::array<std::int64_t, 10>& first, const std::array<std::int64_t, 6>& more) {
  Sixteen all{};
  std::ranges::copy(more, std::ranges::copy(first, all.begin()).out);
  return all;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.bytes.size() == b.bytes.size() &&
         (a.bytes.empty() || (a.bytes.data() == b.bytes.data() && a.byte_strides == b.byte_strides)) &&
         a.first == b.first && a.is_contiguous() == b.is_contiguous() && a.is_aligned() == b.is_aligned();
}

void check_taken(const Tensor& host) {
  const auto count = host.shape.count();
  if (!count || (*count == 0) != host.bytes.empty()) std::abort();
  if (*count != 0 && host.first + pintle::bytes_of(host.dtype) > host.bytes.size()) std::abort();
  if (host.is_contiguous() && host.bytes.size() != *pintle::checked_bytes(host.dtype, host.shape)) std::abort();
  auto made = pintle::io::to_dlpack(host);
  if (!made) std::abort();
  const auto again = pintle::io::from_dlpack(made->release());
  if (!again || !same(host, *again) || again->access != host.access) std::abort();
}

template <class Managed>
void check(Managed& managed) {
  int deleted = 0;
  managed.manager_ctx = &deleted;
  managed.deleter = [](Managed* self) { ++*static_cast<int*>(self->manager_ctx); };
  {
    const auto host = pintle::io::from_dlpack(&managed);
    if (deleted != (host ? 0 : 1)) std::abort();
    if (host) check_taken(*host);
    if (!host && host.error().code() != Errc::invalid_argument && host.error().code() != Errc::unsupported)
      std::abort();
  }
  if (deleted != 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers{};
  std::memcpy(&numbers, data, std::min(size, sizeof numbers));
  const bool strides = (numbers.has_strides & 1) != 0;
  Sixteen shape = joined(numbers.shape, numbers.more_shape), steps = joined(numbers.strides, numbers.more_strides);
  const DLTensor tensor{
      reinterpret_cast<void*>(numbers.data), {numbers.device, 0}, numbers.ndim, numbers.dtype, shape.data(),
      strides ? steps.data() : nullptr,      numbers.byte_offset};
  DLManagedTensorVersioned versioned{{numbers.major, 0}, nullptr, nullptr, numbers.flags, tensor};
  check(versioned);
  DLManagedTensor old{tensor, nullptr, nullptr};
  check(old);
  return 0;
}
