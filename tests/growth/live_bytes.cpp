// Bytes of the process that are allocated now: every allocation comes through here.
#include "growth/live_bytes.h"

#include <malloc.h>

#include <atomic>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* pointer);
}

namespace {

std::atomic<std::int64_t> live{0};

void* added(void* pointer) noexcept {
  live.fetch_add(static_cast<std::int64_t>(::malloc_usable_size(pointer)), std::memory_order_relaxed);
  return pointer;
}

void removed(void* pointer) noexcept {
  live.fetch_sub(static_cast<std::int64_t>(::malloc_usable_size(pointer)), std::memory_order_relaxed);
}

}  // namespace

extern "C" void* malloc(std::size_t size) { return added(__libc_malloc(size)); }
extern "C" void* calloc(std::size_t count, std::size_t size) { return added(__libc_calloc(count, size)); }
extern "C" void* realloc(void* pointer, std::size_t size) {
  removed(pointer);
  return added(__libc_realloc(pointer, size));
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return added(__libc_memalign(alignment, size));
}
extern "C" void* memalign(std::size_t alignment, std::size_t size) { return added(__libc_memalign(alignment, size)); }
extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = added(__libc_memalign(alignment, size));
  return *out == nullptr;
}
extern "C" void free(void* pointer) {
  removed(pointer);
  __libc_free(pointer);
}

namespace pintle::growth {

std::int64_t live_bytes() noexcept { return live.load(); }

}  // namespace pintle::growth
