/* Commands as values: what Queue.submit and Device.record take. Functions here make them; list.c adds them to lists. */
#include "objects.h"

Command* command_make(State* state, CommandKind kind, PyObject* label) {
  const char* text;
  if (!label_take(label, &text)) return NULL;
  Command* const self = (Command*)PyType_GenericAlloc(state->public_command, 0);
  if (self == NULL) return NULL;
  self->kind = kind;
  self->label = text == NULL ? NULL : Py_NewRef(label);
  self->text = text;
  self->arguments.arguments = self->arguments.few;
  self->arguments.buffers = self->arguments.few_buffers;
  self->arguments.values = self->arguments.few_values;
  return self;
}

PyObject* command_fail(Command* self) {
  self->is_used = true;
  Py_DECREF(self);
  return NULL;
}

static PyObject* command_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)type;
  (void)arguments;
  (void)keywords;
  PyErr_SetString(PyExc_TypeError, "Kernel.command, pintle.copy, pintle.fill and the like make commands.");
  return NULL;
}

static int command_traverse(PyObject* object, visitproc visit, void* arg) {
  Command* const self = (Command*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->kernel);
  Py_VISIT(self->objects);
  return 0;
}

static void command_dealloc(PyObject* object) {
  Command* const self = (Command*)object;
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->has_host) PyBuffer_Release(&self->host);
  if (self->retained != NULL) retained_end(self->retained);
  arguments_free(&self->arguments);
  Py_CLEAR(self->kernel);
  Py_CLEAR(self->objects);
  Py_CLEAR(self->label);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

bool command_hold(Command* self, PyObject* const* objects, Py_ssize_t count) {
  self->objects = PyTuple_New(count);
  for (Py_ssize_t i = 0; self->objects != NULL && i < count; ++i)
    if (PyTuple_SetItem(self->objects, i, Py_NewRef(objects[i])) != 0) return false;
  return self->objects != NULL;
}

static PyObject* launch_make(Kernel* kernel, PyObject* const* arguments, Py_ssize_t count, CommandKind kind,
                             PyObject* label, Command** made) {
  State* const state = kernel->base.state;
  Command* const self = *made = command_make(state, kind, label);
  if (self == NULL) return NULL;
  self->kernel = (Kernel*)Py_NewRef((PyObject*)kernel);
  if (!command_hold(self, arguments, count) ||
      !arguments_take(state, kernel, arguments, (size_t)count, &self->arguments))
    return command_fail(self);
  return (PyObject*)self;
}

PyObject* kernel_command(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  static const int known[] = {name_items, name_groups, name_label};
  Kernel* const kernel = (Kernel*)object;
  PyObject* given[3] = {NULL, NULL, NULL};
  pintle_extent extent;
  Command* self;
  if (!keywords_take(kernel->base.state, "command", arguments + count, names, known, 3, given) ||
      !extent_take(kernel->base.state, given[0], given[1], &extent) ||
      launch_make(kernel, arguments, count, command_launch, given[2], &self) == NULL)
    return NULL;
  self->extent = extent;
  return (PyObject*)self;
}

/* A buffer, a view, or a slot that stands for a buffer. False with an exception. */
static bool side_take(State* state, PyObject* object, const char* what, pintle_view* view, Buffer** buffer,
                      uint32_t* slot) {
  if (Py_TYPE(object) == state->slot) {
    *slot = ((Slot*)object)->index;
    return true;
  }
  *buffer = view_take(state, object, what, view);
  return *buffer != NULL;
}

PyObject* kernel_indirect(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  static const int known[] = {name_grid, name_most, name_label};
  Kernel* const kernel = (Kernel*)object;
  State* const state = kernel->base.state;
  PyObject* given[3] = {NULL, NULL, NULL};
  pintle_extent most;
  Command* self;
  if (!keywords_take(state, "indirect", arguments + count, names, known, 3, given)) return NULL;
  if (given[0] == NULL || given[1] == NULL) {
    PyErr_SetString(
        PyExc_TypeError,
        "indirect() takes grid=, a buffer of three u32 or a slot, and most=, the largest numbers of work-groups.");
    return NULL;
  }
  const CommandKind kind = Py_TYPE(given[0]) == state->slot ? command_indirect_slot : command_indirect;
  if (!extent_take(state, NULL, given[1], &most) ||
      launch_make(kernel, arguments, count, kind, given[2], &self) == NULL)
    return NULL;
  self->extent = most;
  if (!side_take(state, given[0], "grid", &self->to, &self->views[0], &self->slot)) return command_fail(self);
  PyObject* const all = Py_BuildValue("(NO)", self->objects, given[0]);
  self->objects = all;
  return all == NULL ? command_fail(self) : (PyObject*)self;
}

