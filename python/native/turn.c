/* The turns of objects, for calls of the library through ctypes: while they are taken, no other thread has one of them.
 * Whoever waits for one may be interrupted by a signal.
 * A thread that takes several takes an arena's or a handle's first, then a queue's, then those of buffers. */
#include "native.h"

typedef struct Turn {
  PyObject head;
  PyObject* handles; /* A tuple. */
  bool is_taken;
} Turn;

PyObject* turn_make(PyObject* module, PyObject* handles) {
  State* const state = PyModule_GetState(module);
  for (Py_ssize_t i = 0; i < PyTuple_Size(handles); ++i)
    if (!PyObject_TypeCheck(PyTuple_GetItem(handles, i), state->handle))
      return PyErr_Format(PyExc_TypeError, "turn() takes handles.");
  Turn* const self = (Turn*)PyType_GenericAlloc(state->turn, 0);
  if (self != NULL) self->handles = Py_NewRef(handles);
  return (PyObject*)self;
}

static void give_back_first(Turn* self, Py_ssize_t count) {
  for (Py_ssize_t i = count; i-- > 0;) unlock((Handle*)PyTuple_GetItem(self->handles, i));
}

static void give_back(Turn* self) {
  if (!self->is_taken) return;
  self->is_taken = false;
  give_back_first(self, PyTuple_Size(self->handles));
}

static pintle_status lock_one(void* handle, int64_t timeout, pintle_error* error) {
  (void)error;
  return lock_within(handle, timeout) ? PINTLE_OK : PINTLE_TIMEOUT;
}

/* Another thread may have a turn for as long as its call blocks. */
static PyObject* turn_enter(PyObject* object, PyObject* nothing) {
  Turn* const self = (Turn*)object;
  State* const state = PyType_GetModuleState(Py_TYPE(object));
  (void)nothing;
  if (self->is_taken) return PyErr_Format(PyExc_RuntimeError, "The turn is taken already.");
  const Py_ssize_t count = PyTuple_Size(self->handles);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (block(state, lock_one, PyTuple_GetItem(self->handles, i), PINTLE_TIMEOUT_INFINITE) == 0) continue;
    give_back_first(self, i);
    return NULL;
  }
  self->is_taken = true;
  Py_RETURN_NONE;
}

static PyObject* turn_exit(PyObject* self, PyObject* exception) {
  (void)exception;
  give_back((Turn*)self);
  Py_RETURN_NONE;
}

static void turn_dealloc(PyObject* object) {
  Turn* const self = (Turn*)object;
  PyTypeObject* const type = Py_TYPE(object);
  if (self->handles != NULL) give_back(self);
  Py_XDECREF(self->handles);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"__enter__", turn_enter, METH_NOARGS, NULL}, {"__exit__", turn_exit, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "While it is entered, no other thread calls the library with the objects."},
                              {Py_tp_dealloc, turn_dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec turn_spec = {"pintle._native.Turn", sizeof(Turn), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         slots};
