/* Tensors of a library that is written here, taken as buffers, and buffers handed to it. */
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "pintle/c/dlpack.h"
#include "pintle/c/memory.h"
#include "transfer.h"

/* As dlpack.h declares them, in version 1.1. */
typedef struct DLTensor {
  void* data;
  struct {
    int32_t device_type, device_id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};
enum { on_cpu = 1, code_float = 2, read_only = 1, is_copied = 2 };

/* Two rows of three floats, as both structs have them, and how often their deleters were called. */
typedef struct producer {
  _Alignas(64) float data[6];
  int64_t shape[2], strides[2];
  atomic_int deleted;
  struct DLManagedTensorVersioned managed;
  struct DLManagedTensor old;
} producer;

static void deleted(struct DLManagedTensorVersioned* self) {
  atomic_fetch_add(&((producer*)self->manager_ctx)->deleted, 1);
}
static void old_deleted(struct DLManagedTensor* self) { atomic_fetch_add(&((producer*)self->manager_ctx)->deleted, 1); }

static void produce(producer* made) {
  memset(made, 0, sizeof *made);
  for (int i = 0; i < 6; ++i) made->data[i] = (float)i;
  made->shape[0] = 2;
  made->shape[1] = made->strides[0] = 3;
  made->strides[1] = 1;
  const DLTensor tensor = {.data = made->data,
                           .device = {on_cpu, 0},
                           .ndim = 2,
                           .dtype = {code_float, 32, 1},
                           .shape = made->shape,
                           .strides = made->strides};
  made->managed = (struct DLManagedTensorVersioned){
      .version = {1, 1}, .manager_ctx = made, .deleter = deleted, .dl_tensor = tensor};
  made->old = (struct DLManagedTensor){.dl_tensor = tensor, .manager_ctx = made, .deleter = old_deleted};
}

/* The rows become columns: no buffer can use them in place. */
static void transpose(producer* made) {
  made->strides[0] = 1;
  made->strides[1] = 2;
}

static void expect_deleted(pintle_device device, producer* made, int times) {
  while (atomic_load(&made->deleted) < times) OK(pintle_device_poll(device, error));
  CHECK(atomic_load(&made->deleted) == times);
}

static void expect_values(pintle_queue queue, pintle_buffer buffer, const float* values) {
  float seen[6] = {0};
  read_buffer(queue, buffer, seen, sizeof seen);
  CHECK(memcmp(seen, values, sizeof seen) == 0);
}

static pintle_buffer_info info_of(pintle_buffer buffer) {
  pintle_buffer_info info = {.size = sizeof info};
  OK(pintle_buffer_get_info(buffer, &info, error));
  return info;
}

static void tensors_are_used_in_place(pintle_device device, pintle_queue queue) {
  const float changed[] = {0, 7, 7, 7, 7, 5};
  pintle_buffer buffer;
  for (int old = 0; old < 2; ++old) {
    producer made;
    produce(&made);
    if (old) OK(pintle_buffer_from_old_dlpack(device, &made.old, NULL, &buffer, error));
    else OK(pintle_buffer_from_dlpack(device, &made.managed, NULL, &buffer, error));
    const pintle_buffer_info info = info_of(buffer);
    CHECK(info.dtype == PINTLE_F32 && info.rank == 2 && info.dims[0] == 2 && info.dims[1] == 3 && !info.is_sealed);
    expect_values(queue, buffer, made.data);
    pintle_view middle = all_of(buffer);
    middle.offset = 4;
    middle.bytes = 16;
    fill_view(queue, middle, 7);
    CHECK(memcmp(made.data, changed, sizeof changed) == 0 && atomic_load(&made.deleted) == 0);
    OK(pintle_buffer_release(buffer, error));
    expect_deleted(device, &made, 1);
  }
}

static void a_tensor_to_read_is_sealed(pintle_device device, pintle_queue queue) {
  const pintle_dlpack_options options = {
      .size = sizeof options, .copy = PINTLE_DLPACK_COPY_ALWAYS, .queue = queue, .label = "a copy"};
  producer made;
  pintle_buffer buffer;
  produce(&made);
  made.managed.flags = read_only;
  OK(pintle_buffer_from_dlpack(device, &made.managed, NULL, &buffer, error));
  CHECK(info_of(buffer).is_sealed == 1);
  OK(pintle_buffer_release(buffer, error));
  expect_deleted(device, &made, 1);
  OK(pintle_buffer_from_dlpack(device, &made.managed, &options, &buffer, error));
  CHECK(info_of(buffer).is_sealed == 0);
  expect_values(queue, buffer, made.data);
  expect_deleted(device, &made, 2);
  fill_buffer(queue, buffer, 9);
  CHECK(made.data[0] == 0 && made.data[5] == 5);
  OK(pintle_buffer_release(buffer, error));
}

static void columns_are_copied(pintle_device device, pintle_queue queue) {
  const float columns[] = {0, 2, 4, 1, 3, 5};
  const pintle_dlpack_options options = {.size = sizeof options, .copy = PINTLE_DLPACK_COPY_ALLOWED, .queue = queue};
  pintle_buffer buffer;
  for (int old = 0; old < 2; ++old) {
    producer made;
    produce(&made);
    transpose(&made);
    if (old) OK(pintle_buffer_from_old_dlpack(device, &made.old, &options, &buffer, error));
    else OK(pintle_buffer_from_dlpack(device, &made.managed, &options, &buffer, error));
    expect_values(queue, buffer, columns);
    expect_deleted(device, &made, 1);
    OK(pintle_buffer_release(buffer, error));
  }
}

/* FAILS calls twice, and each call lets the tensor go. */
static void refused_tensors_are_let_go(pintle_device device, pintle_queue queue) {
  pintle_dlpack_options options = {.size = sizeof options, .copy = PINTLE_DLPACK_COPY_ALLOWED};
  pintle_error small = {.size = 8};
  pintle_buffer buffer = {7};
  producer made;
  produce(&made);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_dlpack(device, NULL, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_old_dlpack(device, NULL, NULL, &buffer, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_dlpack(device, &made.managed, NULL, NULL, error));
  expect_deleted(device, &made, 2);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_dlpack((pintle_device){0}, &made.managed, NULL, &buffer, error));
  expect_deleted(device, &made, 4);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_dlpack(device, &made.managed, &options, &buffer, error));
  expect_deleted(device, &made, 6); /* a copy without a queue */
  options.queue = queue;
  options.copy = 3;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_old_dlpack(device, &made.old, &options, &buffer, error));
  expect_deleted(device, &made, 8);
  options.size = 4;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_from_dlpack(device, &made.managed, &options, &buffer, error));
  expect_deleted(device, &made, 10);
  CHECK(pintle_buffer_from_dlpack(device, &made.managed, NULL, &buffer, &small) == PINTLE_INVALID_ARGUMENT);
  expect_deleted(device, &made, 11);
  transpose(&made);
  FAILS(PINTLE_UNSUPPORTED, pintle_buffer_from_dlpack(device, &made.managed, NULL, &buffer, error));
  expect_deleted(device, &made, 13);
  made.managed.version.major = 2;
  FAILS(PINTLE_UNSUPPORTED, pintle_buffer_from_dlpack(device, &made.managed, NULL, &buffer, error));
  expect_deleted(device, &made, 15);
  CHECK(buffer.id == 7);
}

