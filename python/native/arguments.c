/* Arguments of Python as the library takes them. Each is converted before anything is submitted. */
#include "objects.h"

#include <string.h>

static bool buffer_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                        pintle_argument* argument, Buffer** buffer) {
  if (object == Py_None && parameter->is_optional) {
    argument->kind = PINTLE_ARGUMENT_NULL;
    return true;
  }
  if (PyObject_TypeCheck(object, state->buffer)) {
    *buffer = (Buffer*)object;
  } else if (PyObject_TypeCheck(object, state->view)) {
    const View* const view = (View*)object;
    *buffer = view->buffer;
    argument->dtype = (uint16_t)view->dtype;
    argument->offset = view->offset;
    argument->bytes = view->bytes;
  } else {
    PyObject* const name = PyType_GetName(Py_TYPE(object));
    if (name != NULL)
      PyErr_Format(
          PyExc_TypeError,
          "The argument [%U] of [%U] takes a pintle.Buffer or a pintle.View, not a %U; device.buffer() makes one.",
          parameter->name, entry, name);
    Py_XDECREF(name);
    return false;
  }
  if (!is_live(&(*buffer)->base)) return false;
  argument->kind = PINTLE_ARGUMENT_BUFFER;
  argument->buffer.id = (*buffer)->base.id;
  return true;
}

static bool bytes_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                       unsigned char* value) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) return false;
  const bool is_right = view.len == (Py_ssize_t)parameter->bytes;
  if (is_right) memcpy(value, view.buf, parameter->bytes);
  else
    (void)refuse(state, PINTLE_INVALID_ARGUMENT, "The size (%zd bytes) of the argument [%U] of [%U] is not %u bytes.",
                 view.len, parameter->name, entry, (unsigned)parameter->bytes);
  PyBuffer_Release(&view);
  return is_right;
}

static bool vector_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                        unsigned char* value) {
  const size_t bytes = element_bytes(parameter->dtype);
  PyObject* const numbers = PySequence_Tuple(object);
  if (numbers == NULL) return false;
  const Py_ssize_t count = PyTuple_Size(numbers);
  bool is_right = (size_t)count == parameter->lanes && bytes * parameter->lanes <= parameter->bytes;
  if (!is_right)
    (void)refuse(state, PINTLE_INVALID_ARGUMENT, "The number (%zd) of numbers in the argument [%U] of [%U] is not %u.",
                 count, parameter->name, entry, (unsigned)parameter->lanes);
  for (Py_ssize_t i = 0; is_right && i < count; ++i)
    is_right = scalar_take(state, PyTuple_GetItem(numbers, i), parameter->dtype, entry, parameter->name,
                           value + (size_t)i * bytes);
  Py_DECREF(numbers);
  return is_right;
}

/* A struct comes as bytes, a vector as those or as numbers. */
static bool value_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                       pintle_argument* argument, unsigned char* value) {
  memset(value, 0, parameter->bytes);
  const bool is_taken = PyObject_CheckBuffer(object) ? bytes_take(state, parameter, entry, object, value)
                                                     : vector_take(state, parameter, entry, object, value);
  argument->kind = PINTLE_ARGUMENT_BYTES;
  argument->bytes = parameter->bytes;
  argument->value.data = value;
  return is_taken;
}

static bool slot_take(PyObject* object, pintle_argument* argument) {
  argument->kind = PINTLE_ARGUMENT_SLOT;
  argument->offset = ((Slot*)object)->index;
  return true;
}

