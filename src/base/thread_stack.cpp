#include "base/thread_stack.h"

#include <pthread.h>

#include <cstdint>

namespace pintle::base {
namespace {

struct Bounds {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  bool is_known = false;
};

Bounds ask() noexcept {
  Bounds bounds{0, 0, true};
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<std::uintptr_t>(low);
    bounds.high = bounds.low + size;
  }
  pthread_attr_destroy(&attributes);
#endif
  return bounds;
}

thread_local constinit Bounds bounds;

}  // namespace

std::size_t stack_left() noexcept {
  if (!bounds.is_known) bounds = ask();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here > bounds.low && here < bounds.high ? here - bounds.low : 0;
}

std::size_t usual_stack() noexcept {
  static const std::size_t usual = [] {
    std::size_t size = 0;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return size;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size;
  }();
  return usual;
}

}  // namespace pintle::base