static atomic_int gone;

static void counted(void* data) { atomic_fetch_add((atomic_int*)data, 1); }

static pintle_buffer rows_on(pintle_device device, pintle_queue queue) {
  const uint64_t dims[] = {2, 3};
  const float values[] = {1, 2, 3, 4, 5, 6};
  const pintle_buffer_options options = {.size = sizeof options, .placement = PINTLE_PLACEMENT_HOST};
  pintle_buffer buffer;
  OK(pintle_buffer_allocate(device, PINTLE_F32, 2, dims, &options, &buffer, error));
  OK(pintle_buffer_keep(buffer, counted, &gone, error));
  write_buffer(queue, buffer, values, sizeof values);
  return buffer;
}

static void expect_rows(const DLTensor* tensor) {
  CHECK(tensor->ndim == 2 && tensor->shape[0] == 2 && tensor->shape[1] == 3);
  CHECK(tensor->strides[0] == 3 && tensor->strides[1] == 1 && tensor->byte_offset == 0);
  CHECK(tensor->dtype.code == code_float && tensor->dtype.bits == 32 && tensor->dtype.lanes == 1);
  CHECK(tensor->device.device_type == on_cpu);
  for (int i = 0; i < 6; ++i) CHECK(((const float*)tensor->data)[i] == (float)(i + 1));
}

