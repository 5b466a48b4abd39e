/* Several points: what a submission waits for, and waits for all of them, for any, and for a device. */
#include "objects.h"

void points_free(Points* points) {
  if (points->points != points->few) PyMem_Free(points->points);
  Py_CLEAR(points->objects);
  points->points = points->few;
  points->count = 0;
}

static bool point_take(State* state, PyObject* object, const char* what, pintle_point* point) {
  if (!PyObject_TypeCheck(object, state->point)) {
    PyObject* const name = PyType_GetName(Py_TYPE(object));
    if (name != NULL) PyErr_Format(PyExc_TypeError, "%s takes points, not a %U.", what, name);
    Py_XDECREF(name);
    return false;
  }
  const Point* const its = (Point*)object;
  if (!is_live(&its->signal->base)) return false;
  *point = (pintle_point){sizeof *point, 0, {its->signal->base.id}, its->value};
  return true;
}

static bool take_each(State* state, const char* what, Points* points) {
  const Py_ssize_t count = PyTuple_Size(points->objects);
  if ((size_t)count > sizeof points->few / sizeof *points->few) {
    points->points = PyMem_Malloc((size_t)count * sizeof *points->points);
    if (points->points == NULL) {
      points->points = points->few;
      (void)PyErr_NoMemory();
      return false;
    }
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!point_take(state, PyTuple_GetItem(points->objects, i), what, &points->points[i])) return false;
  points->count = (size_t)count;
  return true;
}

bool points_take(State* state, PyObject* iterable, const char* what, Points* points) {
  points->points = points->few;
  points->count = 0;
  points->objects = NULL;
  if (iterable == NULL || iterable == Py_None) return true;
  if (PyObject_TypeCheck(iterable, state->point)) {
    PyErr_Format(PyExc_TypeError, "%s takes a list of points, not a point.", what);
    return false;
  }
  points->objects = PySequence_Tuple(iterable);
  if (points->objects != NULL && take_each(state, what, points)) return true;
  points_free(points);
  return false;
}

typedef struct Wait {
  Points points;
  size_t index;
} Wait;

static pintle_status wait_for_all(void* call, int64_t timeout, pintle_error* error) {
  const Wait* const wait = call;
  return pintle_points_wait_all(wait->points.points, wait->points.count, timeout, error);
}

static pintle_status wait_for_any(void* call, int64_t timeout, pintle_error* error) {
  Wait* const wait = call;
  return pintle_points_wait_any(wait->points.points, wait->points.count, timeout, &wait->index, error);
}

/* Returns those of the points that are reached. */
static void return_loans(const Points* points) {
  for (Py_ssize_t i = 0; i < (Py_ssize_t)points->count; ++i) {
    const Point* const point = (Point*)PyTuple_GetItem(points->objects, i);
    uint32_t reached = 0;
    if (point->signal->loans.count == 0) continue;
    (void)pintle_point_is_reached(&points->points[i], &reached, NULL);
    if (reached != 0) loans_return(&point->signal->loans, point->value);
  }
}

/* False with an exception. */
static bool wait_for(PyObject* module, PyObject* arguments, const char* what, Blocking blocking, Wait* wait) {
  State* const state = PyModule_GetState(module);
  PyObject *iterable, *timeout = NULL;
  int64_t bound;
  if (!PyArg_ParseTuple(arguments, "O|O", &iterable, &timeout) || !take_timeout(state, timeout, &bound) ||
      !points_take(state, iterable, what, &wait->points))
    return false;
  if (wait->points.objects == NULL) {
    PyErr_Format(PyExc_TypeError, "%s takes a list of points, not None.", what);
    return false;
  }
  const int failed = block(state, blocking, wait, bound);
  if (failed == 0) return_loans(&wait->points);
  points_free(&wait->points);
  drop_now();
  return failed == 0;
}

PyObject* wait_all(PyObject* module, PyObject* arguments) {
  Wait wait;
  if (!wait_for(module, arguments, "wait_all()", wait_for_all, &wait)) return NULL;
  Py_RETURN_NONE;
}

PyObject* wait_any(PyObject* module, PyObject* arguments) {
  Wait wait = {.index = 0};
  if (!wait_for(module, arguments, "wait_any()", wait_for_any, &wait)) return NULL;
  return PyLong_FromSize_t(wait.index);
}

static pintle_status wait_until_idle(void* call, int64_t timeout, pintle_error* error) {
  const Handle* const device = call;
  return pintle_device_wait_idle((pintle_device){device->id}, timeout, error);
}

PyObject* wait_idle(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  PyObject *device, *timeout = NULL;
  int64_t bound;
  if (!PyArg_ParseTuple(arguments, "O!|O", state->handle, &device, &timeout) || !is_live((Handle*)device) ||
      !take_timeout(state, timeout, &bound))
    return NULL;
  if (block(state, wait_until_idle, device, bound) != 0) return NULL;
  drop_now();
  Py_RETURN_NONE;
}
