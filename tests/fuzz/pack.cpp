// What parses as a pack writes back to something that reads equal. A checksum stops a fuzzer, so every input is also
// tried with a right one, and as a description.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "io/pack.h"

namespace {

constexpr std::size_t checksum_offset = 16;
constexpr std::size_t checked_offset = 48;
constexpr std::size_t length_offset = 56;
constexpr std::size_t header_offset = 64;

void check(const pintle::Result<pintle::io::Pack>& pack) {
  using pintle::Errc;
  if (!pack) {
    const Errc code = pack.error().code();
    if (code != Errc::invalid_argument && code != Errc::io) std::abort();
    return;
  }
  const auto file = pintle::io::serialize_pack(*pack);
  if (!file) std::abort();
  const auto again = pintle::io::parse_pack(*file);
  if (!again || *again != *pack) std::abort();
}

std::vector<std::byte> with_right_checksum(std::span<const std::byte> bytes) {
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  if (file.size() < header_offset) return file;
  std::ranges::copy(pintle::base::little<std::uint64_t>(file.size()), file.begin() + length_offset);
  const auto digest = pintle::base::sha256(std::span(file).subspan(checked_offset));
  std::ranges::copy(digest, file.begin() + checksum_offset);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check(pintle::io::parse_pack(bytes));
  check(pintle::io::parse_pack(with_right_checksum(bytes)));
  check(pintle::io::pack_from_json(std::string_view(reinterpret_cast<const char*>(data), size), "/nonexistent"));
  return 0;
}
