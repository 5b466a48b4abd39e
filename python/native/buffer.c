/* Buffers: bytes of a device, and the submissions that use them. */
#include "objects.h"

static PyObject* buffer_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  unsigned long long id, bytes;
  PyObject *device, *shape, *lender = NULL;
  unsigned dtype;
  (void)keywords;
  if (!PyArg_ParseTuple(arguments, "KOIKO!|O", &id, &device, &dtype, &bytes, &PyTuple_Type, &shape, &lender))
    return NULL;
  Buffer* const self = (Buffer*)handle_make(type, lender == NULL ? kind_buffer : kind_lent, id, device);
  if (self == NULL) return NULL;
  self->dtype = dtype;
  self->bytes = bytes;
  self->shape = Py_NewRef(shape);
  self->lender = Py_XNewRef(lender);
  return (PyObject*)self;
}

static int buffer_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((Buffer*)self)->lender);
  Py_VISIT(((Buffer*)self)->kept);
  const int visited = uses_traverse(&((Buffer*)self)->uses, visit, arg);
  return visited != 0 ? visited : handle_traverse(self, visit, arg);
}

/* Work in flight may use memory that was wrapped. */
static void end_uses(Buffer* self) {
  if (self->kept != NULL) uses_lend(&self->uses, self->kept);
  uses_free(&self->uses);
}

/* `kept` stays: the library has the memory until the handle goes. */
static int buffer_clear(PyObject* self) {
  end_uses((Buffer*)self);
  Py_CLEAR(((Buffer*)self)->lender);
  return handle_clear(self);
}

static void buffer_dealloc(PyObject* object) {
  Buffer* const self = (Buffer*)object;
  PyObject* const kept = self->kept;
  PyObject_GC_UnTrack(object);
  end_uses(self);
  Py_CLEAR(self->shape);
  Py_CLEAR(self->lender);
  handle_dealloc(object);
  Py_XDECREF(kept);
}

static PyObject* buffer_wait(PyObject* object, PyObject* arguments) {
  Buffer* const self = (Buffer*)object;
  State* const state = self->base.state;
  PyObject* timeout = NULL;
  int64_t bound;
  if (!PyArg_ParseTuple(arguments, "|O", &timeout) || !is_live(&self->base) || !take_timeout(state, timeout, &bound) ||
      !uses_wait(state, &self->uses, bound))
    return NULL;
  drop_now();
  Py_RETURN_NONE;
}

/* Notes a submission that did not come through a queue of Python's. */
static PyObject* buffer_used(PyObject* object, PyObject* point) {
  Buffer* const self = (Buffer*)object;
  if (!PyObject_TypeCheck(point, self->base.state->point))
    return PyErr_Format(PyExc_TypeError, "used() takes a point.");
  Signal* const signal = ((Point*)point)->signal;
  if (!uses_reserve(&self->uses, signal)) return NULL;
  uses_note(&self->uses, signal, ((Point*)point)->value);
  Py_RETURN_NONE;
}

static PyObject* buffer_keep(PyObject* object, PyObject* owner) {
  Buffer* const self = (Buffer*)object;
  PyObject* const before = self->kept;
  PyObject* const kept = before == NULL ? Py_NewRef(owner) : Py_BuildValue("(OO)", before, owner);
  if (kept == NULL) return NULL;
  self->kept = kept;
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

static PyObject* buffer_seal(PyObject* object, PyObject* nothing) {
  Handle* const self = (Handle*)object;
  pintle_error error = PINTLE_ERROR_INIT;
  (void)nothing;
  if (!is_live(self)) return NULL;
  PyThreadState* const thread = PyEval_SaveThread();
  lock(self);
  const pintle_status status = pintle_buffer_seal((pintle_buffer){self->id}, &error);
  unlock(self);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) return raise_error(self->state, &error);
  Py_RETURN_NONE;
}

static PyObject* buffer_map(PyObject* self, PyObject* is_read_only) {
  const int read_only = PyObject_IsTrue(is_read_only);
  return read_only < 0 ? NULL : mapping_make((Buffer*)self, read_only != 0);
}

static PyObject* get_device(PyObject* self, void* nothing) {
  (void)nothing;
  PyObject* const owner = ((Handle*)self)->owner;
  return Py_NewRef(owner == NULL ? Py_None : owner);
}

static PyObject* get_dtype(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLong(((Buffer*)self)->dtype);
}

static PyObject* get_shape(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef(((Buffer*)self)->shape);
}

static PyObject* get_bytes(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLongLong(((Buffer*)self)->bytes);
}

static PyMethodDef methods[] = {
    {"wait", buffer_wait, METH_VARARGS,
     "wait($self, timeout=None, /)\n--\n\nBlocks until every submission so far that uses the buffer is done. `timeout` "
     "is in seconds; None: the library's default."},
    {"used", buffer_used, METH_O, "Notes that the buffer is in use until the point is reached."},
    {"keep", buffer_keep, METH_O,
     "keep($self, owner, /)\n--\n\nKeeps an object until the buffer and the last submission that uses it are gone."},
    {"seal", buffer_seal, METH_NOARGS,
     "Seals the buffer for ever: a command that writes it is pintle.InvalidArgument from now on."},
    {"map", buffer_map, METH_O,
     "The buffer's bytes in the host's memory. pintle.Unsupported where the host cannot map the buffer."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {{"device", get_device, NULL, "The device.", NULL},
                                {"dtype_number", get_dtype, NULL, "The dtype's number in the C interface.", NULL},
                                {"shape", get_shape, NULL, "Elements, outermost dimension first.", NULL},
                                {"nbytes", get_bytes, NULL, "Bytes of all elements.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "Bytes of a device."}, {Py_tp_new, buffer_new},
                              {Py_tp_dealloc, buffer_dealloc},   {Py_tp_traverse, buffer_traverse},
                              {Py_tp_clear, buffer_clear},       {Py_tp_methods, methods},
                              {Py_tp_getset, members},           {0, NULL}};
PyType_Spec buffer_spec = {"pintle._native.Buffer", sizeof(Buffer), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
