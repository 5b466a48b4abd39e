// convert_stream FROM TO: converts the elements on its input, to nearest even and with the payload of NaNs.
#include <cstdio>
#include <span>
#include <vector>

#include "pintle/convert.h"

namespace {

std::vector<std::byte> read_all(std::FILE* file) {
  std::vector<std::byte> bytes;
  std::vector<std::byte> block(1 << 20);
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file))
    bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
  return bytes;
}

pintle::Result<void> run(pintle::DType from, pintle::DType to) {
  const pintle::Convert how = pintle::Convert{from, to}.with(pintle::NanRule::payload);
  const auto read = read_all(stdin);
  PINTLE_ASSIGN(size, pintle::converted_bytes(read.size(), how));
  std::vector<std::byte> written(size);
  PINTLE_TRY(pintle::convert(written, read, how));
  if (std::fwrite(written.data(), 1, written.size(), stdout) == written.size()) return {};
  return pintle::Error(pintle::Errc::io, "The output takes no more.");
}

}  // namespace

int main(int count, char** arguments) {
  const auto from = count == 3 ? pintle::parse_dtype(arguments[1]) : std::nullopt;
  const auto to = count == 3 ? pintle::parse_dtype(arguments[2]) : std::nullopt;
  if (!from || !to) return 2;
  const auto result = run(*from, *to);
  if (!result) std::fprintf(stderr, "%s\n", result.error().text().c_str());
  return result ? 0 : 1;
}