static void a_buffer_is_handed_out(pintle_device device, pintle_queue queue) {
  struct DLManagedTensorVersioned* tensor = NULL;
  pintle_buffer buffer = rows_on(device, queue);
  OK(pintle_buffer_to_dlpack(buffer, &tensor, error));
  FAILS(PINTLE_STALE, pintle_buffer_release(buffer, error));
  CHECK(tensor->version.major == 1 && tensor->flags == 0);
  expect_rows(&tensor->dl_tensor);
  CHECK(atomic_load(&gone) == 0);
  OK(pintle_buffer_from_dlpack(device, tensor, NULL, &buffer, error)); /* and comes back */
  fill_buffer(queue, buffer, 8);
  CHECK(((const float*)tensor->dl_tensor.data)[3] == 8 && atomic_load(&gone) == 0);
  OK(pintle_buffer_release(buffer, error));
  while (atomic_load(&gone) == 0) OK(pintle_device_poll(device, error));
  struct DLManagedTensor* old = NULL;
  buffer = rows_on(device, queue);
  OK(pintle_buffer_to_old_dlpack(buffer, &old, error));
  FAILS(PINTLE_STALE, pintle_buffer_to_old_dlpack(buffer, &old, error));
  expect_rows(&old->dl_tensor);
  old->deleter(old);
  CHECK(atomic_load(&gone) == 2);
}

static void a_sealed_buffer_is_to_be_read(pintle_device device, pintle_queue queue) {
  struct DLManagedTensorVersioned* tensor = NULL;
  struct DLManagedTensor* old = NULL;
  const pintle_buffer buffer = rows_on(device, queue);
  OK(pintle_buffer_seal(buffer, error));
  FAILS(PINTLE_UNSUPPORTED, pintle_buffer_to_old_dlpack(buffer, &old, error));
  CHECK(old == NULL && info_of(buffer).rank == 2); /* the buffer is as it was */
  OK(pintle_buffer_to_dlpack(buffer, &tensor, error));
  CHECK(tensor->flags == read_only);
  expect_rows(&tensor->dl_tensor);
  tensor->deleter(tensor);
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_buffer_to_dlpack((pintle_buffer){0}, &tensor, error));
}

static void views_are_copied_out(pintle_device device, pintle_queue queue) {
  struct DLManagedTensorVersioned *whole = NULL, *part = NULL, *none = NULL;
  struct DLManagedTensor* old = NULL;
  const pintle_buffer buffer = rows_on(device, queue);
  const pintle_view all = all_of(buffer);
  pintle_view two = all_of(buffer);
  two.offset = 12;
  two.bytes = 8;
  OK(pintle_view_to_dlpack(&all, queue, PINTLE_TIMEOUT_DEFAULT, &whole, error));
  OK(pintle_view_to_dlpack(&two, queue, PINTLE_TIMEOUT_INFINITE, &part, error));
  OK(pintle_view_to_old_dlpack(&all, queue, PINTLE_TIMEOUT_DEFAULT, &old, error));
  two.bytes = 16;
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_view_to_dlpack(&two, queue, PINTLE_TIMEOUT_DEFAULT, &none, error));
  FAILS(PINTLE_INVALID_ARGUMENT, pintle_view_to_dlpack(&all, queue, -2, &none, error));
  fill_buffer(queue, buffer, 0);
  OK(pintle_buffer_release(buffer, error));
  CHECK(none == NULL && whole->flags == is_copied);
  expect_rows(&whole->dl_tensor);
  expect_rows(&old->dl_tensor);
  CHECK(part->dl_tensor.ndim == 1 && part->dl_tensor.shape[0] == 2);
  CHECK(((const float*)part->dl_tensor.data)[0] == 4 && ((const float*)part->dl_tensor.data)[1] == 5);
  whole->deleter(whole);
  part->deleter(part);
  old->deleter(old);
}

int main(void) {
  const pintle_device device = opened();
  const pintle_queue queue = queue_on(device);
  tensors_are_used_in_place(device, queue);
  a_tensor_to_read_is_sealed(device, queue);
  columns_are_copied(device, queue);
  refused_tensors_are_let_go(device, queue);
  a_buffer_is_handed_out(device, queue);
  a_sealed_buffer_is_to_be_read(device, queue);
  views_are_copied_out(device, queue);
  OK(pintle_queue_release(queue, error));
  OK(pintle_device_release(device, error));
  return 0;
}
