// The floating-point environment in which kernels and host calls run, on any thread.
#pragma once

#include <cstdint>

#include "base/float_environment.h"

namespace pintle::base {

#if defined(__x86_64__)
/// While this lives: the environment with which a process begins, in SSE and AVX as in x87. Then the caller's is
/// restored, with its flags. Code for x87 is rare, so its whole environment is read only where its flags have changed.
class KernelEnvironment {
 public:
  KernelEnvironment() noexcept : control_(control()), status_(status()) {
    if (control_ != usual) load(usual);
  }
  KernelEnvironment(const KernelEnvironment&) = delete;
  KernelEnvironment& operator=(const KernelEnvironment&) = delete;
  ~KernelEnvironment() {
    if (((status() ^ status_) & flags) != 0) restore_all();
    else if (control() != control_) load(control_);
  }

 private:
  static constexpr std::uint16_t usual = 0x037f;
  /// Exceptions that have been raised, and whether one of them is to trap.
  static constexpr std::uint16_t flags = 0x80ff;

  /// What `fnstenv` stores.
  struct Stored {
    std::uint16_t control, unused, status, unused_too;
    std::uint32_t rest[5];
  };
  static_assert(sizeof(Stored) == 28);

  [[nodiscard]] static std::uint16_t control() noexcept {
    std::uint16_t word = 0;
    asm volatile("fnstcw %0" : "=m"(word));
    return word;
  }
  [[nodiscard]] static std::uint16_t status() noexcept {
    std::uint16_t word = 0;
    asm volatile("fnstsw %0" : "=m"(word));
    return word;
  }
  static void load(std::uint16_t control) noexcept { asm volatile("fldcw %0" : : "m"(control)); }

  /// Flags that code here has raised would trap at the caller's next instruction, where the caller wants traps.
  void restore_all() const noexcept {
    Stored now;
    asm volatile("fnstenv %0" : "=m"(now));
    now.control = control_;
    now.status = static_cast<std::uint16_t>((now.status & ~flags) | (status_ & flags));
    asm volatile("fldenv %0" : : "m"(now));
  }

  const FloatEnvironment sse_;
  const std::uint16_t control_, status_;
};
#elif defined(__aarch64__)
/// While this lives: no trap, round to nearest, no flush to zero. Then the caller's environment is restored, with its
/// flags. `fesetenv` would leave the bits of half precision and of default NaNs as they are.
class KernelEnvironment {
 public:
  KernelEnvironment() noexcept {
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(status_));
    if (control_ != 0) asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  }
  KernelEnvironment(const KernelEnvironment&) = delete;
  KernelEnvironment& operator=(const KernelEnvironment&) = delete;
  ~KernelEnvironment() {
    std::uint64_t control = 0, status = 0;
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
    if (control != control_) asm volatile("msr fpcr, %0" : : "r"(control_));
    if (status != status_) asm volatile("msr fpsr, %0" : : "r"(status_));
  }

 private:
  std::uint64_t control_ = 0, status_ = 0;
};
#else
using KernelEnvironment = FloatEnvironment;
#endif

}  // namespace pintle::base
