/* Queue.submit: commands as one list. */
#include "objects.h"

typedef struct Submission {
  Queue* queue;
  Command* const* commands;
  size_t count;
  const char* label;
  Points after, signal;
  pintle_point done;
} Submission;

static pintle_status fill(const Submission* submission, pintle_list list, pintle_error* error) {
  for (size_t i = 0; i < submission->count; ++i) {
    const pintle_status status = command_append(submission->commands[i], list, error);
    if (status != PINTLE_OK) return status;
  }
  return PINTLE_OK;
}

static pintle_status try_submit(void* call, int64_t timeout, pintle_error* error) {
  Submission* const submission = call;
  pintle_submit_options options = options_of(&submission->after, &submission->signal, timeout);
  pintle_list list;
  options.label = submission->label;
  pintle_status status = pintle_list_create(&list, error);
  if (status != PINTLE_OK) return status;
  status = fill(submission, list, error);
  if (status == PINTLE_OK) {
    lock(&submission->queue->base);
    status = pintle_queue_submit((pintle_queue){submission->queue->base.id}, list, &options, &submission->done, error);
    unlock(&submission->queue->base);
  }
  if (status != PINTLE_OK) (void)pintle_list_release(list, NULL);
  return status;
}

/* What a submission does to the uses of each buffer. */
typedef struct Noting {
  Signal* signal;
  uint64_t value;
  size_t reserved; /* Buffers so far, or left to note. */
} Noting;

static bool reserve(Buffer* buffer, void* data) {
  Noting* const noting = data;
  if (!uses_reserve(&buffer->uses, noting->signal)) return false;
  ++noting->reserved;
  return true;
}

static bool note(Buffer* buffer, void* data) {
  Noting* const noting = data;
  if (noting->reserved == 0) return false;
  --noting->reserved;
  uses_note(&buffer->uses, noting->signal, noting->value);
  return true;
}

static bool for_all(const Submission* submission, bool (*each)(Buffer* buffer, void* data), Noting* noting) {
  for (size_t i = 0; i < submission->count; ++i)
    if (!command_buffers(submission->commands[i], each, noting)) return false;
  return true;
}

/* Downloads write host memory until the point is reached, so somebody keeps it until then: this list. NULL with no
 * exception where there is no download. */
static PyObject* downloads_of(const Submission* submission) {
  PyObject* all = NULL;
  for (size_t i = 0; i < submission->count; ++i) {
    if (submission->commands[i]->kind != command_download) continue;
    if (all == NULL && (all = PyList_New(0)) == NULL) return NULL;
    if (PyList_Append(all, (PyObject*)submission->commands[i]) != 0) {
      Py_DECREF(all);
      return NULL;
    }
  }
  return all;
}

static bool prepare_loan(const Submission* submission, PyObject** loan) {
  *loan = downloads_of(submission);
  if (*loan == NULL && PyErr_Occurred() != NULL) return false;
  if (loans_prepare(submission->queue->signal, *loan)) return true;
  Py_XDECREF(*loan);
  return false;
}

static PyObject* start(Submission* submission, int64_t timeout) {
  Queue* const queue = submission->queue;
  State* const state = queue->base.state;
  Noting noting = {queue->signal, 0, 0};
  PyObject* loan;
  if (!prepare_loan(submission, &loan)) return NULL;
  submission->done = (pintle_point){.size = sizeof submission->done};
  const bool is_started = for_all(submission, reserve, &noting) && block(state, try_submit, submission, timeout) == 0;
  noting.value = is_started ? submission->done.value : 0;
  (void)for_all(submission, note, &noting);
  if (loan != NULL) loans_add(&queue->signal->loans, noting.value, loan);
  return is_started ? point_make(state, queue->signal, submission->done.value) : NULL;
}

/* What was given to a queue is not forgotten: it counts as used, whatever the answer. */
static bool commands_check(State* state, PyObject* const* objects, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (PyObject_TypeCheck(objects[i], state->command)) {
      ((Command*)objects[i])->is_used = true;
      continue;
    }
    PyObject* const name = PyType_GetName(Py_TYPE(objects[i]));
    if (name != NULL) PyErr_Format(PyExc_TypeError, "submit() takes commands, not a %U.", name);
    Py_XDECREF(name);
    return false;
  }
  for (size_t i = 0; i < count; ++i)
    if (!command_check((Command*)objects[i])) return false;
  return true;
}

PyObject* queue_submit(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  static const int known[] = {name_after, name_signal, name_timeout, name_label};
  Queue* const queue = (Queue*)object;
  State* const state = queue->base.state;
  PyObject* given[4] = {NULL, NULL, NULL, NULL};
  Submission submission = {.queue = queue, .commands = (Command* const*)arguments, .count = (size_t)count};
  int64_t timeout;
  drop_now();
  if (!commands_check(state, arguments, (size_t)count) ||
      !keywords_take(state, "submit", arguments + count, names, known, 4, given) ||
      !label_take(given[3], &submission.label) || !take_timeout(state, given[2], &timeout) ||
      !points_take(state, given[0], "after", &submission.after))
    return NULL;
  PyObject* done = NULL;
  if (points_take(state, given[1], "signal", &submission.signal)) {
    if (is_live(&queue->base)) done = start(&submission, timeout);
    points_free(&submission.signal);
  }
  points_free(&submission.after);
  return done;
}
