/* Keyword arguments of fast calls. */
#include "native.h"

/* Names in a call are interned, as ours are; others are compared. -1: unknown. */
static int find(State* state, PyObject* name, const int* known, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (name == state->names[known[i]]) return (int)i;
  for (size_t i = 0; i < count; ++i)
    if (PyUnicode_Compare(name, state->names[known[i]]) == 0) return (int)i;
  return -1;
}

bool keywords_take(State* state, const char* function, PyObject* const* values, PyObject* names, const int* known,
                   size_t count, PyObject** out) {
  const Py_ssize_t given = names == NULL ? 0 : PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < given; ++i) {
    PyObject* const name = PyTuple_GetItem(names, i);
    const int place = find(state, name, known, count);
    if (place < 0) {
      PyErr_Format(PyExc_TypeError, "%s() has no keyword argument %R.", function, name);
      return false;
    }
    out[place] = values[i];
  }
  return true;
}

bool label_take(PyObject* object, const char** label) {
  *label = NULL;
  if (object == NULL || object == Py_None) return true;
  if (!PyUnicode_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "A label is a str.");
    return false;
  }
  *label = PyUnicode_AsUTF8AndSize(object, NULL);
  return *label != NULL;
}