bool argument_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                   pintle_argument* argument, Buffer** buffer, unsigned char* value) {
  *argument = (pintle_argument){.size = sizeof *argument};
  if (Py_TYPE(object) == state->slot) return slot_take(object, argument);
  switch (parameter->kind) {
    case PINTLE_PARAMETER_BUFFER: return buffer_take(state, parameter, entry, object, argument, buffer);
    case PINTLE_PARAMETER_SCALAR:
      argument->kind = PINTLE_ARGUMENT_SCALAR;
      argument->dtype = (uint16_t)parameter->dtype;
      return scalar_take(state, object, parameter->dtype, entry, parameter->name, &argument->value);
    case PINTLE_PARAMETER_VALUE: return value_take(state, parameter, entry, object, argument, value);
    case PINTLE_PARAMETER_LOCAL:
      argument->kind = PINTLE_ARGUMENT_LOCAL;
      return scalar_take(state, object, PINTLE_U64, entry, parameter->name, &argument->bytes);
    case PINTLE_PARAMETER_IMAGE: return image_take(state, parameter, entry, object, argument);
    case PINTLE_PARAMETER_SAMPLER: return sampler_take(state, parameter, entry, object, argument);
    case PINTLE_PARAMETER_TEXEL_BUFFER: return texels_take(state, parameter, entry, object, argument, buffer);
    default:
      (void)refuse(state, PINTLE_INTERNAL,
                   "The kind (%u) of the parameter [%U] of [%U] is none that this package knows.",
                   (unsigned)parameter->kind, parameter->name, entry);
      return false;
  }
}

static void arguments_empty(Arguments* self) {
  self->arguments = self->few;
  self->buffers = self->few_buffers;
  self->values = self->few_values;
  self->count = self->buffer_count = 0;
}

void arguments_free(Arguments* self) {
  if (self->arguments != self->few) PyMem_Free(self->arguments);
  if (self->buffers != self->few_buffers) PyMem_Free(self->buffers);
  if (self->values != self->few_values) PyMem_Free(self->values);
  arguments_empty(self);
}

static bool arguments_allocate(Arguments* self, size_t count, size_t value_bytes) {
  arguments_empty(self);
  if (count > sizeof self->few / sizeof *self->few) {
    self->arguments = PyMem_Calloc(count, sizeof *self->arguments);
    self->buffers = PyMem_Calloc(count, sizeof *self->buffers);
  }
  if (value_bytes > sizeof self->few_values) self->values = PyMem_Malloc(value_bytes);
  if (self->arguments != NULL && self->buffers != NULL && self->values != NULL) return true;
  arguments_free(self);
  (void)PyErr_NoMemory();
  return false;
}

static bool count_is_right(const Kernel* kernel, size_t count) {
  if (count == kernel->count) return true;
  PyErr_Format(PyExc_TypeError, "%U takes %zu arguments, and %zu were given: %U", kernel->entry, kernel->count, count,
               kernel->signature);
  return false;
}

/* Whether a buffer is of the kernel's device. Where the ids are the same, the library tells. */
static bool device_is_right(const Kernel* kernel, const Buffer* buffer, const Parameter* parameter) {
  PyObject* ids[2];
  const int is_same = is_same_device(&kernel->base, &buffer->base, ids);
  if (is_same == 0)
    (void)refuse(kernel->base.state, PINTLE_INVALID_ARGUMENT,
                 "The argument [%U] of [%U] is a buffer of [%S], and the kernel is one of [%S].", parameter->name,
                 kernel->entry, ids[1], ids[0]);
  Py_XDECREF(ids[0]);
  Py_XDECREF(ids[1]);
  return is_same > 0;
}

bool arguments_take(State* state, Kernel* kernel, PyObject* const* objects, size_t count, Arguments* self) {
  if (!is_live(&kernel->base) || !count_is_right(kernel, count) ||
      !arguments_allocate(self, count, kernel->value_bytes))
    return false;
  unsigned char* value = self->values;
  for (size_t i = 0; i < count; ++i) {
    const Parameter* const parameter = &kernel->parameters[i];
    Buffer* buffer = NULL;
    if (!argument_take(state, parameter, kernel->entry, objects[i], &self->arguments[i], &buffer, value) ||
        (buffer != NULL && !device_is_right(kernel, buffer, parameter))) {
      arguments_free(self);
      return false;
    }
    if (buffer != NULL) self->buffers[self->buffer_count++] = buffer;
    if (parameter->kind == PINTLE_PARAMETER_VALUE) value += (parameter->bytes + 15u) & ~15u;
  }
  self->count = count;
  return true;
}
