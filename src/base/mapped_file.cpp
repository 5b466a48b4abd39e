#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/contain.h"
#include "base/descriptor.h"
#include "base/platform.h"
#include "base/quote.h"

namespace pintle::base {
namespace {

using std::filesystem::path;

Error refusal(const path& file, std::string_view what, std::string_view words) {
  return {Errc::io, fmt::format("File {} cannot be {}: {}.", quote(file.string(), 4096), what, words)};
}

Error failure(const path& file, std::string_view what) {
  const int number = errno;
  return refusal(file, what, system_words(number));
}

Result<std::span<const std::byte>> map(const path& file) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor input(retried([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (!input.is_open()) return failure(file, "opened");
  struct stat status{};
  if (::fstat(input.number(), &status) != 0) return failure(file, "mapped");
  if (S_ISDIR(status.st_mode)) return refusal(file, "mapped", "Is a directory");
  if (!S_ISREG(status.st_mode)) return refusal(file, "mapped", "It is not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size == 0) return std::span<const std::byte>();  // the system maps no empty range
  if (size > std::numeric_limits<std::size_t>::max()) return refusal(file, "mapped", system_words(EOVERFLOW));
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, input.number(), 0);
  if (address == MAP_FAILED) return failure(file, "mapped");
  return std::span(static_cast<const std::byte*>(address), size);
}

void unmap(std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) static_cast<void>(::munmap(const_cast<std::byte*>(bytes.data()), bytes.size()));
}

}  // namespace

Result<MappedFile> MappedFile::open(const path& file) {
  return contain("mapping a file", [&]() -> Result<MappedFile> {
    PINTLE_ASSIGN(bytes, map(file));
    return MappedFile(bytes);
  });
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap(bytes_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

std::pair<std::span<const std::byte>, std::uint64_t> MappedFile::pages(std::uint64_t offset,
                                                                       std::uint64_t size) const noexcept {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t before = offset % page;
  const std::uint64_t whole = (before + size + page - 1) / page * page;
  return {std::span(bytes_.data() + (offset - before), whole), before};
}

MappedFile::~MappedFile() { unmap(bytes_); }

}  // namespace pintle::base
