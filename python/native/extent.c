/* How much a launch runs. */
#include "objects.h"

static bool side_take(State* state, const char* what, PyObject* object, uint64_t* side) {
  PyObject* const index = PyNumber_Index(object);
  if (index == NULL) return false;
  *side = PyLong_AsUnsignedLongLong(index);
  const bool is_beyond = *side == UINT64_MAX && PyErr_Occurred() != NULL;
  if (is_beyond) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) {
      Py_DECREF(index);
      return false;
    }
    PyErr_Clear();
    PyObject* const text = shown(index);
    if (text != NULL)
      (void)refuse(state, PINTLE_INVALID_ARGUMENT, "The count (%U) of %s is not from 0 to 2^64 - 1.", text, what);
    Py_XDECREF(text);
  }
  Py_DECREF(index);
  return !is_beyond;
}

static bool sides_take(State* state, const char* what, PyObject* given, uint64_t sides[3]) {
  PyObject* const all = PySequence_Tuple(given);
  if (all == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s is an int, or 1 to 3 ints.", what);
    return false;
  }
  const Py_ssize_t count = PyTuple_Size(all);
  bool is_right = count >= 1 && count <= 3;
  if (!is_right) PyErr_Format(PyExc_TypeError, "%s is an int, or 1 to 3 ints, not %zd.", what, count);
  for (Py_ssize_t i = 0; is_right && i < count; ++i)
    is_right = side_take(state, what, PyTuple_GetItem(all, i), &sides[i]);
  Py_DECREF(all);
  return is_right;
}

bool extent_take(State* state, PyObject* items, PyObject* groups, pintle_extent* extent) {
  if (items == Py_None) items = NULL;
  if (groups == Py_None) groups = NULL;
  if ((items == NULL) == (groups == NULL)) {
    PyErr_SetString(PyExc_TypeError, "A launch takes either items=, the work-items, or groups=, the work-groups.");
    return false;
  }
  const char* const what = items != NULL ? "items" : "groups";
  PyObject* const given = items != NULL ? items : groups;
  uint64_t sides[3] = {1, 1, 1};
  if (!(PyIndex_Check(given) ? side_take(state, what, given, &sides[0]) : sides_take(state, what, given, sides)))
    return false;
  /* For the library, a second or third count of 0 is 1. */
  if (sides[1] == 0 || sides[2] == 0) sides[0] = 0;
  *extent = (pintle_extent){sizeof *extent, groups != NULL, sides[0], sides[1], sides[2]};
  return true;
}
