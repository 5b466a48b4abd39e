/* Signals: the caller's, and the timelines of queues. */
#include "objects.h"

static PyObject* signal_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  unsigned long long id;
  PyObject* owner = NULL;
  (void)keywords;
  if (!PyArg_ParseTuple(arguments, "K|O", &id, &owner)) return NULL;
  return (PyObject*)handle_make(type, kind_signal, id, owner);
}

static int signal_traverse(PyObject* self, visitproc visit, void* arg) {
  const int visited = loans_traverse(&((Signal*)self)->loans, visit, arg);
  return visited != 0 ? visited : handle_traverse(self, visit, arg);
}

static void signal_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  loans_end((Signal*)self);
  handle_dealloc(self);
}

static PyObject* signal_value(PyObject* object, void* nothing) {
  Signal* const self = (Signal*)object;
  pintle_error error = PINTLE_ERROR_INIT;
  uint64_t value;
  (void)nothing;
  if (!is_live(&self->base)) return NULL;
  if (pintle_signal_value((pintle_signal){self->base.id}, &value, &error) != PINTLE_OK)
    return raise_error(self->base.state, &error);
  return PyLong_FromUnsignedLongLong(value);
}

/* Keeps an object until the signal has reached a value: work through ctypes uses it. */
static PyObject* signal_lend(PyObject* object, PyObject* arguments) {
  Signal* const self = (Signal*)object;
  unsigned long long value;
  PyObject* lent;
  if (!PyArg_ParseTuple(arguments, "KO", &value, &lent) || !loans_prepare(self, lent)) return NULL;
  loans_add(&self->loans, value, Py_NewRef(lent));
  Py_RETURN_NONE;
}

static PyObject* signal_owner(PyObject* self, void* nothing) {
  (void)nothing;
  PyObject* const owner = ((Handle*)self)->owner;
  return Py_NewRef(owner == NULL ? Py_None : owner);
}

static PyMethodDef methods[] = {
    {"lend", signal_lend, METH_VARARGS, "Keeps an object until the signal has reached a value."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {{"value", signal_value, NULL, "The value reached so far.", NULL},
                                {"owner", signal_owner, NULL, "The device of a queue's timeline; else None.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "A number that only rises, or fails."},
                              {Py_tp_new, signal_new},
                              {Py_tp_dealloc, signal_dealloc},
                              {Py_tp_traverse, signal_traverse},
                              {Py_tp_clear, handle_clear},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {0, NULL}};
PyType_Spec signal_spec = {"pintle._native.Signal", sizeof(Signal), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
