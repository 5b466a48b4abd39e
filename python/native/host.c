/* Buffers over memory of Python objects. The object lives until the library lets go of its memory. */
#include "native.h"

bool dims_take(PyObject* shape, uint64_t dims[dims_limit], size_t* rank) {
  *rank = (size_t)PyTuple_Size(shape);
  if (*rank > dims_limit) *rank = dims_limit;
  for (size_t i = 0; i < *rank; ++i) {
    dims[i] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(shape, (Py_ssize_t)i));
    if (dims[i] == UINT64_MAX && PyErr_Occurred()) return false;
  }
  return true;
}

static PyObject* import(State* state, pintle_device device, PyObject* memory, const Py_buffer* view, uint32_t dtype,
                        PyObject* shape) {
  pintle_error error = PINTLE_ERROR_INIT;
  uint64_t dims[dims_limit];
  pintle_buffer buffer;
  size_t rank;
  if (!dims_take(shape, dims, &rank)) return NULL;
  void* const kept = drop_prepare(memory);
  if (kept == NULL) return NULL;
  const pintle_import_options options = {.size = sizeof options,
                                         .access = view->readonly ? PINTLE_ACCESS_READ : PINTLE_ACCESS_READ_WRITE,
                                         .released = drop_later,
                                         .data = kept};
  PyThreadState* const thread = PyEval_SaveThread();
  const pintle_status status =
      pintle_buffer_import(device, view->buf, (size_t)view->len, dtype, rank, dims, &options, &buffer, &error);
  PyEval_RestoreThread(thread);
  if (status == PINTLE_OK) return PyLong_FromUnsignedLongLong(buffer.id);
  drop_later(kept);
  return raise_error(state, &error);
}

/* The handle of a buffer over an object's memory, which is C contiguous; a sealed one where the memory is read-only. */
static PyObject* host_import(PyObject* module, PyObject* arguments) {
  unsigned long long device;
  PyObject *object, *shape;
  unsigned dtype;
  Py_buffer view;
  if (!PyArg_ParseTuple(arguments, "KOIO!", &device, &object, &dtype, &PyTuple_Type, &shape)) return NULL;
  PyObject* const memory = PyMemoryView_FromObject(object); /* keeps the bytes in their place */
  if (memory == NULL) return NULL;
  PyObject* handle = NULL;
  if (PyObject_GetBuffer(memory, &view, PyBUF_SIMPLE) == 0) {
    handle = import(PyModule_GetState(module), (pintle_device){device}, memory, &view, dtype, shape);
    PyBuffer_Release(&view);
  }
  Py_DECREF(memory);
  return handle;
}

/* The address and the number of an object's bytes, which stay there while a memoryview of it lives. */
static PyObject* host_bytes(PyObject* module, PyObject* arguments) {
  PyObject* object;
  int is_written;
  Py_buffer view;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "Op", &object, &is_written) ||
      PyObject_GetBuffer(object, &view, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0)
    return NULL;
  PyObject* const both = Py_BuildValue("(Nn)", PyLong_FromVoidPtr(view.buf), view.len);
  PyBuffer_Release(&view);
  return both;
}

PyMethodDef host_functions[] = {
    {"host_bytes", host_bytes, METH_VARARGS, "The address and the number of an object's bytes."},
    {"host_import", host_import, METH_VARARGS, "The handle of a buffer over an object's memory."},
    {NULL, NULL, 0, NULL}};
