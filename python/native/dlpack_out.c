/* Memory of Python objects as tensors of DLPack, in capsules. A consumer may let go of a tensor on any thread. */
#include "objects.h"

#include <stdlib.h>

#include "dlpack.h"

enum { rank_limit = 8 };

static const char old_name[] = "dltensor";
static const char new_name[] = "dltensor_versioned";

/* A tensor of either version, and what it points to. `kept` holds the owner of the bytes. */
typedef struct Shared {
  union {
    struct DLManagedTensor old;
    struct DLManagedTensorVersioned versioned;
  } managed;
  void* kept;
  int64_t shape[rank_limit], strides[rank_limit];
} Shared;

static void end(Shared* shared) {
  drop_later(shared->kept);
  free(shared);
}

static void end_old(struct DLManagedTensor* self) { end(self->context); }
static void end_versioned(struct DLManagedTensorVersioned* self) { end(self->context); }

/* Nobody has taken the tensor: a consumer renames the capsule. */
static void end_capsule(PyObject* capsule) {
  const bool is_versioned = PyCapsule_IsValid(capsule, new_name);
  if (!is_versioned && !PyCapsule_IsValid(capsule, old_name)) return;
  const char* const name = is_versioned ? new_name : old_name;
  if (is_versioned) end_versioned(PyCapsule_GetPointer(capsule, name));
  else end_old(PyCapsule_GetPointer(capsule, name));
}

/* The code of a dtype in DLPack. */
static uint8_t code_of(uint32_t dtype) {
  switch (dtype) {
    case PINTLE_BOOL: return 6;
    case PINTLE_I8:
    case PINTLE_I16:
    case PINTLE_I32:
    case PINTLE_I64: return 0;
    case PINTLE_U8:
    case PINTLE_U16:
    case PINTLE_U32:
    case PINTLE_U64: return 1;
    case PINTLE_BF16: return 4;
    case PINTLE_F8_E4M3FN: return 10;
    case PINTLE_F8_E5M2: return 12;
    case PINTLE_COMPLEX64: return 5;
    default: return 2;
  }
}

static bool shape_take(Shared* shared, PyObject* shape, DlTensor* tensor) {
  const Py_ssize_t rank = PyTuple_Size(shape);
  int64_t stride = 1;
  if (rank > rank_limit) {
    PyErr_Format(PyExc_BufferError, "A shape of %zd dimensions has more than %d.", rank, (int)rank_limit);
    return false;
  }
  for (Py_ssize_t i = rank; i-- > 0;) {
    shared->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    if (shared->shape[i] == -1 && PyErr_Occurred()) return false;
    shared->strides[i] = stride;
    stride *= shared->shape[i];
  }
  tensor->rank = (int32_t)rank;
  tensor->shape = shared->shape;
  tensor->strides = shared->strides;
  return true;
}

/* Where bytes are: the kind and the number of a device as DLPack has them. */
typedef struct Place {
  void* bytes;
  int32_t device_type, device_id;
} Place;

static void describe(DlTensor* tensor, const Place* place, uint32_t dtype) {
  tensor->data = place->bytes;
  tensor->device_type = place->device_type;
  tensor->device_id = place->device_id;
  tensor->type_code = code_of(dtype);
  tensor->bits = (uint8_t)(element_bytes(dtype) * 8);
  tensor->lanes = 1;
}

static Shared* share(PyObject* memory, const Place* place, uint32_t dtype, PyObject* shape, bool is_versioned) {
  Shared* const shared = calloc(1, sizeof *shared);
  if (shared == NULL) return (Shared*)PyErr_NoMemory();
  DlTensor* const tensor = is_versioned ? &shared->managed.versioned.tensor : &shared->managed.old.tensor;
  describe(tensor, place, dtype);
  if (shape_take(shared, shape, tensor) && (shared->kept = drop_prepare(memory)) != NULL) return shared;
  free(shared);
  return NULL;
}

static struct DLManagedTensorVersioned* finish(Shared* shared, uint64_t flags) {
  struct DLManagedTensorVersioned* const its = &shared->managed.versioned;
  its->major = dlpack_major;
  its->minor = dlpack_minor;
  its->context = shared;
  its->deleter = end_versioned;
  its->flags = flags;
  return its;
}

static PyObject* capsule_of(Shared* shared, bool is_versioned, uint64_t flags) {
  if (is_versioned) {
    (void)finish(shared, flags);
  } else {
    shared->managed.old.context = shared;
    shared->managed.old.deleter = end_old;
  }
  PyObject* const capsule = PyCapsule_New(&shared->managed, is_versioned ? new_name : old_name, end_capsule);
  if (capsule == NULL) end(shared);
  return capsule;
}

struct DLManagedTensorVersioned* dlpack_tensor(PyObject* memory, uint32_t dtype, PyObject* shape) {
  Py_buffer view;
  if (PyObject_GetBuffer(memory, &view, PyBUF_SIMPLE) != 0) return NULL;
  const Place place = {view.buf, dlpack_cpu, 0};
  Shared* const shared = share(memory, &place, dtype, shape, true);
  const uint64_t flags = view.readonly ? dlpack_read_only : 0;
  PyBuffer_Release(&view);
  return shared == NULL ? NULL : finish(shared, flags);
}

