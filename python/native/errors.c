/* Failures as exceptions. pintle.errors makes them, so that Python has the classes. */
#include "native.h"

#include <stdarg.h>
#include <string.h>

enum { shown_length = 80 };

PyObject* text_or_none(const char* text) {
  if (text == NULL) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject* texts(const char* const* first, size_t count) {
  PyObject* const all = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; all != NULL && i < count; ++i) {
    PyObject* const text = text_or_none(first[i]);
    if (text == NULL || PyTuple_SetItem(all, (Py_ssize_t)i, text) != 0) {
      Py_DECREF(all);
      return NULL;
    }
  }
  return all;
}

static void raise_made(PyObject* exception) {
  if (exception == NULL) return;
  PyErr_SetObject((PyObject*)Py_TYPE(exception), exception);
  Py_DECREF(exception);
}

PyObject* raise_error(State* state, pintle_error* error) {
  PyObject* const arguments =
      Py_BuildValue("(iNNNNNLNK)", (int)error->code, text_or_none(error->message), text_or_none(error->text),
                    texts(error->context, error->context_count), text_or_none(error->vendor_library),
                    text_or_none(error->vendor_symbol), (long long)error->vendor_number, text_or_none(error->device),
                    (unsigned long long)error->generation);
  (void)pintle_error_free(error, NULL);
  if (arguments == NULL) return NULL;
  raise_made(PyObject_Call(state->make_error, arguments, NULL));
  Py_DECREF(arguments);
  return NULL;
}

PyObject* refuse(State* state, pintle_status code, const char* format, ...) {
  va_list values;
  va_start(values, format);
  PyObject* const message = PyUnicode_FromFormatV(format, values);
  va_end(values);
  if (message == NULL) return NULL;
  raise_made(PyObject_CallFunction(state->make_error, "iO", (int)code, message));
  Py_DECREF(message);
  return NULL;
}

PyObject* shown(PyObject* value) {
  PyObject* const text = PyObject_Repr(value);
  if (text == NULL) { /* for example an int of 5000 digits */
    PyErr_Clear();
    return PyType_GetName(Py_TYPE(value));
  }
  if (PyUnicode_GetLength(text) <= shown_length) return text;
  PyObject* const part = PyUnicode_Substring(text, 0, shown_length);
  Py_DECREF(text);
  if (part == NULL) return NULL;
  PyObject* const shortened = PyUnicode_FromFormat("%U...", part);
  Py_DECREF(part);
  return shortened;
}
