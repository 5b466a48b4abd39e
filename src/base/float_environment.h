// The floating-point environment of the calling thread, held while the library computes.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pintle::base {

#if defined(__x86_64__)
/// While this lives: no trap, round to nearest, no flush to zero. Then the caller's environment is restored, with its
/// flags. Only the environment of SSE and AVX: reading and setting that of x87 takes longer than a short conversion.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept : before_(::_mm_getcsr()) {
    if ((before_ & ~flags) != usual) ::_mm_setcsr(usual);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
  ~FloatEnvironment() { ::_mm_setcsr(before_); }  // setting takes less time than a look whether it has changed

 private:
  static constexpr unsigned flags = 0x3f, usual = 0x1f80;

  unsigned before_;
};

/// From now on this thread treats subnormal operands and results as zero, where its processor can. For tests.
inline void flush_to_zero() noexcept { ::_mm_setcsr(::_mm_getcsr() | 0x8040); }
#else
/// While this lives: no trap, round to nearest, no flush to zero. Then the caller's environment is restored.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
  ~FloatEnvironment() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_{};
};

inline void flush_to_zero() noexcept {}
#endif

}  // namespace pintle::base
