/* Recordings: commands that are checked once and replayed. */
#include "objects.h"

static bool commands_check(State* state, PyObject* commands) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(commands); ++i) {
    PyObject* const one = PyTuple_GetItem(commands, i);
    if (PyObject_TypeCheck(one, state->command)) {
      ((Command*)one)->is_used = true;
      continue;
    }
    PyErr_SetString(PyExc_TypeError, "record() takes commands.");
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_Size(commands); ++i)
    if (!command_check((Command*)PyTuple_GetItem(commands, i))) return false;
  return true;
}

/* The use of a slot so far; NULL with an exception. */
static SlotUse* slot_at(Recording* self, size_t index) {
  if (index < self->slot_count) return &self->slots[index];
  SlotUse* const slots = PyMem_Realloc(self->slots, (index + 1) * sizeof *slots);
  if (slots == NULL) return (SlotUse*)PyErr_NoMemory();
  self->slots = slots;
  while (self->slot_count <= index) slots[self->slot_count++] = (SlotUse){.kind = slot_unused};
  return &slots[index];
}

static bool has_another_use(Recording* self, size_t index) {
  return refuse(self->base.state, PINTLE_INVALID_ARGUMENT,
                "The slot (%zu) stands for an array of the host and for something else, or for arrays of two sizes or "
                "dtypes.",
                index) != NULL;
}

/* An upload or a download. The library knows the size alone. */
static bool take_array_slot(Recording* self, const Command* command) {
  const Buffer* const buffer = command->views[0];
  const SlotUse its = {.kind = command->kind == command_upload_slot ? slot_upload : slot_download,
                       .dtype = command->to.dtype != 0 ? command->to.dtype : buffer->dtype,
                       .bytes = command->to.bytes != 0 ? command->to.bytes : buffer->bytes};
  SlotUse* const use = slot_at(self, command->slot);
  if (use == NULL) return false;
  if (use->kind == slot_unused) *use = its;
  return (use->kind == its.kind && use->dtype == its.dtype && use->bytes == its.bytes) ||
         has_another_use(self, command->slot);
}

/* The first parameter that a slot stands for says what is bound to it; the library checks the others. A slot of an
 * optional buffer is bound to one, too. */
static bool take_argument_slot(Recording* self, size_t index, const Parameter* parameter, PyObject* entry) {
  SlotUse* const use = slot_at(self, index);
  if (use == NULL) return false;
  if (use->kind == slot_unused) {
    *use = (SlotUse){.kind = slot_argument, .parameter = *parameter, .entry = entry};
    use->parameter.is_optional = 0;
  }
  return use->kind == slot_argument || has_another_use(self, index);
}

static bool take_argument_slots(Recording* self, const Command* command) {
  for (size_t i = 0; i < command->arguments.count; ++i) {
    const pintle_argument* const argument = &command->arguments.arguments[i];
    const Parameter* const parameter = &command->kernel->parameters[i];
    if (argument->kind != PINTLE_ARGUMENT_SLOT) continue;
    if (parameter->kind != PINTLE_PARAMETER_BUFFER && parameter->kind != PINTLE_PARAMETER_SCALAR) {
      (void)refuse(self->base.state, PINTLE_UNSUPPORTED,
                   "The parameter [%U] of [%U] takes no slot: it is neither a buffer nor a number.", parameter->name,
                   command->kernel->entry);
      return false;
    }
    if (!take_argument_slot(self, argument->offset, parameter, command->kernel->entry)) return false;
  }
  return true;
}

/* A slot that stands for any buffer; `word` is the command's in messages. */
static bool take_buffer_slot(Recording* self, size_t index, int word) {
  PyObject* const* names = self->base.state->names;
  const Parameter buffer = {.name = names[name_buffer], .kind = PINTLE_PARAMETER_BUFFER};
  return take_argument_slot(self, index, &buffer, names[word]);
}

static bool take_slots(Recording* self, const Command* command) {
  switch (command->kind) {
    case command_upload_slot:
    case command_download_slot: return take_array_slot(self, command);
    case command_slot_to_image:
    case command_image_to_slot:
    case command_copy_to_slot: return take_buffer_slot(self, command->slot, name_copy);
    case command_copy_from_slot: return take_buffer_slot(self, command->from_slot, name_copy);
    case command_copy_slots:
      return take_buffer_slot(self, command->slot, name_copy) && take_buffer_slot(self, command->from_slot, name_copy);
    case command_fill_slot: return take_buffer_slot(self, command->slot, name_fill);
    case command_timestamp_slot: return take_buffer_slot(self, command->slot, name_timestamp);
    case command_uses_slot: return take_buffer_slot(self, command->slot, name_uses);
    case command_indirect_slot:
      return take_buffer_slot(self, command->slot, name_grid) && take_argument_slots(self, command);
    default: return take_argument_slots(self, command);
  }
}