PyObject* dlpack_share(PyObject* module, PyObject* arguments) {
  PyObject *object, *shape;
  unsigned dtype;
  int kind, is_versioned, is_copied;
  Py_buffer view;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OiIO!pp", &object, &kind, &dtype, &PyTuple_Type, &shape, &is_versioned, &is_copied))
    return NULL;
  PyObject* const memory = PyMemoryView_FromObject(object); /* keeps the bytes in their place */
  if (memory == NULL) return NULL;
  PyObject* capsule = NULL;
  if (PyObject_GetBuffer(memory, &view, PyBUF_SIMPLE) == 0) {
    const Place place = {view.buf, kind, 0};
    Shared* const shared = share(memory, &place, dtype, shape, is_versioned != 0);
    const uint64_t flags = (view.readonly ? dlpack_read_only : 0) | (is_copied ? dlpack_is_copied : 0);
    if (shared != NULL) capsule = capsule_of(shared, is_versioned != 0, flags);
    PyBuffer_Release(&view);
  }
  Py_DECREF(memory);
  return capsule;
}

/* Where a buffer's bytes are, in memory that is not the host's. False for the host's, and for what DLPack cannot say.
 */
static bool place_of(const Buffer* buffer, Place* place) {
  pintle_cuda_memory cuda = {.native = {sizeof cuda, PINTLE_NATIVE_CUDA_MEMORY}};
  pintle_hip_memory hip = {.native = {sizeof hip, PINTLE_NATIVE_HIP_MEMORY}};
  const pintle_buffer its = {buffer->base.id};
  if (pintle_buffer_get_native(its, &cuda.native, NULL) == PINTLE_OK) {
    *place = (Place){(void*)(uintptr_t)cuda.address, dlpack_cuda, (int32_t)cuda.device};
    return cuda.host == NULL;
  }
  if (pintle_buffer_get_native(its, &hip.native, NULL) == PINTLE_OK) {
    *place = (Place){(void*)(uintptr_t)hip.address, dlpack_rocm, (int32_t)hip.device};
    return hip.host == NULL;
  }
  return false;
}

static bool find_place(Buffer* buffer, Place* place) {
  ++buffer->base.uses; /* nobody releases it meanwhile */
  PyThreadState* const thread = PyEval_SaveThread();
  lock(&buffer->base);
  const bool is_found = place_of(buffer, place);
  unlock(&buffer->base);
  PyEval_RestoreThread(thread);
  handle_unuse(&buffer->base);
  return is_found;
}

static Buffer* buffer_from(PyObject* module, PyObject* object) {
  const State* const state = PyModule_GetState(module);
  if (!PyObject_TypeCheck(object, state->buffer)) return (Buffer*)PyErr_Format(PyExc_TypeError, "This takes a buffer.");
  return is_live(&((Buffer*)object)->base) ? (Buffer*)object : NULL;
}

PyObject* dlpack_place(PyObject* module, PyObject* object) {
  Place place;
  Buffer* const buffer = buffer_from(module, object);
  if (buffer == NULL) return NULL;
  if (!find_place(buffer, &place)) Py_RETURN_NONE;
  return Py_BuildValue("(ii)", (int)place.device_type, (int)place.device_id);
}

/* Keeps the buffer's bytes, also when it is closed. */
static Shared* share_on_device(Buffer* buffer, bool is_versioned) {
  Place place;
  PyObject* const hold = hold_make(buffer);
  if (hold == NULL) return NULL;
  Shared* shared = NULL;
  if (find_place(buffer, &place)) shared = share(hold, &place, buffer->dtype, buffer->shape, is_versioned);
  else
    PyErr_SetString(PyExc_BufferError,
                    "The device's memory is not the host's, so a tensor is a copy, which __dlpack__ makes.");
  Py_DECREF(hold);
  return shared;
}

PyObject* dlpack_lend(PyObject* module, PyObject* arguments) {
  PyObject* object;
  int is_versioned, is_read_only, is_copied;
  if (!PyArg_ParseTuple(arguments, "Oppp", &object, &is_versioned, &is_read_only, &is_copied)) return NULL;
  Buffer* const buffer = buffer_from(module, object);
  Shared* const shared = buffer == NULL ? NULL : share_on_device(buffer, is_versioned != 0);
  const uint64_t flags = (is_read_only ? dlpack_read_only : 0) | (is_copied ? dlpack_is_copied : 0);
  return shared == NULL ? NULL : capsule_of(shared, is_versioned != 0, flags);
}

struct DLManagedTensorVersioned* dlpack_device_tensor(Buffer* buffer, bool is_read_only) {
  Shared* const shared = share_on_device(buffer, true);
  return shared == NULL ? NULL : finish(shared, is_read_only ? dlpack_read_only : 0);
}
