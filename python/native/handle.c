/* Handles: objects of the library that a Python object owns. Each is released once. */
#include "native.h"

#include <time.h>

static volatile int is_forked_child = 0;

static void enter_child(void) { is_forked_child = 1; }

void watch_forks(void) {
  static bool is_watching = false;
  if (!is_watching) is_watching = pthread_atfork(NULL, NULL, enter_child) == 0;
}

void lock(Handle* self) {
  if (!is_forked_child) (void)pthread_mutex_lock(&self->mutex);
}

bool lock_within(Handle* self, int64_t nanoseconds) {
  struct timespec until;
  if (is_forked_child || pthread_mutex_trylock(&self->mutex) == 0) return true;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t end = until.tv_nsec + nanoseconds;
  until.tv_sec += end / 1000000000;
  until.tv_nsec = end % 1000000000;
  return pthread_mutex_clocklock(&self->mutex, CLOCK_MONOTONIC, &until) == 0;
}

void unlock(Handle* self) {
  if (!is_forked_child) (void)pthread_mutex_unlock(&self->mutex);
}

static void release(HandleKind kind, uint64_t id) {
  switch (kind) {
    case kind_device: (void)pintle_device_release((pintle_device){id}, NULL); break;
    case kind_pack: (void)pintle_pack_release((pintle_pack){id}, NULL); break;
    case kind_program: (void)pintle_program_release((pintle_program){id}, NULL); break;
    case kind_kernel: (void)pintle_kernel_release((pintle_kernel){id}, NULL); break;
    case kind_buffer: (void)pintle_buffer_release((pintle_buffer){id}, NULL); break;
    case kind_queue: (void)pintle_queue_release((pintle_queue){id}, NULL); break;
    case kind_signal: (void)pintle_signal_release((pintle_signal){id}, NULL); break;
    case kind_recording: (void)pintle_recording_release((pintle_recording){id}, NULL); break;
    case kind_pool: (void)pintle_pool_release((pintle_pool){id}, NULL); break;
    case kind_plan: (void)pintle_plan_release((pintle_plan){id}, NULL); break;
    case kind_arena: (void)pintle_arena_release((pintle_arena){id}, NULL); break;
    case kind_state: (void)pintle_state_release((pintle_state){id}, NULL); break;
    case kind_state_set: (void)pintle_state_set_release((pintle_state_set){id}, NULL); break;
    case kind_image: (void)pintle_image_release((pintle_image){id}, NULL); break;
    case kind_rank_group: (void)pintle_rank_group_release((pintle_rank_group){id}, NULL); break;
    case kind_group_queue: (void)pintle_group_queue_release((pintle_group_queue){id}, NULL); break;
    case kind_symmetric_heap: (void)pintle_symmetric_heap_release((pintle_symmetric_heap){id}, NULL); break;
    case kind_lent: break;
  }
}

/* The last object of a device drains it, so this may block. */
static void release_open(HandleKind kind, uint64_t id) {
  PyThreadState* const thread = PyEval_SaveThread();
  release(kind, id);
  PyEval_RestoreThread(thread);
}

static void close_handle(Handle* self) {
  if (self->is_closed) return;
  self->is_closed = true;
  if (self->id != 0 && self->uses == 0) release_open(self->kind, self->id);
}

void handle_unuse(Handle* self) {
  if (--self->uses == 0 && self->is_closed) release_open(self->kind, self->id);
}

bool is_live(Handle* self) {
  if (!self->is_closed) return true;
  PyObject* const name = PyType_GetName(Py_TYPE((PyObject*)self));
  if (name != NULL) (void)refuse(self->state, PINTLE_STALE, "The %U is closed.", name);
  Py_XDECREF(name);
  return false;
}

int is_same_device(const Handle* one, const Handle* other, PyObject* ids[2]) {
  ids[0] = ids[1] = NULL;
  if (one->owner == other->owner || one->owner == NULL || other->owner == NULL) return 1;
  ids[0] = PyObject_GetAttrString(one->owner, "id");
  ids[1] = ids[0] == NULL ? NULL : PyObject_GetAttrString(other->owner, "id");
  return ids[1] == NULL ? -1 : PyObject_RichCompareBool(ids[0], ids[1], Py_EQ);
}

/* Whoever has the turn may run Python code, which may use the object again: a callback, a finalizer, a signal handler.
 */
static void make_mutex(pthread_mutex_t* mutex) {
  pthread_mutexattr_t attributes;
  (void)pthread_mutexattr_init(&attributes);
  (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  (void)pthread_mutex_init(mutex, &attributes);
  (void)pthread_mutexattr_destroy(&attributes);
}

Handle* handle_make(PyTypeObject* type, HandleKind kind, uint64_t id, PyObject* owner) {
  State* const state = state_of_type(type);
  Handle* const self = state == NULL ? NULL : (Handle*)PyType_GenericAlloc(type, 0);
  if (self == NULL) {
    release(kind, id);
    return NULL;
  }
  self->state = state;
  self->id = id;
  self->kind = kind;
  make_mutex(&self->mutex);
  Py_XINCREF(owner);
  self->owner = owner;
  return self;
}

static PyObject* handle_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  unsigned long long id;
  int kind;
  (void)keywords;
  if (!PyArg_ParseTuple(arguments, "Ki", &id, &kind)) return NULL;
  if (kind < kind_device || kind >= kind_lent) {
    PyErr_Format(PyExc_ValueError, "The kind of handle (%d) is none: 1 to %d.", kind, (int)kind_lent - 1);
    return NULL;
  }
  return (PyObject*)handle_make(type, (HandleKind)kind, id, NULL);
}

int handle_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((Handle*)self)->owner);
  return 0;
}

int handle_clear(PyObject* self) {
  Py_CLEAR(((Handle*)self)->owner);
  return 0;
}

void handle_dealloc(PyObject* object) {
  Handle* const self = (Handle*)object;
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  close_handle(self);
  (void)handle_clear(object);
  (void)pthread_mutex_destroy(&self->mutex);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* handle_close(PyObject* self, PyObject* nothing) {
  (void)nothing;
  close_handle((Handle*)self);
  drop_now();
  Py_RETURN_NONE;
}

static PyObject* handle_enter(PyObject* self, PyObject* nothing) {
  (void)nothing;
  if (!is_live((Handle*)self)) return NULL;
  return Py_NewRef(self);
}

static PyObject* handle_exit(PyObject* self, PyObject* exception) {
  (void)exception;
  return handle_close(self, NULL);
}

static PyObject* handle_id(PyObject* self, void* nothing) {
  (void)nothing;
  if (!is_live((Handle*)self)) return NULL;
  return PyLong_FromUnsignedLongLong(((Handle*)self)->id);
}

static PyObject* handle_closed(PyObject* self, void* nothing) {
  (void)nothing;
  return PyBool_FromLong(((Handle*)self)->is_closed);
}

static PyMethodDef methods[] = {{"close", handle_close, METH_NOARGS,
                                 "Lets go of the object; its work in flight goes on. A second call does nothing."},
                                {"__enter__", handle_enter, METH_NOARGS, NULL},
                                {"__exit__", handle_exit, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {
    {"handle", handle_id, NULL, "The number of the object in the C interface. pintle.Stale after close().", NULL},
    {"closed", handle_closed, NULL, "Whether close() was called.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "An object of the library."},
                              {Py_tp_new, handle_new},
                              {Py_tp_dealloc, handle_dealloc},
                              {Py_tp_traverse, handle_traverse},
                              {Py_tp_clear, handle_clear},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {0, NULL}};
PyType_Spec handle_spec = {"pintle._native.Handle", sizeof(Handle), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
