// What parses as a safetensors file covers its data once, but for tensors that are left out, and writes to bytes that
// read equal and write the same. A length in front stops a fuzzer, so every input is also tried as a header with a
// right one, with some data behind it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "io/safetensors.h"
#include "pintle/must.h"

namespace {

using pintle::Errc;
using Bytes = std::span<const std::byte>;

bool equal(const pintle::io::TensorSet& a, const pintle::io::TensorSet& b) {
  if (a.metadata != b.metadata || a.tensors.size() != b.tensors.size()) return false;
  return std::ranges::all_of(a.tensors, [&](const pintle::io::TensorView& tensor) {
    const auto other = b.tensor(tensor.name);
    return other && other->dtype == tensor.dtype && other->shape == tensor.shape &&
           std::ranges::equal(other->bytes, tensor.bytes);
  });
}

void check(Bytes file) {
  const auto set = pintle::io::parse_safetensors(file);
  if (!set) {
    const Errc code = set.error().code();
    if (code != Errc::invalid_argument && code != Errc::unsupported) std::abort();
    return;
  }
  const std::byte* next = nullptr;
  for (const auto& tensor : set->tensors) {
    if (tensor.bytes.size() != pintle::checked_bytes(tensor.dtype, tensor.shape)) std::abort();
    if (next != nullptr && set->left_out.empty() && tensor.bytes.data() != next) std::abort();
    next = tensor.bytes.data() + tensor.bytes.size();
  }
  if (next != nullptr && set->left_out.empty() && next != file.data() + file.size()) std::abort();
  const auto written = pintle::io::serialize_safetensors(*set);
  if (!written) std::abort();
  const auto again = pintle::io::parse_safetensors(*written);
  if (!again || !equal(*set, *again) || must(pintle::io::serialize_safetensors(*again)) != *written) std::abort();
}

std::vector<std::byte> as_header(Bytes header, std::size_t data) {
  const auto length = pintle::base::little<std::uint64_t>(header.size());
  std::vector<std::byte> file(length.begin(), length.end());
  file.insert(file.end(), header.begin(), header.end());
  file.resize(file.size() + data, std::byte{1});
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  check(bytes);
  for (const std::size_t behind : {0u, 1u, 24u}) check(as_header(bytes, behind));
  return 0;
}
