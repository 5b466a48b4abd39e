/* Native objects of the device "cpu": handed out, wrapped, and what is refused. */
#include <string.h>

#include "check.h"
#include "pintle/c/native.h"
#include "pintle/c/pool.h"
#include "transfer.h"

static _Alignas(64) float mine[count], seen[count];
static const uint64_t dims[] = {4, count / 4};

static void a_device_says_how_many_threads_it_has(pintle_device device) {
  pintle_cpu_device cpu = {.native = {sizeof cpu, PINTLE_NATIVE_CPU_DEVICE}, .threads = UINT32_MAX, .quota = -1};
  OK(pintle_device_get_native(device, &cpu.native, error));
  CHECK(cpu.threads > 0 && cpu.threads != UINT32_MAX && cpu.quota >= 0);
  CHECK(cpu.native.size == sizeof cpu && cpu.native.kind == PINTLE_NATIVE_CPU_DEVICE);
}

static void expect_mapped_address(pintle_buffer buffer) {
  pintle_cpu_memory memory = {.native = {sizeof memory, PINTLE_NATIVE_CPU_MEMORY}};
  void* data;
  OK(pintle_buffer_get_native(buffer, &memory.native, error));
  OK(pintle_buffer_map(buffer, &data, error));
  CHECK(memory.address != NULL && memory.address == data);
  OK(pintle_buffer_unmap(buffer, error));
}

static void a_buffer_says_where_it_lies(pintle_device device, pintle_queue queue) {
  const pintle_buffer buffer = buffer_on(device);
  pintle_cpu_memory memory = {.native = {sizeof memory, PINTLE_NATIVE_CPU_MEMORY}};
  expect_mapped_address(buffer);
  OK(pintle_buffer_get_native(buffer, &memory.native, error));
  for (int i = 0; i < count; ++i) ((float*)memory.address)[i] = (float)i;
  read_buffer(queue, buffer, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == (float)i);
  OK(pintle_buffer_release(buffer, error));
}

/* Both lie in one block of the pool's: the address is the buffer's, not the block's. */
static void buffers_of_a_pool_have_addresses_of_their_own(pintle_device device, pintle_queue queue) {
  pintle_pool pool;
  pintle_buffer first, second;
  OK(pintle_pool_create(device, NULL, &pool, error));
  OK(pintle_pool_allocate(pool, queue, PINTLE_F32, 2, dims, NULL, &first, error));
  OK(pintle_pool_allocate(pool, queue, PINTLE_F32, 2, dims, NULL, &second, error));
  expect_mapped_address(first);
  expect_mapped_address(second);
  OK(pintle_buffer_release(first, error));
  OK(pintle_buffer_release(second, error));
  OK(pintle_pool_release(pool, error));
}

static void memory_is_wrapped_in_place(pintle_device device, pintle_queue queue) {
  const pintle_cpu_memory given = {.native = {sizeof given, PINTLE_NATIVE_CPU_MEMORY}, .address = mine};
  pintle_cpu_memory found = {.native = {sizeof found, PINTLE_NATIVE_CPU_MEMORY}};
  pintle_buffer_info info = {.size = sizeof info};
  pintle_buffer buffer;
  OK(pintle_buffer_wrap(device, &given.native, PINTLE_F32, 2, dims, "mine", &buffer, error));
  OK(pintle_buffer_get_info(buffer, &info, error));
  CHECK(info.bytes == sizeof mine && info.rank == 2 && info.dims[1] == count / 4 && info.dtype == PINTLE_F32);
  OK(pintle_buffer_get_native(buffer, &found.native, error));
  CHECK(found.address == mine);
  fill_buffer(queue, buffer, 3);
  for (int i = 0; i < count; ++i) CHECK(mine[i] == 3);
  mine[5] = 9;
  read_buffer(queue, buffer, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == (i == 5 ? 9 : 3));
  OK(pintle_buffer_release(buffer, error));
}

