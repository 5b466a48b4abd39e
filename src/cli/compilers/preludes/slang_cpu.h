/* What Slang's CUDA C finds when it is compiled for threads of the processor, behind Slang's own types for C++. The
   items of a group run one after another; where the kernel waits at barriers, each has a stack of its own. */
#include <sys/mman.h>
#include <new>
#include <tuple>
#include <utility>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define __device__
#define __global__
#define __shared__ static thread_local
#define __constant__ thread_local
#define __forceinline__ inline
#define make_int2 int2
#define make_int3 int3
#define make_int4 int4
#define make_uint2 uint2
#define make_uint3 uint3
#define make_uint4 uint4
#define make_float2 float2
#define make_float3 float3
#define make_float4 float4
#define make_double2 double2
#define make_double3 double3
#define make_double4 double4
#define __syncthreads pintle_barrier
typedef uint32_t uint;
typedef int64_t longlong;
typedef uint64_t ulonglong;

namespace {

struct pintle_place {
  uint32_t item[3], group[3], size[3], count[3];
};
thread_local pintle_place pintle_here;
#define threadIdx (*reinterpret_cast<const uint3*>(pintle_here.item))
#define blockIdx (*reinterpret_cast<const uint3*>(pintle_here.group))
#define blockDim (*reinterpret_cast<const uint3*>(pintle_here.size))
#define gridDim (*reinterpret_cast<const uint3*>(pintle_here.count))

template <class T>
inline T __ldg(const T* from) {
  return *from;
}
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* Each answers the value before. */
template <class T, class Change>
inline T pintle_change(T* at, Change change) {
  T before, after;
  __atomic_load(at, &before, __ATOMIC_RELAXED);
  do after = change(before);
  while (!__atomic_compare_exchange(at, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return before;
}
template <class T, class U>
inline T atomicAdd(T* at, U by) {
  return pintle_change(at, [=](T before) { return T(before + T(by)); });
}
template <class T, class U>
inline T atomicSub(T* at, U by) {
  return pintle_change(at, [=](T before) { return T(before - T(by)); });
}
template <class T, class U>
inline T atomicMin(T* at, U other) {
  return pintle_change(at, [=](T before) { return before < T(other) ? before : T(other); });
}
template <class T, class U>
inline T atomicMax(T* at, U other) {
  return pintle_change(at, [=](T before) { return before > T(other) ? before : T(other); });
}
template <class T, class U>
inline T atomicAnd(T* at, U other) {
  return pintle_change(at, [=](T before) { return T(before & T(other)); });
}
template <class T, class U>
inline T atomicOr(T* at, U other) {
  return pintle_change(at, [=](T before) { return T(before | T(other)); });
}
template <class T, class U>
inline T atomicXor(T* at, U other) {
  return pintle_change(at, [=](T before) { return T(before ^ T(other)); });
}
template <class T, class U>
inline T atomicExch(T* at, U value) {
  return pintle_change(at, [=](T) { return T(value); });
}
template <class T, class U, class V>
inline T atomicCAS(T* at, U expected, V value) {
  return pintle_change(at, [=](T before) { return before == T(expected) ? T(value) : before; });
}

/* Arguments. A kernel is not told how long a buffer is. */
template <class T>
struct pintle_argument {
  static T read(void* from) { return *static_cast<const T*>(from); }
};
template <class T>
struct pintle_argument<StructuredBuffer<T>> {
  static StructuredBuffer<T> read(void* from) {
    StructuredBuffer<T> buffer;
    buffer.data = static_cast<T*>(from), buffer.count = SIZE_MAX;
    return buffer;
  }
};
template <class T>
struct pintle_argument<RWStructuredBuffer<T>> {
  static RWStructuredBuffer<T> read(void* from) {
    RWStructuredBuffer<T> buffer;
    buffer.data = static_cast<T*>(from), buffer.count = SIZE_MAX;
    return buffer;
  }
};
template <>
struct pintle_argument<ByteAddressBuffer> {
  static ByteAddressBuffer read(void* from) {
    ByteAddressBuffer buffer;
    buffer.data = static_cast<uint32_t*>(from), buffer.sizeInBytes = SIZE_MAX;
    return buffer;
  }
};
template <>
struct pintle_argument<RWByteAddressBuffer> {
  static RWByteAddressBuffer read(void* from) {
    RWByteAddressBuffer buffer;
    buffer.data = static_cast<uint32_t*>(from), buffer.sizeInBytes = SIZE_MAX;
    return buffer;
  }
};

/* Stacks. A page that nobody may touch lies below each. */
constexpr size_t pintle_stack = 256 * 1024, pintle_page = 4096;
/* Stacks begin at different places of a page, so that they do not take each other's lines of the cache. */
constexpr size_t pintle_colours = 32, pintle_colour = 192;

struct pintle_fiber {
#if defined(__x86_64__)
  void* top;
#else
  ucontext_t context;
#endif
  uint32_t item[3];
  bool ended;
};

struct pintle_fibers {
  pintle_fibers* next;
  size_t count;
  char* stacks;
  pintle_fiber* all;
};

pintle_fibers* pintle_free_fibers;
int pintle_fibers_lock;
thread_local pintle_fiber *pintle_now, pintle_loop;
thread_local void (*pintle_body)(void*);
thread_local void* pintle_state;

struct pintle_locked {
  pintle_locked() {
    while (__atomic_exchange_n(&pintle_fibers_lock, 1, __ATOMIC_ACQUIRE)) {
    }
  }
  ~pintle_locked() { __atomic_store_n(&pintle_fibers_lock, 0, __ATOMIC_RELEASE); }
};

pintle_fibers* pintle_take_fibers(size_t count) {
  {
    const pintle_locked lock;
    for (pintle_fibers** at = &pintle_free_fibers; *at; at = &(*at)->next) {
      if ((*at)->count < count) continue;
      pintle_fibers* const found = *at;
      *at = found->next;
      return found;
    }
  }
  void* const stacks =
      mmap(nullptr, count * pintle_stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) abort();
  for (size_t i = 0; i < count; ++i) mprotect(static_cast<char*>(stacks) + i * pintle_stack, pintle_page, PROT_NONE);
  auto* const all = static_cast<pintle_fiber*>(calloc(count, sizeof(pintle_fiber)));
  auto* const made = static_cast<pintle_fibers*>(calloc(1, sizeof(pintle_fibers)));
  if (!all || !made) abort();
  *made = {nullptr, count, static_cast<char*>(stacks), all};
  return made;
}

void pintle_give_fibers(pintle_fibers* fibers) {
  const pintle_locked lock;
  fibers->next = pintle_free_fibers;
  pintle_free_fibers = fibers;
}

__attribute__((destructor)) void pintle_end_fibers() {
  while (pintle_fibers* const fibers = pintle_free_fibers) {
    pintle_free_fibers = fibers->next;
    munmap(fibers->stacks, fibers->count * pintle_stack);
    free(fibers->all);
    free(fibers);
  }
}

#if defined(__x86_64__)
/* Keeps what the convention of calls asks a function to keep, and goes on where the other stack stopped. */
extern "C" void pintle_switch(void** from, void* to) __asm__("pintle_switch_");
__asm__(R"(
.text
.type pintle_switch_,@function
pintle_switch_:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size pintle_switch_,.-pintle_switch_
)");
inline void pintle_go(pintle_fiber& from, pintle_fiber& to) { pintle_switch(&from.top, to.top); }
#else
inline void pintle_go(pintle_fiber& from, pintle_fiber& to) { swapcontext(&from.context, &to.context); }
#endif

void pintle_first() {
  pintle_body(pintle_state);
  pintle_now->ended = true;
  pintle_go(*pintle_now, pintle_loop);
}

void pintle_begin(pintle_fiber& fiber, char* stack, size_t index) {
  const size_t size = pintle_stack - index % pintle_colours * pintle_colour;
#if defined(__x86_64__)
  void** top = reinterpret_cast<void**>(stack + size);
  *--top = nullptr; /* a function finds its stack 8 bytes off a multiple of 16 */
  *--top = reinterpret_cast<void*>(&pintle_first);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  fiber.top = top;
#else
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack + pintle_page;
  fiber.context.uc_stack.ss_size = size - pintle_page;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, &pintle_first, 0);
#endif
  fiber.ended = false;
}

/* An item waits until every other item of its group waits or has ended. */
__attribute__((unused)) inline void pintle_barrier() { pintle_go(*pintle_now, pintle_loop); }

template <class Visit>
inline void pintle_each_item(const pintle_group* group, Visit visit) {
  for (uint32_t z = 0; z < group->size[2]; ++z)
    for (uint32_t y = 0; y < group->size[1]; ++y)
      for (uint32_t x = 0; x < group->size[0]; ++x) visit(x, y, z);
}

template <class Body>
__attribute__((unused)) void pintle_run_with_barriers(const pintle_group* group, Body body) {
  const size_t count = size_t{group->size[0]} * group->size[1] * group->size[2];
  pintle_fibers* const fibers = pintle_take_fibers(count);
  pintle_body = [](void* state) { (*static_cast<Body*>(state))(); };
  pintle_state = &body;
  size_t next = 0;
  pintle_each_item(group, [&](uint32_t x, uint32_t y, uint32_t z) {
    pintle_fiber& fiber = fibers->all[next];
    fiber.item[0] = x, fiber.item[1] = y, fiber.item[2] = z;
    pintle_begin(fiber, fibers->stacks + pintle_stack * next, next);
    ++next;
  });
  for (size_t left = count; left != 0;) {
    for (size_t i = 0; i < count; ++i) {
      pintle_fiber& fiber = fibers->all[i];
      if (fiber.ended) continue;
      memcpy(pintle_here.item, fiber.item, sizeof fiber.item);
      pintle_now = &fiber;
      pintle_go(pintle_loop, fiber);
      if (fiber.ended) --left;
    }
  }
  pintle_give_fibers(fibers);
}

template <class Body>
__attribute__((unused)) void pintle_run_in_turn(const pintle_group* group, Body body) {
  pintle_each_item(group, [&](uint32_t x, uint32_t y, uint32_t z) {
    pintle_here.item[0] = x, pintle_here.item[1] = y, pintle_here.item[2] = z;
    body();
  });
}

/* Runs a kernel for a group; its own parameters begin at arguments[first]. */
template <bool Waits, auto Kernel, class... P, size_t... I>
inline void pintle_run(const pintle_group* group, void* const* arguments, size_t first, void (*)(P...),
                       std::index_sequence<I...>) {
  memcpy(pintle_here.group, group->id, sizeof group->id);
  memcpy(pintle_here.size, group->size, sizeof group->size);
  memcpy(pintle_here.count, group->count, sizeof group->count);
  const std::tuple<P...> values{pintle_argument<P>::read(arguments[first + I])...};
  const auto body = [&] { Kernel(std::get<I>(values)...); };
  if constexpr (Waits) pintle_run_with_barriers(group, body);
  else pintle_run_in_turn(group, body);
}
template <bool Waits, auto Kernel, class... P>
inline void pintle_launch(const pintle_group* group, void* const* arguments, size_t first, void (*kernel)(P...)) {
  pintle_run<Waits, Kernel>(group, arguments, first, kernel, std::index_sequence_for<P...>());
}

}  // namespace