static PyObject* command_copy_make(PyObject* module, PyObject* arguments) {
  static const CommandKind kinds[2][2] = {{command_copy, command_copy_from_slot},
                                          {command_copy_to_slot, command_copy_slots}};
  State* const state = PyModule_GetState(module);
  PyObject* objects[2];
  PyObject* label;
  if (!PyArg_ParseTuple(arguments, "OOO", &objects[0], &objects[1], &label)) return NULL;
  Command* const self =
      command_make(state, kinds[Py_TYPE(objects[0]) == state->slot][Py_TYPE(objects[1]) == state->slot], label);
  if (self == NULL) return NULL;
  if (!side_take(state, objects[0], "to", &self->to, &self->views[0], &self->slot) ||
      !side_take(state, objects[1], "from", &self->from, &self->views[1], &self->from_slot) ||
      !command_hold(self, objects, 2))
    return command_fail(self);
  return (PyObject*)self;
}

Command* command_of_view(PyObject* module, PyObject* arguments, CommandKind kind, const char* what, PyObject** other) {
  State* const state = PyModule_GetState(module);
  PyObject *view, *label;
  if (other == NULL ? !PyArg_ParseTuple(arguments, "OO", &view, &label)
                    : !PyArg_ParseTuple(arguments, "OOO", &view, other, &label))
    return NULL;
  Command* const self = command_make(state, kind, label);
  if (self == NULL) return NULL;
  self->views[0] = view_take(state, view, what, &self->to);
  if (self->views[0] != NULL && command_hold(self, &view, 1)) return self;
  (void)command_fail(self);
  return NULL;
}

static PyObject* command_fill_make(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  PyObject* value;
  Command* const self = command_of_view(module, arguments, command_fill, "to", &value);
  if (self == NULL) return NULL;
  const uint32_t dtype = self->to.dtype != 0 ? self->to.dtype : self->views[0]->dtype;
  return scalar_take(state, value, dtype, state->names[name_fill], state->names[name_value], self->value)
             ? (PyObject*)self
             : command_fail(self);
}

static PyObject* command_host_make(PyObject* module, PyObject* arguments, CommandKind kind, const char* what,
                                   int flags) {
  PyObject* host;
  Command* const self = command_of_view(module, arguments, kind, what, &host);
  if (self == NULL) return NULL;
  self->has_host = PyObject_GetBuffer(host, &self->host, flags) == 0;
  return self->has_host ? (PyObject*)self : command_fail(self);
}

static PyObject* command_upload_make(PyObject* module, PyObject* arguments) {
  return command_host_make(module, arguments, command_upload, "to", PyBUF_SIMPLE);
}

/* An upload that reads the memory when it runs. */
static PyObject* command_retained_upload_make(PyObject* module, PyObject* arguments) {
  PyObject* host;
  Command* const self = command_of_view(module, arguments, command_retained_upload, "to", &host);
  if (self == NULL) return NULL;
  self->has_host = PyObject_GetBuffer(host, &self->host, PyBUF_SIMPLE) == 0;
  PyObject* const memory = self->has_host ? PyMemoryView_FromObject(host) : NULL; /* keeps the bytes in their place */
  if (memory != NULL) self->retained = retained_make(memory);
  Py_XDECREF(memory);
  return self->retained != NULL ? (PyObject*)self : command_fail(self);
}

static PyObject* command_download_make(PyObject* module, PyObject* arguments) {
  return command_host_make(module, arguments, command_download, "from", PyBUF_WRITABLE);
}

static PyObject* command_timestamp_make(PyObject* module, PyObject* arguments) {
  return (PyObject*)command_of_view(module, arguments, command_timestamp, "to", NULL);
}

