// Stacks that one thread switches between.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace pintle::interleaving {

/// Runs `body(argument)` again each time it has returned and is switched to. The body ends by switching away.
class Fiber {
 public:
  /// The stack of the thread itself.
  Fiber() = default;
  Fiber(void (*body)(void*), void* argument);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Goes on in `to`; returns when somebody switches back to `from`. `from` is the fiber that runs.
  static void go(Fiber& from, Fiber& to);

 private:
  static constexpr std::size_t stack_size = 256 * 1024;

  static void enter(unsigned low, unsigned high);
  void arrived();

  ucontext_t context_{};
  std::unique_ptr<std::byte[]> stack_;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  // What AddressSanitizer wants to be told of each switch.
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pintle::interleaving
