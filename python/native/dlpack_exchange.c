/* DLPack's functions for C code (version 1.3): tensors without a capsule and without a call of Python. Ours are on the
 * type of buffers; those of another type are used where we take its tensors. */
#include <stdlib.h>
#include <string.h>

#include "dlpack.h"
#include "objects.h"

enum { rank_limit = 8, alignment = 256 };

static const char table_name[] = "dlpack_exchange_api";
static const char tensor_name[] = "dltensor_versioned";

/* A tensor that another library fills. */
typedef struct Filled {
  struct DLManagedTensorVersioned managed;
  int64_t shape[rank_limit], strides[rank_limit];
} Filled;

static void end_filled(struct DLManagedTensorVersioned* self) {
  free(self->tensor.data);
  free(self->context);
}

/* Lays out as many elements in C order; 0 bytes for a size beyond 64 bits. */
static size_t lay_out(Filled* filled, const DlTensor* like) {
  uint64_t bytes = ((uint64_t)like->bits * like->lanes + 7) / 8;
  int64_t stride = 1;
  for (int32_t i = like->rank; i-- > 0;) {
    filled->shape[i] = like->shape[i];
    filled->strides[i] = stride;
    if (like->shape[i] < 0 || __builtin_mul_overflow(stride, like->shape[i], &stride)) return 0;
  }
  return __builtin_mul_overflow(bytes, (uint64_t)stride, &bytes) ? 0 : bytes;
}

static void describe(Filled* filled, const DlTensor* like, void* bytes) {
  filled->managed = (struct DLManagedTensorVersioned){
      .major = dlpack_major, .minor = dlpack_minor, .context = filled, .deleter = end_filled, .tensor = *like};
  filled->managed.tensor.data = bytes;
  filled->managed.tensor.shape = filled->shape;
  filled->managed.tensor.strides = filled->strides;
  filled->managed.tensor.byte_offset = 0;
}

static int allocate(DlTensor* like, struct DLManagedTensorVersioned** made, void* context,
                    void (*fail)(void* context, const char* kind, const char* message)) {
  if (like->device_type != dlpack_cpu || like->rank < 0 || like->rank > rank_limit) {
    fail(context, "BufferError", "A tensor of pintle is in memory of the host and has at most 8 dimensions.");
    return -1;
  }
  Filled* const filled = calloc(1, sizeof *filled);
  const size_t bytes = filled == NULL ? 0 : lay_out(filled, like);
  void* const memory = bytes == 0 || bytes > SIZE_MAX - alignment
                           ? NULL
                           : aligned_alloc(alignment, (bytes + alignment - 1) & ~(size_t)(alignment - 1));
  if (memory == NULL) {
    free(filled);
    fail(context, "MemoryError", "There is no memory for the tensor, or it has no elements.");
    return -1;
  }
  describe(filled, like, memory);
  *made = &filled->managed;
  return 0;
}

/* The buffer that an object is; NULL with an exception. */
static Buffer* buffer_of(PyObject* object) {
  State* const state = state_of_type(Py_TYPE(object));
  if (state != NULL && PyObject_TypeCheck(object, state->buffer)) return (Buffer*)object;
  PyErr_SetString(PyExc_TypeError, "The object is no buffer of pintle.");
  return NULL;
}

static bool is_sealed(Buffer* buffer, bool* sealed) {
  pintle_buffer_info info = {.size = sizeof info};
  pintle_error error = PINTLE_ERROR_INIT;
  if (!is_live(&buffer->base)) return false;
  if (pintle_buffer_get_info((pintle_buffer){buffer->base.id}, &info, &error) != PINTLE_OK)
    return raise_error(buffer->base.state, &error) != NULL;
  *sealed = info.is_sealed != 0;
  return true;
}

/* In the host's memory where it can be mapped, else in the device's; NULL with an exception, a BufferError where only a
 * copy is possible. Nobody who gets it can wait for work of ours, so that is over before. */
static struct DLManagedTensorVersioned* tensor_of(Buffer* buffer) {
  bool sealed = false;
  if (!is_sealed(buffer, &sealed) || !uses_wait(buffer->base.state, &buffer->uses, PINTLE_TIMEOUT_DEFAULT)) return NULL;
  PyObject* const mapping = mapping_make(buffer, sealed);
  if (mapping == NULL) {
    PyErr_Clear();
    return dlpack_device_tensor(buffer, sealed);
  }
  struct DLManagedTensorVersioned* const made = dlpack_tensor(mapping, buffer->dtype, buffer->shape);
  Py_DECREF(mapping);
  return made;
}

