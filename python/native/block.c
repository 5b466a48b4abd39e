/* Calls that block: without the GIL, and in slices, between which signal handlers run. So Ctrl-C interrupts every one
 * of them. */
#include "native.h"

#include <math.h>
#include <time.h>

static const int64_t first_slice = 10 * 1000000; /* Nanoseconds. */
static const int64_t slice = 50 * 1000000;

static int64_t now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The library's own default, which a slice has to know. It is asked once, since every launch needs it. */
static bool take_default(State* state, int64_t* nanoseconds) {
  static int64_t known = 0;
  pintle_error error = PINTLE_ERROR_INIT;
  if (known == 0 && pintle_default_timeout(&known, &error) != PINTLE_OK) return raise_error(state, &error) != NULL;
  *nanoseconds = known;
  return true;
}

/* The library cannot say it: it sees slices only. */
static void note_default(int64_t nanoseconds) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject* const note = PyUnicode_FromFormat(
      "The call had the default deadline (%lld ms); a timeout in the call or PINTLE_TIMEOUT_MS sets another.",
      (long long)(nanoseconds / 1000000));
  PyObject* const noted = note == NULL ? NULL : PyObject_CallMethod(value, "add_note", "O", note);
  Py_XDECREF(noted);
  Py_XDECREF(note);
  PyErr_Restore(type, value, trace); /* in place of what went wrong here */
}

int block(State* state, Blocking blocking, void* call, int64_t given) {
  int64_t timeout = given;
  if (given == PINTLE_TIMEOUT_DEFAULT && !take_default(state, &timeout)) return -1;
  /* The clock is first read when a slice has passed, so that short calls do not pay for it. */
  int64_t begun = 0, end = 0, left = timeout;
  for (int64_t part = first_slice;; part = slice) {
    pintle_error error = PINTLE_ERROR_INIT;
    const int64_t bound = left < part ? left : part;
    PyThreadState* const thread = PyEval_SaveThread();
    const pintle_status status = blocking(call, bound, &error);
    PyEval_RestoreThread(thread);
    if (status == PINTLE_OK) return 0;
    const int64_t passed = begun == 0 ? bound : now() - begun;
    const bool is_late = status == PINTLE_TIMEOUT && passed >= bound; /* A point may have failed with that code. */
    if (!is_late || bound == left) {
      (void)raise_error(state, &error);
      if (is_late && given == PINTLE_TIMEOUT_DEFAULT) note_default(timeout);
      return -1;
    }
    (void)pintle_error_free(&error, NULL);
    if (PyErr_CheckSignals() != 0) return -1;
    const bool is_first = begun == 0;
    begun = now();
    if (timeout == PINTLE_TIMEOUT_INFINITE) continue;
    if (is_first) end = begun - passed + timeout;
    left = end > begun ? end - begun : 0;
  }
}

bool take_timeout(State* state, PyObject* seconds, int64_t* nanoseconds) {
  *nanoseconds = PINTLE_TIMEOUT_DEFAULT;
  if (seconds == NULL || seconds == Py_None) return true;
  const double value = PyFloat_AsDouble(seconds);
  if (value == -1 && PyErr_Occurred()) return false;
  if (!(value >= 0)) { /* NaN too */
    PyObject* const text = shown(seconds);
    if (text != NULL)
      (void)refuse(state, PINTLE_INVALID_ARGUMENT, "The timeout (%U s) is not 0 or more seconds.", text);
    Py_XDECREF(text);
    return false;
  }
  *nanoseconds = value >= 9.2e9 ? PINTLE_TIMEOUT_INFINITE : (int64_t)(value * 1e9);
  return true;
}

PyObject* nanoseconds_of(PyObject* module, PyObject* seconds) {
  int64_t nanoseconds;
  State* const state = PyModule_GetState(module);
  if (!take_timeout(state, seconds, &nanoseconds)) return NULL;
  if (nanoseconds == PINTLE_TIMEOUT_DEFAULT && !take_default(state, &nanoseconds)) return NULL;
  return PyLong_FromLongLong(nanoseconds);
}
