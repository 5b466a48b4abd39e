/* Commands with slots in the place of a buffer or of an array, which each replay binds. Copies and indirect launches
 * with slots are in command.c, those of images in image.c. */
#include "objects.h"

/* The index of a slot. False with an exception for another object. */
static bool index_take(const State* state, PyObject* object, uint32_t* index) {
  if (Py_TYPE(object) != state->slot) {
    PyErr_SetString(PyExc_TypeError, "A command of a slot takes a slot.");
    return false;
  }
  *index = ((Slot*)object)->index;
  return true;
}

/* An upload from what each replay binds to a slot, or a download to it. */
static PyObject* array_make(PyObject* module, PyObject* arguments, CommandKind kind, const char* what) {
  PyObject* slot;
  Command* const self = command_of_view(module, arguments, kind, what, &slot);
  if (self == NULL) return NULL;
  return index_take(PyModule_GetState(module), slot, &self->slot) ? (PyObject*)self : command_fail(self);
}

static PyObject* upload_make(PyObject* module, PyObject* arguments) {
  return array_make(module, arguments, command_upload_slot, "to");
}

static PyObject* download_make(PyObject* module, PyObject* arguments) {
  return array_make(module, arguments, command_download_slot, "from");
}

/* (slot, dtype, value, label) */
static PyObject* fill_make(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  PyObject *slot, *value, *label;
  unsigned dtype;
  if (!PyArg_ParseTuple(arguments, "OIOO", &slot, &dtype, &value, &label)) return NULL;
  Command* const self = command_make(state, command_fill_slot, label);
  if (self == NULL) return NULL;
  self->to.dtype = dtype;
  const bool is_taken =
      index_take(state, slot, &self->slot) &&
      scalar_take(state, value, dtype, state->names[name_fill], state->names[name_value], self->value);
  return is_taken ? (PyObject*)self : command_fail(self);
}

/* (slot, label) */
static PyObject* timestamp_make(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  PyObject *slot, *label;
  if (!PyArg_ParseTuple(arguments, "OO", &slot, &label)) return NULL;
  Command* const self = command_make(state, command_timestamp_slot, label);
  if (self == NULL) return NULL;
  return index_take(state, slot, &self->slot) ? (PyObject*)self : command_fail(self);
}

PyMethodDef slot_functions[] = {{"command_upload_slot", upload_make, METH_VARARGS, NULL},
                                {"command_download_slot", download_make, METH_VARARGS, NULL},
                                {"command_fill_slot", fill_make, METH_VARARGS, NULL},
                                {"command_timestamp_slot", timestamp_make, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
