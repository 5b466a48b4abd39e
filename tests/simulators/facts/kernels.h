// The kernels that rules need, in CUDA C and HIP C. The vendor's compiler for CUDA alone defines __CUDACC_RTC__: what
// stands behind it is not there for a simulator or for HIP, and its rules are not asked there.
#pragma once

namespace facts {

inline constexpr const char* kernels = R"(
struct S24 { unsigned long long a; double b; unsigned c, d; };

extern "C" __global__ void nothing() {}
extern "C" __global__ void hold(volatile unsigned* gate) {
  gate[1] = 1;
  __threadfence_system();
  while (gate[0] == 0) {}
}
extern "C" __global__ void add(unsigned* x, unsigned a) { *x += a; }
extern "C" __global__ void store(unsigned long long at) {
#ifdef __CUDACC_RTC__
  asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(1u) : "memory");
#else
  *(volatile unsigned*)at = 1;
#endif
}
extern "C" __global__ void trap() {
#ifdef __HIP__
  __builtin_trap();
#else
  __trap();
#endif
}
extern "C" __global__ void __launch_bounds__(32) few() {}
extern "C" __global__ void parameters(unsigned a, float b, unsigned* c, S24 s) { c[0] = a + (unsigned)b + (unsigned)s.a + s.c; }

#ifdef __CUDACC_RTC__
extern "C" __global__ void breakpoint() { asm volatile("brkpt;"); }
extern "C" __global__ void store_shared(unsigned at, unsigned* out) {
  unsigned v;
  asm volatile("st.shared.u32 [%1], %1; ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
  *out = v;
}
__device__ __noinline__ unsigned descend(unsigned depth, volatile unsigned* out) {
  volatile unsigned local[256];
  for (int i = 0; i < 256; i++) local[i] = depth + i;
  if (depth == 0) return *out;
  unsigned sum = descend(depth - 1, out);
  for (int i = 0; i < 256; i += 17) sum += local[i];
  return sum;
}
extern "C" __global__ void recurse(unsigned depth, unsigned* out) { *out = descend(depth, out); }
extern "C" __global__ void registers(double* in, double* out, int n) {
  double a[112];
#pragma unroll
  for (int i = 0; i < 112; i++) a[i] = in[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 112; i++) out[i * n + threadIdx.x] = a[111 - i] * a[(i * 37) % 112] + a[(i * 53 + 7) % 112];
}
#endif
)";

}  // namespace facts
