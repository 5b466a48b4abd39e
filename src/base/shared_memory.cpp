#include "base/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string_view>

#include "base/contain.h"
#include "base/descriptor.h"
#include "base/platform.h"

namespace pintle::base {
namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// A range that the system does not have is memory that ran out. Any other error is the system's refusal.
Error not_created(std::uint64_t bytes, int number) {
  const bool is_too_large = number == ENOMEM || number == EFBIG || number == EINVAL || number == EOVERFLOW;
  return {is_too_large ? Errc::out_of_memory : Errc::io,
          fmt::format("Shared memory of {} bytes cannot be created: {}.", bytes, system_words(number))};
}

Error not_opened(const std::string& what, std::string_view words) {
  return {Errc::unavailable, fmt::format("{} cannot be opened as shared memory: {}.", what, words)};
}

Result<std::span<std::byte>> map(std::uint64_t bytes, int flags, int descriptor) {
  if (bytes > std::numeric_limits<std::size_t>::max()) return not_created(bytes, EOVERFLOW);
  void* const address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, descriptor, 0);
  if (address == MAP_FAILED) return not_created(bytes, errno);
  return std::span(static_cast<std::byte*>(address), bytes);
}

Result<int> create_sealed(std::uint64_t bytes, const std::string& name) {
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return not_created(bytes, EFBIG);
  const int file = beside_standard_streams(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file < 0) return not_created(bytes, errno);
  if (retried([&] { return ::ftruncate(file, static_cast<off_t>(bytes)); }) == 0 &&
      retried([&] { return ::fcntl(file, F_ADD_SEALS, seals); }) == 0) {
    return file;
  }
  const int number = errno;
  ::close(file);
  return not_created(bytes, number);
}

/// The size of `file`, which must be sealed memory: only such memory has all three seals.
Result<std::uint64_t> sealed_size(int file, const std::string& what) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return not_opened(what, system_words(errno));
  if (!S_ISREG(status.st_mode)) return not_opened(what, "it is no memory");
  const int found = ::fcntl(file, F_GET_SEALS);
  if (found < 0 || (found & seals) != seals) return not_opened(what, "it is not sealed");
  return static_cast<std::uint64_t>(status.st_size);
}

/// `not_found` where the process has ended or has closed the memory.
Error not_found(const std::string& what, int number) {
  const bool is_gone = number == ENOENT || number == ESRCH;
  const Error error = not_opened(what, system_words(number));
  return is_gone ? Error(Errc::not_found, std::string(error.message())) : error;
}

/// The path is looked up first without opening the file, so that a device or a pipe there notices nothing.
Result<int> open_regular(const std::string& path, const std::string& what) {
  const Descriptor found(retried([&] { return ::open(path.c_str(), O_PATH | O_CLOEXEC); }));
  if (!found.is_open()) return not_found(what, errno);
  struct stat status{};
  if (::fstat(found.number(), &status) != 0) return not_opened(what, system_words(errno));
  if (!S_ISREG(status.st_mode)) return not_opened(what, "it is no memory");
  const std::string same = fmt::format("/proc/self/fd/{}", found.number());
  const int file = retried([&] { return ::open(same.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK); });
  if (file < 0) return not_found(what, errno);
  return file;
}

Result<std::span<std::byte>> open_there(std::uint64_t process, std::uint64_t descriptor, std::uint64_t bytes) {
  const std::string what = fmt::format("Descriptor {} of process {}", descriptor, process);
  PINTLE_ASSIGN(number, open_regular(fmt::format("/proc/{}/fd/{}", process, descriptor), what));
  const Descriptor file(number);
  PINTLE_ASSIGN(size, sealed_size(file.number(), what));
  if (size != bytes) return not_opened(what, fmt::format("its size ({}) is not the expected ({})", size, bytes));
  return map(size, MAP_SHARED, file.number());
}

}  // namespace

Result<SharedMemory> SharedMemory::create(std::uint64_t bytes, const std::string& name) {
  return contain("creating shared memory", [&]() -> Result<SharedMemory> {
    PINTLE_ASSIGN(file, create_sealed(bytes, name));
    SharedMemory memory({}, file);
    PINTLE_ASSIGN(mapped, map(bytes, MAP_SHARED, file));
    memory.bytes_ = mapped;
    return memory;
  });
}

Result<SharedMemory> SharedMemory::create_private(std::uint64_t bytes) {
  return contain("creating memory", [&]() -> Result<SharedMemory> {
    PINTLE_ASSIGN(mapped, map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1));
    return SharedMemory(mapped, -1);
  });
}

Result<SharedMemory> SharedMemory::open(std::uint64_t process, std::uint64_t descriptor, std::uint64_t bytes) {
  return contain("opening shared memory", [&]() -> Result<SharedMemory> {
    PINTLE_ASSIGN(mapped, open_there(process, descriptor, bytes));
    return SharedMemory(mapped, -1);
  });
}

Result<SharedMemory> SharedMemory::inherit(int descriptor) {
  return contain("inheriting shared memory", [&]() -> Result<SharedMemory> {
    PINTLE_ASSIGN(size, sealed_size(descriptor, fmt::format("Descriptor {}", descriptor)));
    PINTLE_ASSIGN(mapped, map(size, MAP_SHARED, descriptor));
    static_cast<void>(::fcntl(descriptor, F_SETFD, FD_CLOEXEC));
    return SharedMemory(mapped, -1);
  });
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) static_cast<void>(::munmap(bytes_.data(), bytes_.size()));
  close_descriptor();
}

void SharedMemory::close_descriptor() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace pintle::base
