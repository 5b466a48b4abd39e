/* A buffer's bytes in the host's memory, by Python's buffer protocol. The bytes stay while the mapping lives, also of a
 * buffer that is closed. A hold has no bytes for the host, and keeps those of the device in the same way. */
#include "objects.h"

typedef struct Mapping {
  PyObject head;
  Buffer* buffer;
  void* bytes; /* NULL: a hold. */
  bool is_read_only;
} Mapping;

static pintle_status map(Buffer* buffer, bool is_read_only, void** bytes, pintle_error* error) {
  const pintle_buffer its = {buffer->base.id};
  if (!is_read_only) return pintle_buffer_map(its, bytes, error);
  const void* read = NULL;
  const pintle_status status = pintle_buffer_map_read(its, &read, error);
  *bytes = (void*)(uintptr_t)read;
  return status;
}

PyObject* mapping_make(Buffer* buffer, bool is_read_only) {
  State* const state = buffer->base.state;
  if (!is_live(&buffer->base)) return NULL;
  Mapping* const self = (Mapping*)PyType_GenericAlloc(state->mapping, 0);
  if (self == NULL) return NULL;
  pintle_error error = PINTLE_ERROR_INIT;
  void* bytes = NULL;
  ++buffer->base.uses; /* first, so that nobody releases it meanwhile */
  PyThreadState* const thread = PyEval_SaveThread();
  lock(&buffer->base);
  const pintle_status status = map(buffer, is_read_only, &bytes, &error);
  unlock(&buffer->base);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) {
    handle_unuse(&buffer->base);
    (void)raise_error(state, &error);
    Py_DECREF(self);
    return NULL;
  }
  self->buffer = (Buffer*)Py_NewRef((PyObject*)buffer);
  self->bytes = bytes;
  self->is_read_only = is_read_only;
  return (PyObject*)self;
}

PyObject* hold_make(Buffer* buffer) {
  if (!is_live(&buffer->base)) return NULL;
  Mapping* const self = (Mapping*)PyType_GenericAlloc(buffer->base.state->mapping, 0);
  if (self == NULL) return NULL;
  ++buffer->base.uses;
  self->buffer = (Buffer*)Py_NewRef((PyObject*)buffer);
  return (PyObject*)self;
}

static void unmap(Buffer* buffer) {
  PyThreadState* const thread = PyEval_SaveThread();
  lock(&buffer->base);
  (void)pintle_buffer_unmap((pintle_buffer){buffer->base.id}, NULL);
  unlock(&buffer->base);
  PyEval_RestoreThread(thread);
}

static void mapping_dealloc(PyObject* object) {
  Mapping* const self = (Mapping*)object;
  PyTypeObject* const type = Py_TYPE(object);
  if (self->buffer != NULL) {
    if (self->bytes != NULL) unmap(self->buffer);
    handle_unuse(&self->buffer->base);
    Py_DECREF(self->buffer);
  }
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static int mapping_get(PyObject* object, Py_buffer* view, int flags) {
  const Mapping* const self = (Mapping*)object;
  if (self->bytes == NULL) {
    PyErr_SetString(PyExc_BufferError, "The bytes are not in the host's memory.");
    return -1;
  }
  return PyBuffer_FillInfo(view, object, self->bytes, (Py_ssize_t)self->buffer->bytes, self->is_read_only, flags);
}

static PyType_Slot slots[] = {{Py_tp_doc, "A buffer's bytes in the host's memory, by the buffer protocol."},
                              {Py_tp_dealloc, mapping_dealloc},
                              {Py_bf_getbuffer, mapping_get},
                              {0, NULL}};
PyType_Spec mapping_spec = {"pintle._native.Mapping", sizeof(Mapping), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
