/* A stream and memory of the program's own under Pintle's queue and buffer, over the simulated driver of CUDA's or
 * HIP's: `capi_native_cuda cuda|hip`. */
#include <dlfcn.h>
#include <string.h>

#include "pintle/c/load.h"
#include "pintle/c/native.h"
#include "vendors/kernel.h"

/* Those that a program calls first; a status is 0 or an error. */
typedef struct driver {
  int (*init)(unsigned);
  int (*make_context)(void**, unsigned, int); /* CUDA's alone. */
  int (*destroy_context)(void*);
  int (*make_stream)(void**, unsigned);
  int (*allocate)(uint64_t*, size_t);
  int (*fill)(uint64_t, unsigned, size_t, void*);
} driver;

static void* found(void* library, const char* name) {
  void* const function = dlsym(library, name);
  CHECK(function != NULL);
  return function;
}

static driver driver_of_cuda(void* library) {
  driver its;
  *(void**)&its.init = found(library, "cuInit");
  *(void**)&its.make_context = found(library, "cuCtxCreate_v2");
  *(void**)&its.destroy_context = found(library, "cuCtxDestroy_v2");
  *(void**)&its.make_stream = found(library, "cuStreamCreate");
  *(void**)&its.allocate = found(library, "cuMemAlloc_v2");
  *(void**)&its.fill = found(library, "cuMemsetD32Async");
  return its;
}

static driver driver_of_hip(void* library) {
  driver its = {0};
  *(void**)&its.init = found(library, "hipInit");
  *(void**)&its.make_stream = found(library, "hipStreamCreateWithFlags");
  *(void**)&its.allocate = found(library, "hipMalloc");
  *(void**)&its.fill = found(library, "hipMemsetD32Async");
  return its;
}

static const char code[] =
    "extern \"C\" __global__ void add(unsigned* words, unsigned n) {"
    " words[blockIdx.x * blockDim.x + threadIdx.x] += n; }";

static void on_cuda(const driver* its) {
  const uint64_t dims = word_count;
  pintle_cuda_device context = {.native = {sizeof context, PINTLE_NATIVE_CUDA_DEVICE}};
  pintle_cuda_queue on = {.native = {sizeof on, PINTLE_NATIVE_CUDA_QUEUE}};
  pintle_cuda_memory over = {.native = {sizeof over, PINTLE_NATIVE_CUDA_MEMORY}};
  pintle_cuda_device device_seen = context;
  pintle_cuda_queue queue_seen = on;
  pintle_cuda_memory memory_seen = over;
  pintle_device device;
  pintle_queue queue;
  pintle_buffer buffer;
  CHECK(its->make_context(&context.context, 0, 0) == 0 && its->make_stream(&on.stream, 1) == 0);
  CHECK(its->allocate(&over.address, sizeof(uint32_t) * word_count) == 0);
  OK(pintle_device_wrap(&context.native, &device, error));
  OK(pintle_queue_wrap(device, &on.native, NULL, &queue, error));
  OK(pintle_buffer_wrap(device, &over.native, PINTLE_U32, 1, &dims, "theirs", &buffer, error));
  OK(pintle_device_get_native(device, &device_seen.native, error));
  OK(pintle_queue_get_native(queue, &queue_seen.native, error));
  OK(pintle_buffer_get_native(buffer, &memory_seen.native, error));
  CHECK(device_seen.context == context.context && queue_seen.stream == on.stream);
  CHECK(memory_seen.address == over.address && memory_seen.host == NULL);
  CHECK(its->fill(over.address, 40, word_count, on.stream) == 0);
  add_two(device, "cuda_c", code, sizeof code - 1, queue, buffer);
  over.address += 1;
  OK(pintle_device_wrap(&context.native, &device, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_wrap(device, &over.native, PINTLE_U32, 1, &dims, NULL, &buffer, error));
  OK(pintle_device_release(device, error));
  CHECK(its->destroy_context(context.context) == 0); /* It was the program's all the time. */
}

static void on_hip(const driver* its) {
  const uint64_t dims = word_count;
  pintle_hip_device card = {.native = {sizeof card, PINTLE_NATIVE_HIP_DEVICE}};
  pintle_hip_queue on = {.native = {sizeof on, PINTLE_NATIVE_HIP_QUEUE}};
  pintle_hip_memory over = {.native = {sizeof over, PINTLE_NATIVE_HIP_MEMORY}};
  pintle_hip_queue queue_seen = on;
  pintle_hip_memory memory_seen = over;
  pintle_device device;
  pintle_queue queue;
  pintle_buffer buffer;
  CHECK(its->make_stream(&on.stream, 1) == 0);
  CHECK(its->allocate(&over.address, sizeof(uint32_t) * word_count) == 0);
  OK(pintle_device_wrap(&card.native, &device, error));
  OK(pintle_queue_wrap(device, &on.native, NULL, &queue, error));
  OK(pintle_buffer_wrap(device, &over.native, PINTLE_U32, 1, &dims, "theirs", &buffer, error));
  OK(pintle_device_get_native(device, &card.native, error));
  OK(pintle_queue_get_native(queue, &queue_seen.native, error));
  OK(pintle_buffer_get_native(buffer, &memory_seen.native, error));
  CHECK(card.device == 0 && queue_seen.stream == on.stream && memory_seen.address == over.address);
  CHECK(its->fill(over.address, 40, word_count, on.stream) == 0);
  add_two(device, "hip_c", code, sizeof code - 1, queue, buffer);
}

int main(int count, char** arguments) {
  const int is_hip = count == 2 && strcmp(arguments[1], "hip") == 0;
  void* const library = dlopen(is_hip ? "libamdhip64.so.6" : "libcuda.so.1", RTLD_NOW);
  driver its;
  CHECK(library != NULL);
  its = is_hip ? driver_of_hip(library) : driver_of_cuda(library);
  CHECK(its.init(0) == 0);
  if (is_hip) on_hip(&its);
  else on_cuda(&its);
  return 0;
}
