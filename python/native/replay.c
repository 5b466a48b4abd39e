/* Queue.replay: a recording with values in its slots. */
#include "objects.h"

typedef struct Replay {
  Queue* queue;
  Recording* recording;
  const char* label;
  int64_t timeout; /* Nanoseconds to wait for room. */
  Points after, signal;
  pintle_point done;
  pintle_argument* bindings;
  Buffer** buffers; /* Those that are bound. */
  size_t buffer_count;
  PyObject* arrays; /* A list of the memory that is bound; NULL: none. */
  pintle_argument few[8];
  Buffer* few_buffers[8];
} Replay;

static pintle_status try_replay(void* call, int64_t timeout, pintle_error* error) {
  Replay* const replay = call;
  pintle_submit_options options = options_of(&replay->after, &replay->signal, timeout);
  options.label = replay->label;
  lock(&replay->queue->base);
  const pintle_status status =
      pintle_queue_replay((pintle_queue){replay->queue->base.id}, (pintle_recording){replay->recording->base.id},
                          replay->bindings, replay->recording->slot_count, &options, &replay->done, error);
  unlock(&replay->queue->base);
  return status;
}

static bool binding_take(Replay* replay, size_t i, PyObject* object) {
  const SlotUse* const use = &replay->recording->slots[i];
  State* const state = replay->recording->base.state;
  Buffer* buffer = NULL;
  if (use->kind == slot_unused) { /* no command has the slot: any value is right */
    replay->bindings[i] =
        (pintle_argument){.size = sizeof(pintle_argument), .kind = PINTLE_ARGUMENT_SCALAR, .dtype = PINTLE_U8};
    return true;
  }
  if (Py_TYPE(object) == state->slot) {
    PyErr_SetString(PyExc_TypeError, "A slot cannot be bound to a slot.");
    return false;
  }
  if (use->kind != slot_argument)
    return array_take(replay->recording, i, object, &replay->bindings[i], &replay->arrays);
  if (!argument_take(state, &use->parameter, use->entry, object, &replay->bindings[i], &buffer, NULL)) return false;
  if (buffer != NULL) replay->buffers[replay->buffer_count++] = buffer;
  return true;
}

static bool allocate(Replay* replay) {
  const size_t count = replay->recording->slot_count;
  replay->bindings = replay->few;
  replay->buffers = replay->few_buffers;
  if (count <= sizeof replay->few / sizeof *replay->few) return true;
  replay->bindings = PyMem_Calloc(count, sizeof *replay->bindings);
  replay->buffers = PyMem_Calloc(count, sizeof *replay->buffers);
  if (replay->bindings != NULL && replay->buffers != NULL) return true;
  PyMem_Free(replay->bindings);
  PyMem_Free(replay->buffers);
  (void)PyErr_NoMemory();
  return false;
}

static void release(Replay* replay) {
  Py_CLEAR(replay->arrays);
  if (replay->bindings != replay->few) PyMem_Free(replay->bindings);
  if (replay->buffers != replay->few_buffers) PyMem_Free(replay->buffers);
}

/* What the replay uses is in use until the value; 0: nothing was submitted. */
static void note(Replay* replay, uint64_t value) {
  note_all(replay->queue, replay->recording->buffers, replay->recording->buffer_count, value);
  note_all(replay->queue, replay->buffers, replay->buffer_count, value);
}

static bool reserve(Replay* replay) {
  const Recording* const recording = replay->recording;
  if (!reserve_all(replay->queue, recording->buffers, recording->buffer_count)) return false;
  if (reserve_all(replay->queue, replay->buffers, replay->buffer_count)) {
    if (loans_prepare(replay->queue->signal, replay->arrays)) return true;
    note(replay, 0);
    return false;
  }
  note_all(replay->queue, recording->buffers, recording->buffer_count, 0);
  return false;
}

static PyObject* start(Replay* replay) {
  Queue* const queue = replay->queue;
  Recording* const recording = replay->recording;
  if (!is_live(&queue->base) || !is_live(&recording->base) || !reserve(replay)) return NULL;
  replay->done = (pintle_point){.size = sizeof replay->done};
  const int failed = block(queue->base.state, try_replay, replay, replay->timeout);
  const uint64_t value = failed != 0 ? 0 : replay->done.value;
  note(replay, value);
  if (replay->arrays != NULL) loans_add(&queue->signal->loans, value, Py_NewRef(replay->arrays));
  return failed != 0 ? NULL : point_make(queue->base.state, queue->signal, value);
}

static PyObject* bind_and_start(Replay* replay, PyObject* const* bindings) {
  replay->buffer_count = 0;
  replay->arrays = NULL;
  if (!allocate(replay)) return NULL;
  bool is_bound = true;
  for (size_t i = 0; is_bound && i < replay->recording->slot_count; ++i)
    is_bound = binding_take(replay, i, bindings[i]);
  PyObject* const done = is_bound ? start(replay) : NULL;
  release(replay);
  return done;
}

PyObject* queue_replay(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  static const int known[] = {name_after, name_signal, name_timeout, name_label};
  Queue* const queue = (Queue*)object;
  State* const state = queue->base.state;
  PyObject* given[4] = {NULL, NULL, NULL, NULL};
  Replay replay;
  drop_now();
  if (count == 0 || !PyObject_TypeCheck(arguments[0], state->recording)) {
    PyErr_SetString(PyExc_TypeError, "replay() takes a recording first.");
    return NULL;
  }
  replay.queue = queue;
  replay.recording = (Recording*)arguments[0];
  if ((size_t)count - 1 != replay.recording->slot_count) {
    PyErr_Format(PyExc_TypeError, "The recording has %zu slots, and %zd values were given.",
                 replay.recording->slot_count, count - 1);
    return NULL;
  }
  if (!keywords_take(state, "replay", arguments + count, names, known, 4, given) ||
      !label_take(given[3], &replay.label) || !take_timeout(state, given[2], &replay.timeout) ||
      !points_take(state, given[0], "after", &replay.after))
    return NULL;
  PyObject* done = NULL;
  if (points_take(state, given[1], "signal", &replay.signal)) {
    done = bind_and_start(&replay, arguments + 1);
    points_free(&replay.signal);
  }
  points_free(&replay.after);
  return done;
}
