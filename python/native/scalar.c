/* Numbers of Python as elements. Nothing is rounded into an integer, and nothing is cut off. */
#include "objects.h"

#include <math.h>
#include <string.h>

typedef struct Range {
  uint32_t dtype;
  uint8_t bytes;
  bool is_integer;
  int64_t least;
  uint64_t most;
  const char* name;
} Range;

static const Range ranges[] = {
    {PINTLE_BOOL, 1, true, 0, 1, "bool"},
    {PINTLE_I8, 1, true, INT8_MIN, INT8_MAX, "i8"},
    {PINTLE_I16, 2, true, INT16_MIN, INT16_MAX, "i16"},
    {PINTLE_I32, 4, true, INT32_MIN, INT32_MAX, "i32"},
    {PINTLE_I64, 8, true, INT64_MIN, INT64_MAX, "i64"},
    {PINTLE_U8, 1, true, 0, UINT8_MAX, "u8"},
    {PINTLE_U16, 2, true, 0, UINT16_MAX, "u16"},
    {PINTLE_U32, 4, true, 0, UINT32_MAX, "u32"},
    {PINTLE_U64, 8, true, 0, UINT64_MAX, "u64"},
    {PINTLE_F16, 2, false, 0, 0, "f16"},
    {PINTLE_BF16, 2, false, 0, 0, "bf16"},
    {PINTLE_F32, 4, false, 0, 0, "f32"},
    {PINTLE_F64, 8, false, 0, 0, "f64"},
    {PINTLE_F8_E4M3FN, 1, false, 0, 0, "f8_e4m3fn"},
    {PINTLE_F8_E5M2, 1, false, 0, 0, "f8_e5m2"},
    {PINTLE_COMPLEX64, 8, false, 0, 0, "complex64"},
};

static const Range* range_of(uint32_t dtype) {
  return dtype == 0 || dtype > PINTLE_COMPLEX64 ? NULL : &ranges[dtype - 1];
}

size_t element_bytes(uint32_t dtype) {
  const Range* const range = range_of(dtype);
  return range == NULL ? 0 : range->bytes;
}

/* What is being written, for messages. */
typedef struct Target {
  State* state;
  const Range* range;
  PyObject* entry;
  PyObject* name;
} Target;

static bool is_of_wrong_type(const Target* target, PyObject* object, const char* wanted) {
  PyObject* const type = PyType_GetName(Py_TYPE(object));
  if (type != NULL)
    PyErr_Format(PyExc_TypeError, "The argument [%U] of [%U] takes %s (%s), not a %U.", target->name, target->entry,
                 wanted, target->range->name, type);
  Py_XDECREF(type);
  return false;
}

static bool is_out_of_range(const Target* target, PyObject* object) {
  const Range* const range = target->range;
  PyObject* const text = shown(object);
  if (text == NULL) return false;
  if (range->is_integer) {
    (void)refuse(target->state, PINTLE_INVALID_ARGUMENT,
                 "The value (%U) of the argument [%U] of [%U] is outside of %s: %lld to %llu.", text, target->name,
                 target->entry, range->name, (long long)range->least, (unsigned long long)range->most);
  } else {
    (void)refuse(target->state, PINTLE_INVALID_ARGUMENT,
                 "The value (%U) of the argument [%U] of [%U] is beyond the largest %s.", text, target->name,
                 target->entry, range->name);
  }
  Py_DECREF(text);
  return false;
}

static bool take_large(const Target* target, PyObject* index, void* out) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(index);
  if (value == (unsigned long long)-1 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
    PyErr_Clear();
    return is_out_of_range(target, index);
  }
  if (value > target->range->most) return is_out_of_range(target, index);
  memcpy(out, &value, target->range->bytes);
  return true;
}

static bool take_index(const Target* target, PyObject* index, void* out) {
  int overflow;
  const long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
  if (value == -1 && overflow == 0 && PyErr_Occurred()) return false;
  if (overflow > 0) return take_large(target, index, out);
  if (overflow < 0 || value < target->range->least || (value > 0 && (unsigned long long)value > target->range->most))
    return is_out_of_range(target, index);
  memcpy(out, &value, target->range->bytes);
  return true;
}

