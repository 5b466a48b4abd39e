/* A cl_context, a cl_command_queue and a cl_mem of the program's own, under Pintle's device, queue and buffer: on a
 * device of each platform. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include "pintle/c/load.h"
#include "pintle/c/native.h"
#include "vendors/kernel.h"

/* The loader's library has no name for linkers without its package for compilers. */
#define FUNCTIONS(each)                                                                                              \
  each(clGetPlatformIDs) each(clGetDeviceIDs) each(clGetDeviceInfo) each(clCreateContext) each(clCreateCommandQueue) \
      each(clCreateBuffer) each(clEnqueueWriteBuffer) each(clEnqueueReadBuffer) each(clReleaseMemObject)             \
          each(clReleaseCommandQueue) each(clReleaseContext)
#define MEMBER(name) __typeof__(name)* name;
#define LOAD(name) CHECK((*(void**)& cl.name = dlsym(library, #name)) != NULL);

static struct {
  FUNCTIONS(MEMBER)
} cl;

typedef struct made {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem memory;
} made;

static made make(cl_platform_id platform, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  made its = {.platform = platform, .device = device};
  its.context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  CHECK(status == CL_SUCCESS);
  its.queue = cl.clCreateCommandQueue(its.context, device, 0, &status);
  CHECK(status == CL_SUCCESS);
  its.memory = cl.clCreateBuffer(its.context, CL_MEM_READ_WRITE, word_count * sizeof(uint32_t), NULL, &status);
  CHECK(status == CL_SUCCESS);
  return its;
}

static void wrap(const made* its, pintle_device* device, pintle_queue* queue, pintle_buffer* buffer) {
  const uint64_t dims = word_count;
  pintle_opencl_device context = {.native = {sizeof context, PINTLE_NATIVE_OPENCL_DEVICE}};
  pintle_opencl_queue on = {.native = {sizeof on, PINTLE_NATIVE_OPENCL_QUEUE}, .queue = its->queue};
  pintle_opencl_memory over = {.native = {sizeof over, PINTLE_NATIVE_OPENCL_MEMORY}, .memory = its->memory};
  context.platform = its->platform;
  context.device = its->device;
  context.context = its->context;
  OK(pintle_device_wrap(&context.native, device, error));
  OK(pintle_queue_wrap(*device, &on.native, NULL, queue, error));
  OK(pintle_buffer_wrap(*device, &over.native, PINTLE_U32, 1, &dims, "theirs", buffer, error));
  on.queue = over.memory = context.context = NULL;
  OK(pintle_device_get_native(*device, &context.native, error));
  OK(pintle_queue_get_native(*queue, &on.native, error));
  OK(pintle_buffer_get_native(*buffer, &over.native, error));
  CHECK(context.context == its->context && on.queue == its->queue && over.memory == its->memory);
}

static void a_kernel_runs_on_what_the_program_has(const made* its) {
  static const char code[] = "kernel void add(global uint* words, uint n) { words[get_global_id(0)] += n; }";
  static uint32_t words[word_count];
  pintle_device device;
  pintle_queue queue;
  pintle_buffer buffer;
  wrap(its, &device, &queue, &buffer);
  for (int i = 0; i < word_count; ++i) words[i] = 40;
  CHECK(cl.clEnqueueWriteBuffer(its->queue, its->memory, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL) == CL_SUCCESS);
  add_two(device, "opencl_c", code, sizeof code - 1, queue, buffer);
  words[0] = 0; /* All of it is the program's still. */
  CHECK(cl.clEnqueueReadBuffer(its->queue, its->memory, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL) == CL_SUCCESS);
  expect_words(words, 42);
}

static void objects_of_another_context_are_refused(const made* its) {
  const uint64_t dims = word_count;
  const made other = make(its->platform, its->device);
  pintle_opencl_device context = {.native = {sizeof context, PINTLE_NATIVE_OPENCL_DEVICE}};
  pintle_opencl_queue on = {.native = {sizeof on, PINTLE_NATIVE_OPENCL_QUEUE}, .queue = other.queue};
  pintle_opencl_memory over = {.native = {sizeof over, PINTLE_NATIVE_OPENCL_MEMORY}, .memory = other.memory};
  pintle_device device;
  pintle_queue queue;
  pintle_buffer buffer;
  context.platform = its->platform;
  context.device = its->device;
  context.context = its->context;
  OK(pintle_device_wrap(&context.native, &device, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_wrap(device, &on.native, NULL, &queue, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_wrap(device, &over.native, PINTLE_U32, 1, &dims, NULL, &buffer, error));
  OK(pintle_device_release(device, error));
  CHECK(cl.clReleaseMemObject(other.memory) == CL_SUCCESS && cl.clReleaseCommandQueue(other.queue) == CL_SUCCESS);
  CHECK(cl.clReleaseContext(other.context) == CL_SUCCESS);
}

static void run_on(cl_platform_id platform, cl_device_id device) {
  char name[256] = "";
  const made its = make(platform, device);
  CHECK(cl.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS);
  printf("%s\n", name);
  a_kernel_runs_on_what_the_program_has(&its);
  objects_of_another_context_are_refused(&its);
  CHECK(cl.clReleaseMemObject(its.memory) == CL_SUCCESS && cl.clReleaseCommandQueue(its.queue) == CL_SUCCESS);
  CHECK(cl.clReleaseContext(its.context) == CL_SUCCESS);
}

int main(void) {
  void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  cl_platform_id platforms[16];
  cl_uint count = 0;
  int runs = 0;
  if (library == NULL) {
    printf("skipped: %s\n", dlerror());
    return skipped;
  }
  FUNCTIONS(LOAD)
  if (cl.clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    cl_device_id device;
    if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) continue;
    run_on(platforms[i], device);
    ++runs;
  }
  if (runs == 0) printf("skipped: this machine has no OpenCL device\n");
  return runs == 0 ? skipped : 0;
}
