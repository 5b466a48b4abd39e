/* A descriptor that becomes readable when a point is reached or fails, for event loops. The library keeps no
 * descriptor: closing an alarm closes all that there is, whatever becomes of the point. */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "objects.h"

/* What the callback and the alarm share. The last of the two frees it. */
typedef struct Bell {
  pthread_mutex_t mutex; /* Held while the descriptor is written or closed. Taken without the GIL, or for a moment. */
  int descriptor;        /* -1: closed. */
  int owners;
} Bell;

typedef struct Alarm {
  PyObject head;
  Bell* bell;
} Alarm;

static void leave(Bell* bell, bool is_alarm) {
  (void)pthread_mutex_lock(&bell->mutex);
  if (is_alarm && bell->descriptor >= 0) (void)close(bell->descriptor);
  if (is_alarm) bell->descriptor = -1;
  const int owners = --bell->owners;
  (void)pthread_mutex_unlock(&bell->mutex);
  if (owners != 0) return;
  (void)pthread_mutex_destroy(&bell->mutex);
  free(bell);
}

static void ring(void* data, pintle_status status, const pintle_error* failure) {
  Bell* const bell = data;
  const uint64_t one = 1;
  (void)status;
  (void)failure;
  (void)pthread_mutex_lock(&bell->mutex);
  if (bell->descriptor >= 0) (void)!write(bell->descriptor, &one, sizeof one); /* a fresh eventfd takes it */
  (void)pthread_mutex_unlock(&bell->mutex);
  leave(bell, false);
}

static Bell* bell_make(void) {
  Bell* const bell = calloc(1, sizeof *bell);
  if (bell == NULL) return (Bell*)PyErr_NoMemory();
  bell->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell->descriptor < 0) {
    (void)PyErr_SetFromErrno(PyExc_OSError);
    free(bell);
    return NULL;
  }
  (void)pthread_mutex_init(&bell->mutex, NULL);
  bell->owners = 1;
  return bell;
}

PyObject* point_alarm(PyObject* object, PyObject* nothing) {
  Signal* const signal = ((Point*)object)->signal;
  State* const state = signal->base.state;
  pintle_error error = PINTLE_ERROR_INIT;
  const pintle_point point = {sizeof point, 0, {signal->base.id}, ((Point*)object)->value};
  (void)nothing;
  if (!is_live(&signal->base)) return NULL;
  Alarm* const self = (Alarm*)PyType_GenericAlloc(state->alarm, 0);
  if (self == NULL || (self->bell = bell_make()) == NULL) {
    Py_XDECREF((PyObject*)self);
    return NULL;
  }
  ++self->bell->owners; /* the callback, which may run before the call returns */
  if (pintle_point_then(&point, ring, self->bell, PINTLE_TIMEOUT_INFINITE, &error) == PINTLE_OK) return (PyObject*)self;
  --self->bell->owners;
  Py_DECREF((PyObject*)self);
  return raise_error(state, &error);
}

static void end(Alarm* self) {
  Bell* const bell = self->bell;
  self->bell = NULL;
  if (bell != NULL) leave(bell, true);
}

static PyObject* alarm_fileno(PyObject* self, PyObject* nothing) {
  const Bell* const bell = ((Alarm*)self)->bell;
  (void)nothing;
  if (bell != NULL) return PyLong_FromLong(bell->descriptor);
  PyErr_SetString(PyExc_ValueError, "The alarm is closed.");
  return NULL;
}

static PyObject* alarm_close(PyObject* self, PyObject* nothing) {
  (void)nothing;
  end((Alarm*)self);
  Py_RETURN_NONE;
}

static void alarm_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  end((Alarm*)self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {{"fileno", alarm_fileno, METH_NOARGS, "The descriptor."},
                                {"close", alarm_close, METH_NOARGS, "Closes the descriptor."},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "A descriptor that becomes readable when a point is reached or fails."},
                              {Py_tp_dealloc, alarm_dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec alarm_spec = {"pintle._native.Alarm", sizeof(Alarm), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