static bool add_buffer(Buffer* buffer, void* data) {
  Recording* const self = data;
  for (size_t i = 0; i < self->buffer_count; ++i)
    if (self->buffers[i] == buffer) return true;
  Buffer** const larger = PyMem_Realloc(self->buffers, (self->buffer_count + 1) * sizeof *larger);
  if (larger == NULL) {
    (void)PyErr_NoMemory();
    return false;
  }
  self->buffers = larger;
  self->buffers[self->buffer_count++] = buffer;
  return true;
}

static bool take_commands(Recording* self, PyObject* commands) {
  self->objects = Py_NewRef(commands);
  for (Py_ssize_t i = 0; i < PyTuple_Size(commands); ++i) {
    Command* const command = (Command*)PyTuple_GetItem(commands, i);
    if (!take_slots(self, command) || !command_buffers(command, add_buffer, self)) return false;
  }
  return true;
}

/* Calls of the library alone: needs no GIL. */
static pintle_status record(Command* const* commands, size_t count, pintle_device device, pintle_recording* recording,
                            pintle_error* error) {
  pintle_list list;
  pintle_status status = pintle_list_create(&list, error);
  if (status != PINTLE_OK) return status;
  for (size_t i = 0; status == PINTLE_OK && i < count; ++i) status = command_append(commands[i], list, error);
  if (status == PINTLE_OK) status = pintle_recording_create(device, list, recording, error);
  if (status != PINTLE_OK) (void)pintle_list_release(list, NULL);
  return status;
}

/* Records the commands, which the object holds. False with an exception. */
static bool start(Recording* self, PyObject* commands, pintle_device device) {
  const size_t count = (size_t)PyTuple_Size(commands);
  pintle_error error = PINTLE_ERROR_INIT;
  pintle_recording recording;
  Command** const all = PyMem_Malloc((count + 1) * sizeof(Command*));
  if (all == NULL) return PyErr_NoMemory() != NULL;
  for (size_t i = 0; i < count; ++i) all[i] = (Command*)PyTuple_GetItem(commands, (Py_ssize_t)i);
  PyThreadState* const thread = PyEval_SaveThread();
  const pintle_status status = record(all, count, device, &recording, &error);
  PyEval_RestoreThread(thread);
  PyMem_Free(all);
  if (status != PINTLE_OK) return raise_error(self->base.state, &error) != NULL;
  self->base.id = recording.id;
  return true;
}

static PyObject* recording_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  State* const state = state_of_type(type);
  unsigned long long device;
  PyObject *owner, *commands;
  (void)keywords;
  if (state == NULL || !PyArg_ParseTuple(arguments, "OKO!", &owner, &device, &PyTuple_Type, &commands) ||
      !commands_check(state, commands))
    return NULL;
  Recording* const self = (Recording*)handle_make(type, kind_recording, 0, owner);
  if (self == NULL) return NULL;
  if (take_commands(self, commands) && start(self, commands, (pintle_device){device})) return (PyObject*)self;
  Py_DECREF(self);
  return NULL;
}

static int recording_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((Recording*)self)->objects);
  return handle_traverse(self, visit, arg);
}

static void recording_dealloc(PyObject* object) {
  Recording* const self = (Recording*)object;
  PyObject_GC_UnTrack(object);
  PyMem_Free(self->buffers);
  PyMem_Free(self->slots);
  self->buffers = NULL;
  self->slots = NULL;
  self->buffer_count = self->slot_count = 0;
  Py_CLEAR(self->objects);
  handle_dealloc(object);
}

static PyObject* get_device(PyObject* self, void* nothing) {
  (void)nothing;
  PyObject* const owner = ((Handle*)self)->owner;
  return Py_NewRef(owner == NULL ? Py_None : owner);
}

static PyObject* get_slots(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromSize_t(((Recording*)self)->slot_count);
}

static PyGetSetDef members[] = {{"device", get_device, NULL, "The device.", NULL},
                                {"slots", get_slots, NULL, "The number of values that a replay binds.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "Commands that are checked once and replayed."},
                              {Py_tp_new, recording_new},
                              {Py_tp_dealloc, recording_dealloc},
                              {Py_tp_traverse, recording_traverse},
                              {Py_tp_clear, handle_clear},
                              {Py_tp_getset, members},
                              {0, NULL}};
PyType_Spec recording_spec = {"pintle._native.Recording", sizeof(Recording), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
