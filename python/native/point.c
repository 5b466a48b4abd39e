/* Points: values of a signal to wait for. */
#include "objects.h"

PyObject* point_make(State* state, Signal* signal, uint64_t value) {
  Point* const self = (Point*)PyType_GenericAlloc(state->public_point, 0);
  if (self == NULL) return NULL;
  self->signal = (Signal*)Py_NewRef((PyObject*)signal);
  self->value = value;
  return (PyObject*)self;
}

static PyObject* point_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  State* const state = state_of_type(type);
  PyObject *signal, *number;
  (void)keywords;
  if (state == NULL || !PyArg_ParseTuple(arguments, "O!O!", state->signal, &signal, &PyLong_Type, &number)) return NULL;
  const unsigned long long value = PyLong_AsUnsignedLongLong(number);
  if (value == (unsigned long long)-1 && PyErr_Occurred()) return NULL;
  Point* const self = (Point*)PyType_GenericAlloc(type, 0);
  if (self == NULL) return NULL;
  self->signal = (Signal*)Py_NewRef(signal);
  self->value = value;
  return (PyObject*)self;
}

static void point_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_XDECREF((PyObject*)((Point*)self)->signal);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static State* state_of(const Point* self) { return self->signal->base.state; }

static bool take(Point* self, pintle_point* point) {
  if (!is_live(&self->signal->base)) return false;
  *point = (pintle_point){sizeof *point, 0, {self->signal->base.id}, self->value};
  return true;
}

/* 1 or 0; -1 with an exception. */
static int is_reached(Point* self, pintle_point* point) {
  pintle_error error = PINTLE_ERROR_INIT;
  uint32_t reached;
  if (!take(self, point)) return -1;
  if (pintle_point_is_reached(point, &reached, &error) == PINTLE_OK) {
    if (reached != 0) loans_return(&self->signal->loans, self->value);
    return reached != 0;
  }
  (void)raise_error(state_of(self), &error);
  return -1;
}

static pintle_status wait_for_point(void* point, int64_t timeout, pintle_error* error) {
  return pintle_point_wait(point, timeout, error);
}

static PyObject* point_wait(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  static const int known[] = {name_timeout};
  Point* const self = (Point*)object;
  State* const state = state_of(self);
  PyObject* timeout = NULL;
  pintle_point point;
  int64_t bound;
  if (count > 1)
    return PyErr_Format(PyExc_TypeError, "wait() takes at most 1 argument, the timeout, and %zd were given.", count);
  if (!keywords_take(state, "wait", arguments + count, names, known, 1, &timeout)) return NULL;
  if (count == 1) timeout = arguments[0];
  if (!take_timeout(state, timeout, &bound)) return NULL;
  const int reached = is_reached(self, &point);
  if (reached < 0 || (reached == 0 && block(state, wait_for_point, &point, bound) != 0)) return NULL;
  loans_return(&self->signal->loans, self->value);
  drop_now();
  Py_RETURN_NONE;
}

static PyObject* get_reached(PyObject* self, void* nothing) {
  pintle_point point;
  (void)nothing;
  const int reached = is_reached((Point*)self, &point);
  return reached < 0 ? NULL : PyBool_FromLong(reached);
}

static PyObject* get_signal(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef((PyObject*)((Point*)self)->signal);
}

static PyObject* get_value(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLongLong(((Point*)self)->value);
}

static PyMethodDef methods[] = {
    {"wait", (PyCFunction)(void (*)(void))point_wait, METH_FASTCALL | METH_KEYWORDS,
     "wait($self, timeout=None)\n--\n\nBlocks until the point is reached, for `timeout` seconds at most; None: "
     "PINTLE_TIMEOUT_MS, else 30 s."},
    {"alarm", point_alarm, METH_NOARGS, "A descriptor that becomes readable when the point is reached or fails."},
    {"notify", point_notify, METH_O, "Notes the token when the point is reached or fails."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {
    {"reached", get_reached, NULL,
     "Whether the point is reached; never blocks. A point that has failed raises its failure.", NULL},
    {"signal", get_signal, NULL, "The signal that the point is a value of.", NULL},
    {"value", get_value, NULL, "The value of the signal.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "A value of a signal."},
                              {Py_tp_new, point_new},
                              {Py_tp_dealloc, point_dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {0, NULL}};
PyType_Spec point_spec = {"pintle._native.Point", sizeof(Point), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
