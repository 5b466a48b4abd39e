// PINTLE_SELF_CONTAINED: what programs need of libhwy, since Debian has no archive of it: which of Highway's targets
// this processor has.
#include <hwy/targets.h>

namespace hwy {
namespace {

int64_t processors_targets() {
#if HWY_ARCH_X86
  int64_t targets = HWY_SCALAR | HWY_EMU128;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("ssse3")) return targets;
  targets |= HWY_SSSE3;
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("aes") || !__builtin_cpu_supports("pclmul"))
    return targets;
  targets |= HWY_SSE4;
  for (const bool has : {__builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0,
                         __builtin_cpu_supports("bmi") != 0, __builtin_cpu_supports("bmi2") != 0,
                         __builtin_cpu_supports("f16c") != 0, __builtin_cpu_supports("lzcnt") != 0}) {
    if (!has) return targets;
  }
  targets |= HWY_AVX2;
  const bool has_avx3 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return has_avx3 ? targets | HWY_AVX3 : targets;
#else
  return HWY_STATIC_TARGET;
#endif
}

}  // namespace

int64_t SupportedTargets() {
  static const int64_t targets = processors_targets();
  return targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
