/* Which submissions use a buffer: of each queue, the last one. */
#include "objects.h"

static Use* find(Uses* uses, const Signal* signal) {
  for (size_t i = 0; i < uses->count; ++i)
    if (uses->first[i].signal == signal) return &uses->first[i];
  return NULL;
}

static bool is_reached(const Use* use) {
  const pintle_point point = {sizeof point, 0, {use->signal->base.id}, use->value};
  uint32_t reached = 0;
  return pintle_point_is_reached(&point, &reached, NULL) == PINTLE_OK && reached != 0;
}

enum { batch = 16 };

/* Takes out some of the submissions that have succeeded, and answers how many. What failed stays, since the bytes are
 * undefined. The caller lets go of their signals: that may release one, without the GIL, and other threads then change
 * the uses. */
static size_t take_reached(Uses* uses, Signal* taken[batch]) {
  size_t count = 0;
  for (size_t i = 0; i < uses->count && count < batch;) {
    if (uses->first[i].reserved == 0 && is_reached(&uses->first[i])) {
      taken[count++] = uses->first[i].signal;
      uses->first[i] = uses->first[--uses->count];
    } else {
      ++i;
    }
  }
  return count;
}

static bool grow(Uses* uses) {
  const size_t capacity = uses->capacity == 0 ? 2 : uses->capacity * 2;
  Use* const larger = PyMem_Realloc(uses->first, capacity * sizeof *larger);
  if (larger == NULL) {
    (void)PyErr_NoMemory();
    return false;
  }
  uses->first = larger;
  uses->capacity = capacity;
  return true;
}

/* After it, nothing is known of the uses. */
static bool make_room(Uses* uses) {
  Signal* taken[batch];
  const size_t count = take_reached(uses, taken);
  for (size_t i = 0; i < count; ++i) Py_DECREF((PyObject*)taken[i]);
  return count != 0 || grow(uses);
}

bool uses_reserve(Uses* uses, Signal* signal) {
  Use* use = find(uses, signal);
  while (use == NULL && uses->count == uses->capacity) {
    if (!make_room(uses)) return false;
    use = find(uses, signal);
  }
  if (use == NULL) {
    use = &uses->first[uses->count++];
    *use = (Use){(Signal*)Py_NewRef((PyObject*)signal), 0, 0};
  }
  ++use->reserved;
  return true;
}

void uses_note(Uses* uses, Signal* signal, uint64_t value) {
  Use* const use = find(uses, signal);
  --use->reserved;
  if (value > use->value) use->value = value;
}

static pintle_status wait_for_points(void* call, int64_t timeout, pintle_error* error) {
  const Points* const points = call;
  return pintle_points_wait_all(points->points, points->count, timeout, error);
}

/* A failed one is none of them. */
static bool all_are_reached(const Uses* uses) {
  for (size_t i = 0; i < uses->count; ++i)
    if (!is_reached(&uses->first[i])) return false;
  return true;
}

bool uses_wait(State* state, Uses* uses, int64_t timeout) {
  if (all_are_reached(uses)) return true;
  /* A copy, with references: other threads may note uses while this one waits without the GIL. */
  PyObject* const points = PyList_New(0);
  Points all;
  bool is_made = points != NULL;
  for (size_t i = 0; is_made && i < uses->count; ++i) {
    PyObject* const point = point_make(state, uses->first[i].signal, uses->first[i].value);
    is_made = point != NULL && PyList_Append(points, point) == 0;
    Py_XDECREF(point);
  }
  is_made = is_made && points_take(state, points, "uses", &all);
  Py_XDECREF(points);
  if (!is_made) return false;
  const int failed = block(state, wait_for_points, &all, timeout);
  points_free(&all);
  return failed == 0;
}

/* An exception may be on its way. Where there is no memory for a loan, the object is kept for ever. */
void uses_lend(Uses* uses, PyObject* object) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (size_t i = 0; i < uses->count; ++i) {
    const Use use = uses->first[i];
    if (is_reached(&use)) continue;
    Py_INCREF(object);
    if (loans_prepare(use.signal, object)) loans_add(&use.signal->loans, use.value, object);
    else PyErr_Clear();
  }
  PyErr_Restore(type, value, trace);
}

void uses_free(Uses* uses) {
  const size_t count = uses->count;
  uses->count = uses->capacity = 0;
  Use* const first = uses->first;
  uses->first = NULL;
  for (size_t i = 0; i < count; ++i) Py_DECREF(first[i].signal);
  PyMem_Free(first);
}

int uses_traverse(Uses* uses, visitproc visit, void* arg) {
  for (size_t i = 0; i < uses->count; ++i) Py_VISIT(uses->first[i].signal);
  return 0;
}
