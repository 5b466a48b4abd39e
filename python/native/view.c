/* Views: parts of buffers. Slots: what a replay binds. */
#include "objects.h"

static PyObject* view_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  State* const state = state_of_type(type);
  PyObject *buffer, *shape;
  unsigned long long offset, bytes;
  unsigned dtype;
  (void)keywords;
  if (state == NULL ||
      !PyArg_ParseTuple(arguments, "O!KKIO!", state->buffer, &buffer, &offset, &bytes, &dtype, &PyTuple_Type, &shape))
    return NULL;
  View* const self = (View*)PyType_GenericAlloc(type, 0);
  if (self == NULL) return NULL;
  self->buffer = (Buffer*)Py_NewRef(buffer);
  self->offset = offset;
  self->bytes = bytes;
  self->dtype = dtype;
  self->shape = Py_NewRef(shape);
  return (PyObject*)self;
}

static int view_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((View*)self)->buffer);
  return 0;
}

static void view_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(((View*)self)->buffer);
  Py_CLEAR(((View*)self)->shape);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

Buffer* view_take(State* state, PyObject* object, const char* what, pintle_view* view) {
  Buffer* buffer;
  *view = (pintle_view){.size = sizeof *view};
  if (PyObject_TypeCheck(object, state->buffer)) {
    buffer = (Buffer*)object;
  } else if (PyObject_TypeCheck(object, state->view)) {
    const View* const part = (View*)object;
    buffer = part->buffer;
    view->dtype = part->dtype;
    view->offset = part->offset;
    view->bytes = part->bytes;
  } else {
    PyObject* const name = PyType_GetName(Py_TYPE(object));
    if (name != NULL) PyErr_Format(PyExc_TypeError, "%s is a buffer or a view, not a %U.", what, name);
    Py_XDECREF(name);
    return NULL;
  }
  if (!is_live(&buffer->base)) return NULL;
  view->buffer.id = buffer->base.id;
  return buffer;
}

static PyObject* get_buffer(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef((PyObject*)((View*)self)->buffer);
}

static PyObject* get_dtype(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLong(((View*)self)->dtype);
}

static PyObject* get_offset(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLongLong(((View*)self)->offset);
}

static PyObject* get_bytes(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLongLong(((View*)self)->bytes);
}

static PyObject* get_shape(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef(((View*)self)->shape);
}

static PyGetSetDef members[] = {{"buffer", get_buffer, NULL, "The buffer.", NULL},
                                {"dtype_number", get_dtype, NULL, "The dtype's number in the C interface.", NULL},
                                {"offset", get_offset, NULL, "Bytes from the buffer's first.", NULL},
                                {"nbytes", get_bytes, NULL, "Bytes of all elements.", NULL},
                                {"shape", get_shape, NULL, "Elements, outermost dimension first.", NULL},
                                {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot view_slots[] = {
    {Py_tp_doc, "A part of a buffer."}, {Py_tp_new, view_new},   {Py_tp_dealloc, view_dealloc},
    {Py_tp_traverse, view_traverse},    {Py_tp_getset, members}, {0, NULL}};
PyType_Spec view_spec = {"pintle._native.View", sizeof(View), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, view_slots};

enum { slot_limit = 1024 }; /* As the library's. */

PyObject* slot_make(PyObject* module, PyObject* number) {
  State* const state = PyModule_GetState(module);
  PyObject* const index = PyNumber_Index(number);
  if (index == NULL) return NULL;
  int overflow;
  const long value = PyLong_AsLongAndOverflow(index, &overflow);
  if (overflow != 0 || value < 0 || value >= slot_limit) {
    PyObject* const text = shown(index);
    if (text != NULL)
      (void)refuse(state, PINTLE_INVALID_ARGUMENT, "The slot (%U) is none: 0 to %d.", text, slot_limit - 1);
    Py_XDECREF(text);
    Py_DECREF(index);
    return NULL;
  }
  Py_DECREF(index);
  Slot* const self = (Slot*)PyType_GenericAlloc(state->slot, 0);
  if (self != NULL) self->index = (uint32_t)value;
  return (PyObject*)self;
}

static void slot_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject* slot_index(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLong(((Slot*)self)->index);
}

static PyObject* slot_repr(PyObject* self) {
  return PyUnicode_FromFormat("pintle.slot(%u)", (unsigned)((Slot*)self)->index);
}

static PyGetSetDef slot_members[] = {
    {"index", slot_index, NULL, "The place of its value among a replay's bindings.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slot_slots[] = {
    {Py_tp_doc, "Stands for an argument that each replay binds; pintle.slot() makes it."},
    {Py_tp_dealloc, slot_dealloc},
    {Py_tp_repr, slot_repr},
    {Py_tp_getset, slot_members},
    {0, NULL}};
PyType_Spec slot_spec = {"pintle._native.Slot", sizeof(Slot), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         slot_slots};
