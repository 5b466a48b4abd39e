/* Queues: what they are, and how a submission notes the buffers that it uses. */
#include "objects.h"

static PyObject* queue_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  State* const state = state_of_type(type);
  unsigned long long id;
  PyObject *device, *signal;
  (void)keywords;
  if (state == NULL || !PyArg_ParseTuple(arguments, "KOO!", &id, &device, state->signal, &signal)) return NULL;
  Queue* const self = (Queue*)handle_make(type, kind_queue, id, device);
  if (self != NULL) self->signal = (Signal*)Py_NewRef(signal);
  return (PyObject*)self;
}

static int queue_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(((Queue*)self)->signal);
  return handle_traverse(self, visit, arg);
}

/* The signal stays, since a thread may be inside a call; it leads to nothing that leads back. */
static void queue_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(((Queue*)self)->signal);
  handle_dealloc(self);
}

pintle_submit_options options_of(const Points* after, const Points* signal, int64_t timeout) {
  return (pintle_submit_options){.size = sizeof(pintle_submit_options),
                                 .after = after->points,
                                 .after_count = after->count,
                                 .signal = signal->points,
                                 .signal_count = signal->count,
                                 .timeout = timeout == 0 ? 1 : timeout}; /* for the library, 0 is the default */
}

void note_all(Queue* queue, Buffer* const* buffers, size_t count, uint64_t value) {
  for (size_t i = 0; i < count; ++i) uses_note(&buffers[i]->uses, queue->signal, value);
}

bool reserve_all(Queue* queue, Buffer* const* buffers, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (uses_reserve(&buffers[i]->uses, queue->signal)) continue;
    note_all(queue, buffers, i, 0);
    return false;
  }
  return true;
}

static PyObject* queue_last(PyObject* object, PyObject* nothing) {
  Queue* const self = (Queue*)object;
  State* const state = self->base.state;
  pintle_error error = PINTLE_ERROR_INIT;
  pintle_point point = {.size = sizeof point};
  (void)nothing;
  if (!is_live(&self->base)) return NULL;
  PyThreadState* const thread = PyEval_SaveThread();
  lock(&self->base);
  const pintle_status status = pintle_queue_last((pintle_queue){self->base.id}, &point, &error);
  unlock(&self->base);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) return raise_error(state, &error);
  return point_make(state, self->signal, point.value);
}

/* The handle of a fork of the buffer. Python makes the object. */
static PyObject* queue_fork(PyObject* object, PyObject* arguments) {
  Queue* const self = (Queue*)object;
  State* const state = self->base.state;
  pintle_error error = PINTLE_ERROR_INIT;
  pintle_buffer fork;
  const char* label;
  Buffer* buffer;
  if (!PyArg_ParseTuple(arguments, "O!z", state->buffer, &buffer, &label) || !is_live(&self->base) ||
      !is_live(&buffer->base) || !reserve_all(self, &buffer, 1))
    return NULL;
  pintle_point last = {.size = sizeof last};
  PyThreadState* const thread = PyEval_SaveThread();
  lock(&self->base); /* always before a buffer's */
  lock(&buffer->base);
  const pintle_queue queue = {self->base.id};
  const pintle_status status = pintle_queue_fork(queue, (pintle_buffer){buffer->base.id}, label, &fork, &error);
  if (status == PINTLE_OK) (void)pintle_queue_last(queue, &last, NULL); /* it may have submitted a copy */
  unlock(&buffer->base);
  unlock(&self->base);
  PyEval_RestoreThread(thread);
  note_all(self, &buffer, 1, status == PINTLE_OK ? last.value : 0);
  if (status != PINTLE_OK) return raise_error(state, &error);
  return PyLong_FromUnsignedLongLong(fork.id);
}

static PyObject* get_device(PyObject* self, void* nothing) {
  (void)nothing;
  PyObject* const owner = ((Handle*)self)->owner;
  return Py_NewRef(owner == NULL ? Py_None : owner);
}

static PyObject* get_signal(PyObject* self, void* nothing) {
  (void)nothing;
  return Py_NewRef((PyObject*)((Queue*)self)->signal);
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"launch", FAST(queue_launch),
     "launch($self, kernel, /, *arguments, items=None, groups=None, after=(), signal=(), timeout=None, "
     "label=None)\n--\n\n"
     "Submits one launch and answers its point. `items` counts work-items, which are rounded up to whole groups; "
     "`groups` counts work-groups. The work starts when every point of `after` is reached. `signal`: points that are "
     "reached when the work is done, and fail with it. Blocks only while the queue is full, for `timeout` seconds at "
     "most. After an error nothing was submitted."},
    {"submit", FAST(queue_submit),
     "submit($self, *commands, after=(), signal=(), timeout=None, label=None)\n--\n\nSubmits the commands as one list "
     "and "
     "answers its point. `signal`: points "
     "that are reached when the work is done, and fail with it. `timeout`: seconds to wait for room in a full queue. "
     "After an error nothing was "
     "submitted."},
    {"replay", FAST(queue_replay),
     "replay($self, recording, /, *bindings, after=(), signal=(), timeout=None, label=None)\n--\n\nSubmits a recording "
     "and answers its point; the i-th binding "
     "fills slot i: a buffer, a view or a number for an argument; an array in C order, of the dtype and size that the "
     "recording has, for an upload or a download. It is kept until the point is reached; until then nobody may write "
     "the array of an upload, or use that of a download. Otherwise as launch."},
    {"allocate_handle", queue_allocate, METH_VARARGS, "The handle of a buffer of a pool."},
    {"free", queue_free, METH_O,
     "free($self, buffer, /)\n--\n\nGives a buffer back, of a pool or not, which is closed then; never blocks. Its "
     "memory is free for work that comes after everything submitted to this queue so far, and after every submission "
     "that uses the buffer. Where an array has the bytes, they stay until that goes. pintle.InvalidArgument, with "
     "nothing done, for a buffer of another device or of an arena, a handle or a heap."},
    {"fork_handle", queue_fork, METH_VARARGS, "The handle of a fork."},
    {"last", queue_last, METH_NOARGS, "The point of the last submission; reached on a fresh queue."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef members[] = {
    {"device", get_device, NULL, "The device.", NULL},
    {"signal", get_signal, NULL,
     "The queue's timeline, which rises by one with each submission and outlives the queue.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "Runs submissions in order."},
                              {Py_tp_new, queue_new},
                              {Py_tp_dealloc, queue_dealloc},
                              {Py_tp_traverse, queue_traverse},
                              {Py_tp_clear, handle_clear},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, members},
                              {0, NULL}};
PyType_Spec queue_spec = {"pintle._native.Queue", sizeof(Queue), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
