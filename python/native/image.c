/* Images, samplers and buffers as texels: arguments of kernels, and copies of images. An image is a handle without a
 * type of its own. */
#include "objects.h"

typedef struct Sampler {
  PyObject head;
  unsigned filter, address, coordinates;
} Sampler;

typedef struct Texels {
  PyObject head;
  PyObject* memory;
  unsigned texel;
} Texels;

static bool is_image(const State* state, PyObject* object) {
  return PyObject_TypeCheck(object, state->handle) && ((Handle*)object)->kind == kind_image;
}

static bool takes(const Parameter* parameter, PyObject* entry, PyObject* object, const char* wanted) {
  PyObject* const name = PyType_GetName(Py_TYPE(object));
  if (name != NULL)
    PyErr_Format(PyExc_TypeError, "The argument [%U] of [%U] takes %s, not a %U.", parameter->name, entry, wanted,
                 name);
  Py_XDECREF(name);
  return false;
}

static void put_sampler(const Sampler* sampler, pintle_argument* argument) {
  argument->value.sampler.filter = (uint16_t)sampler->filter;
  argument->value.sampler.address = (uint16_t)sampler->address;
  argument->value.sampler.coordinates = (uint16_t)sampler->coordinates;
}

/* An image, or a tuple of an image and its sampler. The library checks which of them the kernel takes. */
bool image_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                pintle_argument* argument) {
  const bool is_sampled = PyTuple_Check(object) && PyTuple_Size(object) == 2;
  PyObject* const image = is_sampled ? PyTuple_GetItem(object, 0) : object;
  PyObject* const sampler = is_sampled ? PyTuple_GetItem(object, 1) : NULL;
  if (!is_image(state, image) || (sampler != NULL && !PyObject_TypeCheck(sampler, state->sampler)))
    return takes(parameter, entry, object, "a pintle.Image, or a tuple of an image and a pintle.Sampler");
  if (!is_live((Handle*)image)) return false;
  argument->kind = is_sampled ? PINTLE_ARGUMENT_SAMPLED_IMAGE : PINTLE_ARGUMENT_IMAGE;
  argument->image.id = ((Handle*)image)->id;
  if (sampler != NULL) put_sampler((Sampler*)sampler, argument);
  return true;
}

bool sampler_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                  pintle_argument* argument) {
  if (!PyObject_TypeCheck(object, state->sampler)) return takes(parameter, entry, object, "a pintle.Sampler");
  argument->kind = PINTLE_ARGUMENT_SAMPLER;
  put_sampler((Sampler*)object, argument);
  return true;
}

bool texels_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object, pintle_argument* argument,
                 Buffer** buffer) {
  pintle_view view;
  if (!PyObject_TypeCheck(object, state->texels)) return takes(parameter, entry, object, "a pintle.TexelBuffer");
  const Texels* const texels = (Texels*)object;
  *buffer = view_take(state, texels->memory, "The memory of a TexelBuffer", &view);
  if (*buffer == NULL) return false;
  argument->kind = PINTLE_ARGUMENT_TEXEL_BUFFER;
  argument->dtype = (uint16_t)view.dtype;
  argument->buffer = view.buffer;
  argument->offset = view.offset;
  argument->bytes = view.bytes;
  argument->value.texel = texels->texel;
  return true;
}

/* A copy of an image: (image, buffer or view or slot, the part's numbers, label). */
static PyObject* copy_make(PyObject* module, PyObject* arguments, CommandKind kind, CommandKind of_slot,
                           const char* what) {
  State* const state = PyModule_GetState(module);
  PyObject* objects[2];
  PyObject* label;
  pintle_image_part part = {.size = sizeof part};
  unsigned long long row_bytes, slice_bytes;
  if (!PyArg_ParseTuple(arguments, "OO(IIIIIIKK)O", &objects[0], &objects[1], &part.x, &part.y, &part.z, &part.width,
                        &part.height, &part.depth, &row_bytes, &slice_bytes, &label))
    return NULL;
  if (!is_image(state, objects[0])) return PyErr_Format(PyExc_TypeError, "A copy of an image takes an image.");
  if (!is_live((Handle*)objects[0])) return NULL;
  const bool is_of_slot = Py_TYPE(objects[1]) == state->slot;
  Command* const self = command_make(state, is_of_slot ? of_slot : kind, label);
  if (self == NULL) return NULL;
  part.row_bytes = row_bytes;
  part.slice_bytes = slice_bytes;
  self->part = part;
  self->image.id = ((Handle*)objects[0])->id;
  if (is_of_slot) self->slot = ((Slot*)objects[1])->index;
  else self->views[0] = view_take(state, objects[1], what, &self->to);
  return (is_of_slot || self->views[0] != NULL) && command_hold(self, objects, 2) ? (PyObject*)self
                                                                                  : command_fail(self);
}

