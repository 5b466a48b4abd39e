#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

#include "base/contain.h"
#include "base/descriptor.h"
#include "base/platform.h"
#include "base/quote.h"
#include "base/temporary_file.h"

namespace pintle::base {
namespace {

using std::filesystem::path;

Error failure(std::string_view what, const path& file) {
  const int number = errno;
  return {Errc::io, fmt::format("File {} cannot be {}: {}.", quote(file.string(), 4096), what, system_words(number))};
}

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

Result<std::vector<std::byte>> read_all(int input, const path& file, std::uint64_t limit) {
  constexpr std::size_t step = 64 << 10;
  std::vector<std::byte> bytes(expected_size(input, limit) + 1);  // one more byte, so that the end is seen at once
  std::size_t filled = 0;
  while (true) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + std::max(step, bytes.size() / 2));
    const auto count = retried([&] { return ::read(input, bytes.data() + filled, bytes.size() - filled); });
    if (count < 0) return failure("read", file);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit) return too_large(file, limit);
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::vector<std::byte>> read_opened(const path& file, std::uint64_t limit) {
  const Descriptor input(retried([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!input.is_open()) return failure("opened", file);
  return read_all(input.number(), file, limit);
}

std::string_view kind_of(mode_t mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFDIR: return "a folder";
    case S_IFIFO: return "a pipe";
    case S_IFSOCK: return "a socket";
    default: return "a device";
  }
}

/// Without O_NONBLOCK, opening a pipe would wait for a writer.
Result<std::vector<std::byte>> read_regular(const path& file, std::uint64_t limit) {
  const Descriptor input(retried([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); }));
  if (!input.is_open()) return failure("opened", file);
  struct stat status{};
  if (::fstat(input.number(), &status) != 0) return failure("read", file);
  if (!S_ISREG(status.st_mode)) {
    return Error(Errc::io, fmt::format("File {} cannot be read: it is {}, where a regular file is expected.",
                                       quote(file.string(), 4096), kind_of(status.st_mode)));
  }
  if (static_cast<std::uint64_t>(status.st_size) > limit) return too_large(file, limit);
  return read_all(input.number(), file, limit);
}

using Bytes = std::span<const std::byte>;

Result<void> write_all(int output, const path& file, Bytes bytes) {
  while (!bytes.empty()) {
    const auto count = retried([&] { return ::write(output, bytes.data(), bytes.size()); });
    if (count < 0) return failure("written", file);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> write_all(int output, const path& file, std::span<const Bytes> parts) {
  for (const Bytes part : parts) PINTLE_TRY(write_all(output, file, part));
  return {};
}

Result<void> write_in_place(const path& file, std::span<const Bytes> parts) {
  Descriptor output(retried([&] { return ::open(file.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (!output.is_open()) return failure("opened", file);
  PINTLE_TRY(write_all(output.number(), file, parts));
  if (!output.close()) return failure("written", file);
  return {};
}

/// A rename is only durable once its folder is synced. Some file systems cannot sync a folder; the write has succeeded
/// all the same.
void sync_folder(int folder) noexcept {
  const Descriptor readable(retried([&] { return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (readable.is_open()) static_cast<void>(::fsync(readable.number()));
}

/// The first save into a folder also removes what killed processes left there. Later saves do not read it again.
void sweep_once(int folder) noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  struct stat status{};
  if (::fstat(folder, &status) != 0) return;
  const std::uint64_t mark = static_cast<std::uint64_t>(status.st_ino) * 31 + static_cast<std::uint64_t>(status.st_dev);
  if (last.exchange(mark, std::memory_order_relaxed) != mark) remove_leftovers(folder);
}

/// The new file's group is not the replaced file's, so it gets no right that all others do not have.
mode_t without_group(mode_t mode) noexcept { return (mode & ~mode_t{070}) | (mode & 070 & ((mode & 07) << 3)); }

/// Gives the new file the owner and mode of the replaced one, as far as the system allows. Where it does not, the
/// rights are narrower. Bits that lend an owner's rights are dropped, as they are where a file is written in place.
void take_rights(int file, const struct stat& replaced) noexcept {
  mode_t mode = replaced.st_mode & 0777;
  const bool is_owned = ::fchown(file, replaced.st_uid, replaced.st_gid) == 0 ||
                        ::fchown(file, static_cast<uid_t>(-1), replaced.st_gid) == 0;
  if (!is_owned) mode = without_group(mode);
  static_cast<void>(::fchmod(file, mode));
}

/// The file's name without its folder, in the path's own memory.
const char* name_in(const path& file) noexcept {
  const std::size_t slash = file.native().rfind('/');
  return file.c_str() + (slash == std::string::npos ? 0 : slash + 1);
}

/// `replaced` is null for a new file, which gets the mode that the umask leaves.
Result<void> write_by_rename(const path& target, std::span<const Bytes> parts, const struct stat* replaced) {
  const path parent = target.has_parent_path() ? target.parent_path() : path(".");
  const Descriptor folder(retried([&] { return ::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
  if (!folder.is_open()) return failure("created", target);
  sweep_once(folder.number());
  TemporaryFile output(folder.number(), replaced == nullptr ? 0666 : 0600);
  if (!output.is_open()) return failure("created", target);
  PINTLE_TRY(write_all(output.number(), target, parts));
  if (replaced != nullptr) take_rights(output.number(), *replaced);
  if (::fsync(output.number()) != 0 || !output.close()) return failure("written", target);
  if (!output.rename_to(name_in(target))) return failure("renamed", target);
  sync_folder(folder.number());  // from the rename on no memory is needed: the file is there
  return {};
}

/// The target of a link, so that the rename replaces the file and not the link.
path resolved(const path& file) {
  std::error_code none;
  const path target = std::filesystem::canonical(file, none);
  return none ? file : target;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const path& file, std::uint64_t limit) {
  return contain("reading a file", [&] { return read_opened(file, limit); });
}

Result<std::vector<std::byte>> read_regular_file(const path& file, std::uint64_t limit) {
  return contain("reading a file", [&] { return read_regular(file, limit); });
}

Result<std::vector<std::byte>> read_open_file(int number, const path& file, std::uint64_t limit) {
  return contain("reading a file", [&] { return read_all(number, file, limit); });
}

Result<void> write_open_file(int number, const path& file, Bytes bytes) {
  return contain("writing a file", [&] { return write_all(number, file, bytes); });
}

Result<void> write_file(const path& file, Bytes bytes) { return write_parts(file, {&bytes, 1}); }

Result<void> write_parts(const path& file, std::span<const Bytes> parts) {
  return contain("writing a file", [&]() -> Result<void> {
    struct stat status{};
    const bool exists = ::stat(file.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) return write_in_place(file, parts);
    return write_by_rename(exists ? resolved(file) : file, parts, exists ? &status : nullptr);
  });
}

}  // namespace pintle::base
