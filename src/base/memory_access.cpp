#include "base/memory_access.h"

#include <ucontext.h>

#include <cstddef>
#include <cstring>

namespace pintle::base {

#if defined(__x86_64__)

MemoryAccess access_of(const void* context) noexcept {
  constexpr greg_t write_bit = 2;  // of the page fault's error code
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return (machine.gregs[REG_ERR] & write_bit) != 0 ? MemoryAccess::write : MemoryAccess::read;
}

#elif defined(__aarch64__)

MemoryAccess access_of(const void* context) noexcept {
  constexpr std::uint32_t syndrome_magic = 0x45535201;
  constexpr std::uint64_t write_bit = 1 << 6;
  const auto& records = static_cast<const ucontext_t*>(context)->uc_mcontext.__reserved;
  for (std::size_t at = 0; at + 16 <= sizeof records;) {  // records of a magic number, a size and contents
    std::uint32_t magic = 0, size = 0;
    std::memcpy(&magic, records + at, sizeof magic);
    std::memcpy(&size, records + at + sizeof magic, sizeof size);
    if (magic == syndrome_magic) {
      std::uint64_t syndrome = 0;
      std::memcpy(&syndrome, records + at + 8, sizeof syndrome);
      return (syndrome & write_bit) != 0 ? MemoryAccess::write : MemoryAccess::read;
    }
    if (magic == 0 || size == 0) break;
    at += size;
  }
  return MemoryAccess::write;
}

#else

MemoryAccess access_of(const void*) noexcept { return MemoryAccess::write; }

#endif

}  // namespace pintle::base