static PyObject* command_barrier_make(PyObject* module, PyObject* nothing) {
  (void)nothing;
  return (PyObject*)command_make(PyModule_GetState(module), command_barrier, NULL);
}

/* What a launch uses besides its arguments: (memory, access). */
static PyObject* command_uses_make(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  PyObject* memory;
  unsigned access;
  if (!PyArg_ParseTuple(arguments, "OI", &memory, &access)) return NULL;
  Command* const self = command_make(state, Py_TYPE(memory) == state->slot ? command_uses_slot : command_uses, NULL);
  if (self == NULL) return NULL;
  self->access = access;
  if (!side_take(state, memory, "memory", &self->to, &self->views[0], &self->slot) || !command_hold(self, &memory, 1))
    return command_fail(self);
  return (PyObject*)self;
}

static PyObject* command_holds_make(PyObject* module, PyObject* buffer) {
  State* const state = PyModule_GetState(module);
  if (!PyObject_TypeCheck(buffer, state->buffer)) {
    PyObject* const name = PyType_GetName(Py_TYPE(buffer));
    if (name != NULL) PyErr_Format(PyExc_TypeError, "holds() takes a buffer, not a %U.", name);
    Py_XDECREF(name);
    return NULL;
  }
  Command* const self = command_make(state, command_holds, NULL);
  if (self == NULL) return NULL;
  self->views[0] = view_take(state, buffer, "buffer", &self->to);
  return self->views[0] != NULL && command_hold(self, &buffer, 1) ? (PyObject*)self : command_fail(self);
}

static PyObject* get_used(PyObject* self, void* nothing) {
  (void)nothing;
  return PyBool_FromLong(((Command*)self)->is_used);
}

static PyObject* get_kind(PyObject* self, void* nothing) {
  static const char* const words[] = {[command_launch] = "launch",
                                      [command_indirect] = "indirect launch",
                                      [command_copy] = "copy",
                                      [command_fill] = "fill",
                                      [command_upload] = "upload",
                                      [command_download] = "download",
                                      [command_barrier] = "barrier",
                                      [command_timestamp] = "timestamp",
                                      [command_upload_slot] = "upload",
                                      [command_download_slot] = "download",
                                      [command_to_image] = "copy to an image",
                                      [command_from_image] = "copy from an image",
                                      [command_slot_to_image] = "copy to an image",
                                      [command_image_to_slot] = "copy from an image",
                                      [command_retained_upload] = "upload",
                                      [command_uses] = "use",
                                      [command_holds] = "hold",
                                      [command_copy_from_slot] = "copy",
                                      [command_copy_to_slot] = "copy",
                                      [command_copy_slots] = "copy",
                                      [command_fill_slot] = "fill",
                                      [command_timestamp_slot] = "timestamp",
                                      [command_uses_slot] = "use",
                                      [command_indirect_slot] = "indirect launch"};
  const Command* const command = (Command*)self;
  (void)nothing;
  if (command->kernel != NULL) return PyUnicode_FromFormat("%s of %U", words[command->kind], command->kernel->entry);
  return PyUnicode_FromString(words[command->kind]);
}

PyMethodDef command_functions[] = {{"command_copy", command_copy_make, METH_VARARGS, NULL},
                                   {"command_fill", command_fill_make, METH_VARARGS, NULL},
                                   {"command_upload", command_upload_make, METH_VARARGS, NULL},
                                   {"command_download", command_download_make, METH_VARARGS, NULL},
                                   {"command_retained_upload", command_retained_upload_make, METH_VARARGS, NULL},
                                   {"command_uses", command_uses_make, METH_VARARGS, NULL},
                                   {"command_holds", command_holds_make, METH_O, NULL},
                                   {"command_timestamp", command_timestamp_make, METH_VARARGS, NULL},
                                   {"command_barrier", command_barrier_make, METH_NOARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {{"used", get_used, NULL, "Whether the command was submitted or recorded.", NULL},
                                {"description", get_kind, NULL, "What the command does, in words.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc, "One command of a list."}, {Py_tp_new, command_new}, {Py_tp_dealloc, command_dealloc},
    {Py_tp_traverse, command_traverse},    {Py_tp_getset, members},  {0, NULL}};
PyType_Spec command_spec = {"pintle._native.Command", sizeof(Command), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
