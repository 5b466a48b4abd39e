// Every allocation of the process comes through here, since operator new calls malloc. For one source of a program.
#pragma once

#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

/// What the program does with an allocation that `caller` asks for; the includer defines it.
static void count(const void* caller) noexcept;

extern "C" void* malloc(std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t number, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, size);
}
extern "C" void* realloc(void* pointer, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(pointer, size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  count(__builtin_return_address(0));
  *out = __libc_memalign(alignment, size);
  return *out == nullptr;
}