static bool take_integer(const Target* target, PyObject* object, void* out) {
  if (PyLong_CheckExact(object)) return take_index(target, object, out);
  if (!PyIndex_Check(object)) return is_of_wrong_type(target, object, "an integer");
  PyObject* const index = PyNumber_Index(object);
  if (index == NULL) return false;
  const bool is_taken = take_index(target, index, out);
  Py_DECREF(index);
  return is_taken;
}

/* True, False, 0, 1 and a bool of NumPy, which is one byte in the buffer protocol. */
static bool take_bool(const Target* target, PyObject* object, void* out) {
  if (PyBool_Check(object)) {
    *(unsigned char*)out = object == Py_True;
    return true;
  }
  Py_buffer view;
  if (!PyObject_CheckBuffer(object))
    return PyIndex_Check(object) ? take_integer(target, object, out)
                                 : is_of_wrong_type(target, object, "True or False");
  if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT) != 0) return false;
  const bool is_bool = view.len == 1 && view.format != NULL && strcmp(view.format, "?") == 0;
  if (is_bool) *(unsigned char*)out = *(const unsigned char*)view.buf != 0;
  PyBuffer_Release(&view);
  if (!is_bool && PyIndex_Check(object)) return take_integer(target, object, out); /* an integer of NumPy */
  return is_bool || is_of_wrong_type(target, object, "True or False");
}

/* Converts as the library does: the value is rounded first. */
static bool take_small_float(const Target* target, PyObject* object, double value, void* out) {
  pintle_error error = PINTLE_ERROR_INIT;
  const pintle_conversion how = {
      .size = sizeof how, .from = PINTLE_F64, .to = target->range->dtype, .overflow = PINTLE_OVERFLOW_ERROR};
  const bool is_finite = isfinite(value);
  pintle_conversion loose = how;
  loose.overflow = PINTLE_OVERFLOW_INFINITY;
  if (pintle_conversion_run(is_finite ? &how : &loose, out, target->range->bytes, &value, sizeof value, &error) ==
      PINTLE_OK)
    return true;
  if (error.code != PINTLE_INVALID_ARGUMENT) return raise_error(target->state, &error) != NULL;
  (void)pintle_error_free(&error, NULL);
  return is_out_of_range(target, object);
}

static bool write_float(const Target* target, PyObject* object, double value, void* out) {
  if (target->range->dtype == PINTLE_F64) {
    memcpy(out, &value, sizeof value);
    return true;
  }
  if (target->range->dtype != PINTLE_F32) return take_small_float(target, object, value, out);
  const float rounded = (float)value;
  if (isinf(rounded) && !isinf(value)) return is_out_of_range(target, object);
  memcpy(out, &rounded, sizeof rounded);
  return true;
}

static bool take_float(const Target* target, PyObject* object, void* out) {
  const double value = PyFloat_AsDouble(object);
  if (value != -1 || !PyErr_Occurred()) return write_float(target, object, value, out);
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) { /* an int beyond every float */
    PyErr_Clear();
    return is_out_of_range(target, object);
  }
  if (!PyErr_ExceptionMatches(PyExc_TypeError) || PyNumber_Check(object)) return false;
  PyErr_Clear();
  return is_of_wrong_type(target, object, "a number");
}

static bool take_complex(const Target* target, PyObject* object, void* out) {
  if (!PyComplex_Check(object)) {
    const float nothing = 0;
    const Target real = {target->state, range_of(PINTLE_F32), target->entry, target->name};
    memcpy((char*)out + sizeof nothing, &nothing, sizeof nothing);
    return take_float(&real, object, out);
  }
  const double parts[2] = {PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
  for (int i = 0; i < 2; ++i) {
    const float rounded = (float)parts[i];
    if (isinf(rounded) && !isinf(parts[i])) return is_out_of_range(target, object);
    memcpy((char*)out + (size_t)i * sizeof rounded, &rounded, sizeof rounded);
  }
  return true;
}

bool scalar_take(State* state, PyObject* object, uint32_t dtype, PyObject* entry, PyObject* name, void* out) {
  const Target target = {state, range_of(dtype), entry, name};
  if (target.range == NULL)
    return refuse(state, PINTLE_INTERNAL, "The number (%u) is no dtype that this package knows.", (unsigned)dtype) !=
           NULL;
  if (dtype == PINTLE_BOOL) return take_bool(&target, object, out);
  if (target.range->is_integer) return take_integer(&target, object, out);
  if (dtype == PINTLE_COMPLEX64) return take_complex(&target, object, out);
  return take_float(&target, object, out);
}
