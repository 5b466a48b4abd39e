/* Arrays that a replay binds to the slots of uploads and downloads. One that is right as it is costs no call of Python;
 * any other is Python's to judge, which has the words for what is wrong. */
#include <string.h>

#include "objects.h"

/* Whether a format of the buffer protocol is that of a dtype, beside the right size of an item. */
static bool is_format(const char* format, uint32_t dtype) {
  static const char* const letters[] = {
      [PINTLE_BOOL] = "?", [PINTLE_I8] = "b",  [PINTLE_I16] = "h", [PINTLE_I32] = "il",
      [PINTLE_I64] = "lq", [PINTLE_U8] = "Bc", [PINTLE_U16] = "H", [PINTLE_U32] = "IL",
      [PINTLE_U64] = "LQ", [PINTLE_F16] = "e", [PINTLE_F32] = "f", [PINTLE_F64] = "d"};
  if (format == NULL || dtype >= sizeof letters / sizeof *letters || letters[dtype] == NULL) return false;
  if (*format == '@' || *format == '=') ++format;
  return format[0] != 0 && format[1] == 0 && strchr(letters[dtype], format[0]) != NULL;
}

static bool is_right(const SlotUse* use, PyObject* object) {
  const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (use->kind == slot_download ? PyBUF_WRITABLE : 0);
  Py_buffer view;
  if (!PyObject_CheckBuffer(object)) return false;
  if (PyObject_GetBuffer(object, &view, flags) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool is_matching = (uint64_t)view.len == use->bytes && (size_t)view.itemsize == element_bytes(use->dtype) &&
                           is_format(view.format, use->dtype);
  PyBuffer_Release(&view);
  return is_matching;
}

/* Keeps the memory, which stays where it is while a memoryview of it lives. False with an exception. */
static bool keep(PyObject* memory, PyObject** kept, Py_buffer* bytes) {
  PyObject* const view = PyMemoryView_FromObject(memory);
  if (view == NULL) return false;
  if (*kept == NULL) *kept = PyList_New(0);
  bool is_kept = *kept != NULL && PyList_Append(*kept, view) == 0;
  if (is_kept) is_kept = PyObject_GetBuffer(view, bytes, PyBUF_SIMPLE) == 0;
  if (is_kept) PyBuffer_Release(bytes); /* the address is still right: the view has the memory */
  Py_DECREF(view);
  return is_kept;
}

/* A new reference to what has the array's bytes; NULL with an exception that says what is wrong with it. */
static PyObject* memory_of(const Recording* recording, size_t slot, PyObject* object) {
  const SlotUse* const use = &recording->slots[slot];
  if (is_right(use, object)) return Py_NewRef(object);
  return PyObject_CallFunction(recording->base.state->bind_array, "OIKnO", object, (unsigned)use->dtype,
                               (unsigned long long)use->bytes, (Py_ssize_t)slot,
                               use->kind == slot_download ? Py_True : Py_False);
}

bool array_take(const Recording* recording, size_t slot, PyObject* object, pintle_argument* binding, PyObject** kept) {
  const SlotUse* const use = &recording->slots[slot];
  Py_buffer bytes;
  PyObject* const memory = memory_of(recording, slot, object);
  if (memory == NULL) return false;
  const bool is_kept = keep(memory, kept, &bytes);
  Py_DECREF(memory);
  if (!is_kept) return false;
  *binding = (pintle_argument){.size = sizeof *binding, .kind = PINTLE_ARGUMENT_BYTES, .bytes = use->bytes};
  if (use->kind == slot_download) {
    binding->kind = PINTLE_ARGUMENT_TARGET;
    binding->value.out = bytes.buf;
  } else {
    binding->value.data = bytes.buf;
  }
  return true;
}