static PyObject* to_image_make(PyObject* module, PyObject* arguments) {
  return copy_make(module, arguments, command_to_image, command_slot_to_image, "from");
}

static PyObject* from_image_make(PyObject* module, PyObject* arguments) {
  return copy_make(module, arguments, command_from_image, command_image_to_slot, "to");
}

PyMethodDef image_functions[] = {{"command_to_image", to_image_make, METH_VARARGS, NULL},
                                 {"command_from_image", from_image_make, METH_VARARGS, NULL},
                                 {NULL, NULL, 0, NULL}};

static PyObject* sampler_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  unsigned filter, address, coordinates;
  (void)keywords;
  if (!PyArg_ParseTuple(arguments, "III", &filter, &address, &coordinates)) return NULL;
  Sampler* const self = (Sampler*)PyType_GenericAlloc(type, 0);
  if (self == NULL) return NULL;
  self->filter = filter;
  self->address = address;
  self->coordinates = coordinates;
  return (PyObject*)self;
}

static void sampler_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject* texels_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  State* const state = state_of_type(type);
  PyObject* memory;
  unsigned texel;
  pintle_view view;
  (void)keywords;
  if (state == NULL || !PyArg_ParseTuple(arguments, "OI", &memory, &texel) ||
      view_take(state, memory, "The memory of a TexelBuffer", &view) == NULL)
    return NULL;
  Texels* const self = (Texels*)PyType_GenericAlloc(type, 0);
  if (self == NULL) return NULL;
  self->memory = Py_NewRef(memory);
  self->texel = texel;
  return (PyObject*)self;
}

static void texels_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_XDECREF(((Texels*)self)->memory);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

#define NUMBER(member, getter)                                \
  static PyObject* getter(PyObject* self, void* nothing) {    \
    (void)nothing;                                            \
    return PyLong_FromUnsignedLong(((Sampler*)self)->member); \
  }
NUMBER(filter, get_filter)
NUMBER(address, get_address)
NUMBER(coordinates, get_coordinates)

static PyObject* get_memory(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef(((Texels*)self)->memory);
}

static PyObject* get_texel(PyObject* self, void* nothing) {
  (void)nothing;
  return PyLong_FromUnsignedLong(((Texels*)self)->texel);
}

static PyGetSetDef sampler_members[] = {
    {"filter_number", get_filter, NULL, "The filter's number in the C interface.", NULL},
    {"address_number", get_address, NULL, "The number of what is outside.", NULL},
    {"coordinates_number", get_coordinates, NULL, "The number of what coordinates count.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyGetSetDef texels_members[] = {
    {"memory", get_memory, NULL, "The buffer or view.", NULL},
    {"texel_number", get_texel, NULL, "The texel's number in the C interface.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot sampler_slots[] = {{Py_tp_doc, "How a kernel reads an image."},
                                      {Py_tp_new, sampler_new},
                                      {Py_tp_dealloc, sampler_dealloc},
                                      {Py_tp_getset, sampler_members},
                                      {0, NULL}};
static PyType_Slot texels_slots[] = {{Py_tp_doc, "A buffer's bytes as texels."},
                                     {Py_tp_new, texels_new},
                                     {Py_tp_dealloc, texels_dealloc},
                                     {Py_tp_getset, texels_members},
                                     {0, NULL}};
PyType_Spec sampler_spec = {"pintle._native.Sampler", sizeof(Sampler), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                            sampler_slots};
PyType_Spec texels_spec = {"pintle._native.TexelBuffer", sizeof(Texels), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           texels_slots};
