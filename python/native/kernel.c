/* Kernels: the handle, and what a launch checks its arguments against. */
#include "objects.h"

static bool parameter_take(PyObject* description, Parameter* parameter) {
  PyObject* name;
  if (!PyArg_ParseTuple(description, "UIIIII", &name, &parameter->kind, &parameter->dtype, &parameter->bytes,
                        &parameter->lanes, &parameter->is_optional))
    return false;
  parameter->name = Py_NewRef(name);
  return true;
}

/* A value lies where any number may. */
static size_t aligned(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

static bool parameters_take(Kernel* self, PyObject* descriptions) {
  const Py_ssize_t count = PyTuple_Size(descriptions);
  if (count == 0) return true;
  self->parameters = PyMem_Calloc((size_t)count, sizeof *self->parameters);
  if (self->parameters == NULL) {
    (void)PyErr_NoMemory();
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    Parameter* const parameter = &self->parameters[i];
    PyObject* const description = PyTuple_GetItem(descriptions, i);
    if (!PyTuple_Check(description)) {
      PyErr_SetString(PyExc_TypeError, "A parameter is a tuple.");
      return false;
    }
    if (!parameter_take(description, parameter)) return false;
    self->count = (size_t)i + 1;
    if (parameter->kind == PINTLE_PARAMETER_VALUE) self->value_bytes += aligned(parameter->bytes);
  }
  return true;
}

static PyObject* kernel_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  unsigned long long id;
  PyObject *device, *entry, *signature, *parameters;
  (void)keywords;
  if (!PyArg_ParseTuple(arguments, "KOUUO!", &id, &device, &entry, &signature, &PyTuple_Type, &parameters)) return NULL;
  Kernel* const self = (Kernel*)handle_make(type, kind_kernel, id, device);
  if (self == NULL) return NULL;
  self->entry = Py_NewRef(entry);
  self->signature = Py_NewRef(signature);
  if (parameters_take(self, parameters)) return (PyObject*)self;
  Py_DECREF(self);
  return NULL;
}

static void kernel_dealloc(PyObject* object) {
  Kernel* const self = (Kernel*)object;
  PyObject_GC_UnTrack(object);
  for (size_t i = 0; i < self->count; ++i) Py_DECREF(self->parameters[i].name);
  PyMem_Free(self->parameters);
  self->parameters = NULL;
  self->count = 0;
  Py_CLEAR(self->entry);
  Py_CLEAR(self->signature);
  handle_dealloc(object);
}

static PyObject* get_device(PyObject* self, void* nothing) {
  (void)nothing;
  PyObject* const owner = ((Handle*)self)->owner;
  return Py_NewRef(owner == NULL ? Py_None : owner);
}

static PyObject* get_name(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef(((Kernel*)self)->entry);
}

static PyObject* get_signature(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef(((Kernel*)self)->signature);
}

static PyMethodDef methods[] = {
    {"command", (PyCFunction)(void (*)(void))kernel_command, METH_FASTCALL | METH_KEYWORDS,
     "command($self, *arguments, items=None, groups=None, label=None)\n--\n\nA launch as a command, for Queue.submit "
     "and "
     "Device.record. A slot may stand "
     "for an argument."},
    {"indirect", (PyCFunction)(void (*)(void))kernel_indirect, METH_FASTCALL | METH_KEYWORDS,
     "indirect($self, *arguments, grid, most, label=None)\n--\n\nA launch of as many groups as the buffer `grid` says "
     "(three "
     "u32) when it runs, each side "
     "at most that of `most`."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {
    {"device", get_device, NULL, "The device.", NULL},
    {"name", get_name, NULL, "The entry's name.", NULL},
    {"signature", get_signature, NULL, "The entry and its parameters, as a pack has them.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "An entry point of a program."},
                              {Py_tp_new, kernel_new},
                              {Py_tp_dealloc, kernel_dealloc},
                              {Py_tp_traverse, handle_traverse},
                              {Py_tp_clear, handle_clear},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {0, NULL}};
PyType_Spec kernel_spec = {"pintle._native.Kernel", sizeof(Kernel), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
