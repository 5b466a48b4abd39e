/* What the library tells on threads of its own: points that are reached, and messages of its log. They are put on a
 * list; a thread of Python's sleeps on a descriptor, takes the list, and calls what is to be called. */
#include "objects.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { message_limit = 10000 }; /* Messages of the log that wait for Python; more are lost. */

typedef struct Notice {
  struct Notice* next;
  uint64_t token;
  uint32_t level; /* 0: a point. */
  char* category; /* With the message behind it. */
  char* message;
} Notice;

static _Atomic(Notice*) noticed = NULL;
static atomic_int message_count = 0;
static atomic_int descriptor = -1;

static void notice(Notice* one) {
  const uint64_t number = 1;
  Notice* next = atomic_load_explicit(&noticed, memory_order_relaxed);
  do one->next = next;
  while (!atomic_compare_exchange_weak_explicit(&noticed, &next, one, memory_order_release, memory_order_relaxed));
  (void)!write(atomic_load(&descriptor), &number, sizeof number); /* it takes it, or is readable already */
}

static void notice_point(void* data, pintle_status status, const pintle_error* failure) {
  (void)status;
  (void)failure;
  notice(data);
}

static void notice_message(void* data, uint32_t level, const char* category, const char* message) {
  const size_t length = strlen(category), size = strlen(message) + 1;
  (void)data;
  if (atomic_fetch_add(&message_count, 1) >= message_limit) {
    (void)atomic_fetch_sub(&message_count, 1);
    return;
  }
  Notice* const one = malloc(sizeof *one + length + 1 + size);
  if (one == NULL) {
    (void)atomic_fetch_sub(&message_count, 1);
    return;
  }
  *one = (Notice){NULL, 0, level, (char*)(one + 1), (char*)(one + 1) + length + 1};
  memcpy(one->category, category, length + 1);
  memcpy(one->message, message, size);
  notice(one);
}

PyObject* point_notify(PyObject* object, PyObject* token) {
  const Point* const self = (Point*)object;
  State* const state = self->signal->base.state;
  pintle_error error = PINTLE_ERROR_INIT;
  const pintle_point point = {sizeof point, 0, {self->signal->base.id}, self->value};
  const unsigned long long number = PyLong_AsUnsignedLongLong(token);
  if ((number == (unsigned long long)-1 && PyErr_Occurred()) || !is_live(&self->signal->base)) return NULL;
  Notice* const one = calloc(1, sizeof *one);
  if (one == NULL) return PyErr_NoMemory();
  one->token = number;
  if (pintle_point_then(&point, notice_point, one, PINTLE_TIMEOUT_INFINITE, &error) == PINTLE_OK) Py_RETURN_NONE;
  free(one);
  return raise_error(state, &error);
}

static PyObject* notices_open(PyObject* module, PyObject* nothing) {
  (void)module;
  (void)nothing;
  if (atomic_load(&descriptor) < 0) {
    const int made = eventfd(0, EFD_CLOEXEC);
    if (made < 0) return PyErr_SetFromErrno(PyExc_OSError);
    atomic_store(&descriptor, made);
  }
  return PyLong_FromLong(atomic_load(&descriptor));
}

static PyObject* tuple_of(const Notice* one) {
  if (one->level == 0) return Py_BuildValue("(K)", (unsigned long long)one->token);
  return Py_BuildValue("(INN)", (unsigned)one->level, text_or_none(one->category), text_or_none(one->message));
}

/* Makes the last one first. */
static Notice* reversed(Notice* last) {
  Notice* first = NULL;
  while (last != NULL) {
    Notice* const next = last->next;
    last->next = first;
    first = last;
    last = next;
  }
  return first;
}

static PyObject* notices_take(PyObject* module, PyObject* nothing) {
  PyObject* const all = PyList_New(0);
  (void)module;
  (void)nothing;
  if (all == NULL) return NULL;
  Notice* one = reversed(atomic_exchange_explicit(&noticed, NULL, memory_order_acquire));
  bool is_whole = true;
  while (one != NULL) {
    Notice* const next = one->next;
    PyObject* const tuple = is_whole ? tuple_of(one) : NULL;
    is_whole = tuple != NULL && PyList_Append(all, tuple) == 0;
    Py_XDECREF(tuple);
    if (one->level != 0) (void)atomic_fetch_sub(&message_count, 1);
    free(one);
    one = next;
  }
  if (is_whole) return all;
  Py_DECREF(all);
  return NULL;
}

static PyObject* set_log(PyObject* module, bool is_on, uint32_t level) {
  pintle_error error = PINTLE_ERROR_INIT;
  PyThreadState* const thread = PyEval_SaveThread(); /* it waits for a callback that runs */
  const pintle_status status =
      is_on ? pintle_log_set_callback(notice_message, NULL, level, &error) : pintle_log_clear_callback(&error);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) return raise_error(PyModule_GetState(module), &error);
  Py_RETURN_NONE;
}

static PyObject* log_open(PyObject* module, PyObject* level) {
  const unsigned long number = PyLong_AsUnsignedLong(level);
  if (number == (unsigned long)-1 && PyErr_Occurred()) return NULL;
  return set_log(module, true, number > PINTLE_LOG_DEBUG ? PINTLE_LOG_DEBUG : (uint32_t)number);
}

static PyObject* log_close(PyObject* module, PyObject* nothing) {
  (void)nothing;
  return set_log(module, false, 0);
}

PyMethodDef notice_functions[] = {
    {"notices_open", notices_open, METH_NOARGS, "A descriptor that is readable when there are notices."},
    {"notices_take", notices_take, METH_NOARGS, "The notices since the last call, in their order."},
    {"log_open", log_open, METH_O, "Sends the library's log to the notices."},
    {"log_close", log_close, METH_NOARGS, "Ends that."},
    {NULL, NULL, 0, NULL}};
