#include "allocation_sweep/allocations.h"

#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "allocation_sweep/frames.h"

namespace pintle::allocation_sweep {
namespace {

constinit Shortage planned;
constinit std::atomic<bool> open{false};
constinit std::atomic<bool> has_failed{false};
constinit std::atomic<std::uint64_t> count{0};
constinit thread_local bool is_in_window = false;
constinit thread_local bool is_deciding = false;  // to look at the stack may need memory

constexpr std::size_t depth = 64;
constinit std::array<void*, depth> trace{};
constinit std::size_t trace_size = 0;
constinit std::uint64_t trace_ordinal = 0;

/// Whether the library asks; if so, it runs out of memory.
bool fails(std::uint64_t ordinal) noexcept {
  std::array<void*, depth> frames{};
  const auto size = static_cast<std::size_t>(backtrace(frames.data(), static_cast<int>(depth)));
  if (!is_of_library(std::span(frames).first(size))) return false;
  if (has_failed.exchange(true)) return planned.mode == Mode::lasting;
  trace = frames;
  trace_size = size;
  trace_ordinal = ordinal;
  return true;
}

bool must_fail() noexcept {
  if (!open.load(std::memory_order_relaxed) || is_deciding) return false;
  if (planned.mode != Mode::threads && !is_in_window) return false;
  const std::uint64_t ordinal = count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (planned.ordinal == 0 || ordinal < planned.ordinal) return false;
  if (has_failed.load(std::memory_order_relaxed) && planned.mode != Mode::lasting) return false;
  is_deciding = true;
  const bool answer = fails(ordinal);
  is_deciding = false;
  return answer;
}

}  // namespace

void plan(Shortage shortage) noexcept {
  planned = shortage;
  has_failed = false;
  count = 0;
  trace_size = 0;
  trace_ordinal = 0;
}

Failed failed() noexcept { return {has_failed.load(), trace_ordinal, std::span(trace).first(trace_size)}; }

Window::Window() noexcept {
  is_in_window = true;
  open = true;
}

Window::~Window() {
  open = false;
  is_in_window = false;
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (must_fail()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(size, 1));
  return std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = allocate(size, alignment); memory != nullptr) return memory;
  throw std::bad_alloc();
}

}  // namespace pintle::allocation_sweep

using pintle::allocation_sweep::allocate;
using pintle::allocation_sweep::allocate_or_throw;

// gcc sees the malloc inside operator new, and takes the free inside operator delete for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// clang-format off
void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept { return allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<std::size_t>(to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<std::size_t>(to)); }
void* operator new(std::size_t size, std::align_val_t to, const std::nothrow_t& /*tag*/) noexcept { return allocate(size, static_cast<std::size_t>(to)); }
void* operator new[](std::size_t size, std::align_val_t to, const std::nothrow_t& /*tag*/) noexcept { return allocate(size, static_cast<std::size_t>(to)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*to*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*to*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*to*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*to*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*to*/, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*to*/, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
// clang-format on