static void other_objects_are_refused(pintle_device device, pintle_queue queue, pintle_buffer buffer) {
  pintle_cpu_device cpu = {.native = {sizeof cpu, PINTLE_NATIVE_CPU_DEVICE}, .threads = 77};
  pintle_cpu_memory memory = {.native = {sizeof memory, PINTLE_NATIVE_CPU_MEMORY}};
  pintle_opencl_queue opencl = {.native = {sizeof opencl, PINTLE_NATIVE_OPENCL_QUEUE}, .queue = &opencl};
  pintle_vulkan_memory vulkan = {.native = {sizeof vulkan, PINTLE_NATIVE_VULKAN_MEMORY}, .buffer = 7};
  pintle_pjrt_device pjrt = {.native = {sizeof pjrt, PINTLE_NATIVE_PJRT_DEVICE}, .client = &pjrt};
  pintle_device made;
  pintle_queue over;
  pintle_buffer wrapped = {7};
  FAILS(PINTLE_UNSUPPORTED, pintle_device_get_native(device, &pjrt.native, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_device_wrap(&pjrt.native, &made, error));
  CHECK(pjrt.client == &pjrt);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_get_native(device, &memory.native, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_get_native(queue, &cpu.native, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_get_native(buffer, &cpu.native, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_queue_get_native(queue, &opencl.native, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_buffer_get_native(buffer, &vulkan.native, error));
  CHECK(cpu.threads == 77 && opencl.queue == &opencl && vulkan.buffer == 7);
  FAILS(PINTLE_UNSUPPORTED, pintle_device_wrap(&cpu.native, &made, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_queue_wrap(device, &opencl.native, NULL, &over, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_buffer_wrap(device, &vulkan.native, PINTLE_F32, 2, dims, NULL, &wrapped, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_wrap(device, &memory.native, PINTLE_F32, 2, dims, NULL, &wrapped, error));
  CHECK(wrapped.id == 7);
}

static void heads_are_checked(pintle_device device) {
  struct {
    pintle_cpu_memory known;
    uint64_t later;
  } longer = {.known = {.native = {sizeof longer, PINTLE_NATIVE_CPU_MEMORY}, .address = mine}};
  pintle_vulkan_device small = {.native = {sizeof small - 8, PINTLE_NATIVE_VULKAN_DEVICE}};
  pintle_native bare = {sizeof bare, 0};
  pintle_queue_options options = {.size = sizeof options, .kind = 9};
  pintle_buffer buffer;
  pintle_device made;
  pintle_queue over;
  OK(pintle_buffer_wrap(device, &longer.known.native, PINTLE_F32, 2, dims, NULL, &buffer, error));
  OK(pintle_buffer_get_native(buffer, &longer.known.native, error));
  OK(pintle_buffer_release(buffer, error));
  longer.later = 1;
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_wrap(device, &longer.known.native, PINTLE_F32, 2, dims, NULL, &buffer, error));
  longer.later = 0;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_wrap(device, &longer.known.native, 0, 2, dims, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT,
        pintle_buffer_wrap(device, &longer.known.native, PINTLE_F32, 2, NULL, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_wrap(&small.native, &made, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_queue_wrap(device, &longer.known.native, &options, &over, error));
  for (bare.kind = 0; bare.kind <= PINTLE_NATIVE_PJRT_DEVICE + 1; ++bare.kind) {
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_get_native(device, &bare, error));
    FAILS(PINTLE_INVALID_ARGUMENT, pintle_device_wrap(&bare, &made, error));
  }
}

static void triple(const pintle_group* group, void* const* arguments) {
  float* x = (float*)arguments[0] + group->id[0] * group->size[0];
  for (uint32_t i = 0; i < group->size[0]; ++i) x[i] *= 3;
}

static void nothing(const pintle_group* group, void* const* arguments) {
  (void)group;
  (void)arguments;
}

static void a_function_of_the_program_is_a_kernel(pintle_device device, pintle_queue queue, pintle_buffer buffer) {
  const char* const signature = "native_test_triple(x: read_write f32[]) group 256";
  const pintle_extent extent = {.size = sizeof extent, .x = count};
  const pintle_argument argument = of_buffer(buffer);
  pintle_pack pack;
  pintle_program program;
  pintle_kernel kernel;
  pintle_list list;
  OK(pintle_cpu_register_kernel("native_test_triple", triple, error));
  OK(pintle_cpu_register_kernel("native_test_triple", triple, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_cpu_register_kernel("native_test_triple", nothing, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_cpu_register_kernel("no identifier", nothing, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_cpu_register_kernel("native_test_other", NULL, error));
  OK(pintle_pack_source("native", "", 0, &signature, 1, &pack, error));
  OK(pintle_program_load(device, pack, &program, error));
  OK(pintle_program_kernel(program, "native_test_triple", &kernel, error));
  fill_buffer(queue, buffer, 2);
  OK(pintle_list_create(&list, error));
  OK(pintle_list_launch(list, kernel, &extent, &argument, 1, error));
  finish(queue, list);
  read_buffer(queue, buffer, seen, sizeof seen);
  for (int i = 0; i < count; ++i) CHECK(seen[i] == 6);
  OK(pintle_kernel_release(kernel, error));
  OK(pintle_program_release(program, error));
  OK(pintle_pack_release(pack, error));
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  const pintle_buffer buffer = buffer_on(device);
  a_device_says_how_many_threads_it_has(device);
  a_buffer_says_where_it_lies(device, queue);
  buffers_of_a_pool_have_addresses_of_their_own(device, queue);
  memory_is_wrapped_in_place(device, queue);
  other_objects_are_refused(device, queue, buffer);
  heads_are_checked(device);
  a_function_of_the_program_is_a_kernel(device, queue, buffer);
  OK(pintle_buffer_release(buffer, error));
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