static int from_object(void* object, struct DLManagedTensorVersioned** made) {
  Buffer* const buffer = buffer_of(object);
  *made = buffer == NULL ? NULL : tensor_of(buffer);
  return *made == NULL ? -1 : 0;
}

/* Nobody has taken the tensor. An exception may be on its way, and a deleter may be Python's. */
static void end_capsule(PyObject* capsule) {
  PyObject *type, *value, *trace;
  if (!PyCapsule_IsValid(capsule, tensor_name)) return;
  PyErr_Fetch(&type, &value, &trace);
  struct DLManagedTensorVersioned* const its = PyCapsule_GetPointer(capsule, tensor_name);
  if (its->deleter != NULL) its->deleter(its);
  PyErr_Restore(type, value, trace);
}

/* A buffer over the tensor, of the cpu or of the tensor's own device; the tensor is taken over in any case. */
static int to_object(struct DLManagedTensorVersioned* tensor, void** object) {
  PyObject* const capsule = PyCapsule_New(tensor, tensor_name, end_capsule);
  PyObject* const module = capsule == NULL ? NULL : PyImport_ImportModule("pintle.dlpack");
  PyObject* const made = module == NULL
                             ? NULL
                             : PyObject_CallMethod(module, "received", "Oii", capsule, (int)tensor->tensor.device_type,
                                                   (int)tensor->tensor.device_id);
  Py_XDECREF(module);
  Py_XDECREF(capsule);
  *object = made;
  return made == NULL ? -1 : 0;
}

/* Memory of the host has no streams. That of a GPU has the default one: no work of ours is left when a tensor goes out,
 * and a tensor comes in when that stream has done its work. */
static int stream(int32_t device_type, int32_t device_id, void** stream) {
  (void)device_type;
  (void)device_id;
  *stream = NULL;
  return 0;
}

/* The functions of a type, of the newest version that is known here. NULL without an exception where it has none. */
static const DlExchange* table_of(const State* state, PyTypeObject* type) {
  PyObject* const capsule = PyObject_GetAttr((PyObject*)type, state->names[name_exchange]);
  if (capsule == NULL) {
    PyErr_Clear();
    return NULL;
  }
  const DlExchange* table = PyCapsule_IsValid(capsule, table_name) ? PyCapsule_GetPointer(capsule, table_name) : NULL;
  Py_DECREF(capsule); /* a table lives for ever */
  while (table != NULL && table->major != dlpack_major) table = table->before;
  return table == NULL || table->from_object == NULL || table->stream == NULL ? NULL : table;
}

/* None where another way may avoid the exception, which is gone then; else NULL. */
static PyObject* none_or_raise(void) {
  if (PyErr_Occurred() != NULL && !PyErr_ExceptionMatches(PyExc_Exception)) return NULL;
  PyErr_Clear();
  Py_RETURN_NONE;
}

/* The current stream on the tensor's device; None for memory of the host. NULL where the table refuses. */
static PyObject* stream_of(const DlExchange* table, const DlTensor* tensor) {
  void* found = NULL;
  if (tensor->device_type != dlpack_cuda && tensor->device_type != dlpack_rocm) Py_RETURN_NONE;
  if (table->stream(tensor->device_type, tensor->device_id, &found) != 0) return NULL;
  return PyLong_FromUnsignedLongLong((uintptr_t)found);
}

PyObject* dlpack_borrow(PyObject* module, PyObject* object) {
  const DlExchange* const table = table_of(PyModule_GetState(module), Py_TYPE(object));
  struct DLManagedTensorVersioned* tensor = NULL;
  if (table == NULL) Py_RETURN_NONE;
  if (table->from_object(object, &tensor) != 0 || tensor == NULL) return none_or_raise();
  PyObject* const capsule = PyCapsule_New(tensor, tensor_name, end_capsule);
  if (capsule == NULL) return NULL;
  PyObject* const stream = tensor->major == dlpack_major ? stream_of(table, &tensor->tensor) : NULL;
  if (stream != NULL)
    return Py_BuildValue("(NiiN)", capsule, (int)tensor->tensor.device_type, (int)tensor->tensor.device_id, stream);
  Py_DECREF(capsule);
  return none_or_raise();
}

bool dlpack_add_exchange(State* state) {
  static DlExchange table = {.major = dlpack_major,
                             .minor = dlpack_exchange_minor,
                             .allocate = allocate,
                             .from_object = from_object,
                             .to_object = to_object,
                             .stream = stream};
  PyObject* const capsule = PyCapsule_New(&table, table_name, NULL);
  if (capsule == NULL) return false;
  const int failed = PyObject_SetAttr((PyObject*)state->buffer, state->names[name_exchange], capsule);
  Py_DECREF(capsule);
  return failed == 0;
}
