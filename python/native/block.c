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

/* What is left of a timeout. The clock is first read when a slice has passed, so that short calls do not pay for it. */
static int64_t time_left(int64_t timeout, int64_t passed, int64_t* start) {
  const int64_t moment = now();
  if (*start == 0) *start = moment - passed;
  const int64_t left = timeout - (moment - *start);
  return left < 0 ? 0 : left;
}

int block(State* state, Blocking blocking, void* call, int64_t timeout) {
  int64_t start = 0, left = timeout;
  for (int64_t part = first_slice;; part = slice) {
    pintle_error error = PINTLE_ERROR_INIT;
    const int64_t bound = left < part ? left : part;
    PyThreadState* const thread = PyEval_SaveThread();
    const pintle_status status = blocking(call, bound, &error);
    PyEval_RestoreThread(thread);
    if (status == PINTLE_OK) return 0;
    if (status != PINTLE_TIMEOUT || bound == left) {
      (void)raise_error(state, &error);
      return -1;
    }
    (void)pintle_error_free(&error, NULL);
    if (PyErr_CheckSignals() != 0) return -1;
    if (timeout != PINTLE_TIMEOUT_INFINITE) left = time_left(timeout, bound, &start);
  }
}

/* The library's own default, which a slice has to know. It is asked once, since every launch needs it. */
static bool take_default(State* state, int64_t* nanoseconds) {
  static int64_t known = 0;
  pintle_error error = PINTLE_ERROR_INIT;
  if (known == 0 && pintle_default_timeout(&known, &error) != PINTLE_OK) return raise_error(state, &error) != NULL;
  *nanoseconds = known;
  return true;
}

bool take_timeout(State* state, PyObject* seconds, int64_t* nanoseconds) {
  if (seconds == NULL || seconds == Py_None) return take_default(state, nanoseconds);
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
  if (!take_timeout(PyModule_GetState(module), seconds, &nanoseconds)) return NULL;
  return PyLong_FromLongLong(nanoseconds);
}
