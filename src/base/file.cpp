#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "base/contain.h"
#include "base/descriptor.h"
#include "base/join_path.h"
#include "base/platform.h"
#include "base/quote.h"

namespace pintle::base {
namespace {

using std::filesystem::path;

Error failure(std::string_view what, const path& file) {
  const int number = errno;
  return {Errc::io, fmt::format("File {} cannot be {}: {}.", quote(file.string(), 4096), what, system_words(number))};
}

/// Removes the temporary file unless it was renamed.
class Leftover {
 public:
  explicit Leftover(path file) : file_(std::move(file)) {}
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;
  ~Leftover() {
    if (!renamed_) ::unlink(file_.c_str());
  }
  [[nodiscard]] bool rename_to(const path& target) {
    renamed_ = ::rename(file_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  path file_;
  bool renamed_ = false;
};

/// The size is a hint: a file may grow meanwhile, and a pipe has none.
std::size_t expected_size(int descriptor, std::uint64_t limit) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0) return 0;
  return static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(status.st_size), limit));
}

Error too_large(const path& file, std::uint64_t limit) {
  return {Errc::invalid_argument,
          fmt::format("File {} is larger than the limit ({} bytes).", quote(file.string(), 4096), limit)};
}

Result<std::vector<std::byte>> read_all(const path& file, std::uint64_t limit) {
  const Descriptor input(retried([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!input.is_open()) return failure("opened", file);
  constexpr std::size_t step = 64 << 10;
  std::vector<std::byte> bytes(expected_size(input.number(), limit) + 1);  // one more, to see the end at once
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + std::max(step, bytes.size() / 2));
    const auto count = retried([&] { return ::read(input.number(), bytes.data() + filled, bytes.size() - filled); });
    if (count < 0) return failure("read", file);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit) return too_large(file, limit);
  }
  bytes.resize(filled);
  return bytes;
}

using Bytes = std::span<const std::byte>;

Result<void> write_all(Descriptor& output, const path& file, Bytes bytes) {
  while (!bytes.empty()) {
    const auto count = retried([&] { return ::write(output.number(), bytes.data(), bytes.size()); });
    if (count < 0) return failure("written", file);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> write_all(Descriptor& output, const path& file, std::span<const Bytes> parts) {
  for (const Bytes part : parts) PINTLE_TRY(write_all(output, file, part));
  return {};
}

Result<void> write_in_place(const path& file, std::span<const Bytes> parts) {
  Descriptor output(retried([&] { return ::open(file.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (!output.is_open()) return failure("opened", file);
  PINTLE_TRY(write_all(output, file, parts));
  if (!output.close()) return failure("written", file);
  return {};
}

path temporary_beside(const path& target) {
  static std::atomic<std::uint64_t> last{0};
  const auto number = last.fetch_add(1, std::memory_order_relaxed);
  return join_path(target.parent_path(), fmt::format(".{}.{}.tmp", process_id(), number));
}

/// A rename is only durable once its folder is. Some file systems cannot sync a folder, which is no failure of the
/// write.
void sync_folder(const path& folder) noexcept {
  const Descriptor descriptor(retried([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (descriptor.is_open()) static_cast<void>(::fsync(descriptor.number()));
}

Result<void> write_by_rename(const path& target, std::span<const Bytes> parts) {
  const path beside = temporary_beside(target);
  const path folder = target.has_parent_path() ? target.parent_path() : path(".");
  ::unlink(beside.c_str());  // of a dead process that had our number
  Descriptor output(retried([&] { return ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
  if (!output.is_open()) return failure("created", target);
  Leftover leftover(beside);
  PINTLE_TRY(write_all(output, target, parts));
  if (::fsync(output.number()) != 0 || !output.close()) return failure("written", target);
  if (!leftover.rename_to(target)) return failure("renamed", target);
  sync_folder(folder);  // what follows the rename needs no memory: the file is there
  return {};
}

/// Where a link points to, so that the rename replaces the file and not the link.
path resolved(const path& file) {
  std::error_code none;
  const path target = std::filesystem::canonical(file, none);
  return none ? file : target;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const path& file, std::uint64_t limit) {
  return contain("reading a file", [&] { return read_all(file, limit); });
}

Result<void> write_file(const path& file, Bytes bytes) { return write_parts(file, {&bytes, 1}); }

Result<void> write_parts(const path& file, std::span<const Bytes> parts) {
  return contain("writing a file", [&]() -> Result<void> {
    struct stat status{};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) return write_in_place(file, parts);
    return write_by_rename(exists ? resolved(file) : file, parts);
  });
}

}  // namespace pintle::base
