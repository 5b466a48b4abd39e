/* Queue.launch: one kernel, without a command in between. */
#include "objects.h"

typedef struct Launch {
  Queue* queue;
  Kernel* kernel;
  const char* label;
  pintle_extent extent;
  Points after, signal;
  int64_t timeout; /* Nanoseconds to wait for room. */
  pintle_point done;
  Arguments arguments;
} Launch;

/* Adds the launch to a list and submits that. The list is gone afterwards in any case. */
static pintle_status submit(Launch* launch, pintle_list list, int64_t timeout, pintle_error* error) {
  const Arguments* const arguments = &launch->arguments;
  const pintle_submit_options options = options_of(&launch->after, &launch->signal, timeout);
  pintle_status status = launch->label == NULL ? PINTLE_OK : pintle_list_label(list, launch->label, error);
  if (status == PINTLE_OK)
    status = pintle_list_launch(list, (pintle_kernel){launch->kernel->base.id}, &launch->extent, arguments->arguments,
                                arguments->count, error);
  if (status == PINTLE_OK) {
    lock(&launch->queue->base);
    status = pintle_queue_submit((pintle_queue){launch->queue->base.id}, list, &options, &launch->done, error);
    unlock(&launch->queue->base);
  }
  if (status != PINTLE_OK) (void)pintle_list_release(list, NULL);
  return status;
}

static pintle_status try_launch(void* call, int64_t timeout, pintle_error* error) {
  pintle_list list;
  const pintle_status status = pintle_list_create(&list, error);
  return status != PINTLE_OK ? status : submit(call, list, timeout, error);
}

static PyObject* start(Launch* launch) {
  Queue* const queue = launch->queue;
  State* const state = queue->base.state;
  const Arguments* const arguments = &launch->arguments;
  if (!reserve_all(queue, arguments->buffers, arguments->buffer_count)) return NULL;
  launch->done = (pintle_point){.size = sizeof launch->done};
  const int failed = block(state, try_launch, launch, launch->timeout);
  note_all(queue, arguments->buffers, arguments->buffer_count, failed != 0 ? 0 : launch->done.value);
  return failed != 0 ? NULL : point_make(state, queue->signal, launch->done.value);
}

static PyObject* not_a_kernel(PyObject* object) {
  PyObject* const name = object == NULL ? PyUnicode_FromString("nothing") : PyType_GetName(Py_TYPE(object));
  if (name != NULL) PyErr_Format(PyExc_TypeError, "launch() takes a kernel first, not %U.", name);
  Py_XDECREF(name);
  return NULL;
}

static PyObject* take_and_start(Launch* launch, PyObject* const* arguments, size_t count) {
  State* const state = launch->queue->base.state;
  PyObject* done = NULL;
  if (!arguments_take(state, launch->kernel, arguments, count, &launch->arguments)) return NULL;
  if (is_live(&launch->queue->base)) done = start(launch);
  arguments_free(&launch->arguments);
  return done;
}

PyObject* queue_launch(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  static const int known[] = {name_items, name_groups, name_after, name_label, name_signal, name_timeout};
  Queue* const queue = (Queue*)object;
  State* const state = queue->base.state;
  PyObject* given[6] = {NULL, NULL, NULL, NULL, NULL, NULL};
  Launch launch;
  drop_now();
  if (count == 0 || !PyObject_TypeCheck(arguments[0], state->kernel))
    return not_a_kernel(count == 0 ? NULL : arguments[0]);
  launch.queue = queue;
  launch.kernel = (Kernel*)arguments[0];
  if (!keywords_take(state, "launch", arguments + count, names, known, 6, given) ||
      !label_take(given[3], &launch.label) || !extent_take(state, given[0], given[1], &launch.extent) ||
      !take_timeout(state, given[5], &launch.timeout) || !points_take(state, given[2], "after", &launch.after))
    return NULL;
  PyObject* done = NULL;
  if (points_take(state, given[4], "signal", &launch.signal)) {
    done = take_and_start(&launch, arguments + 1, (size_t)count - 1);
    points_free(&launch.signal);
  }
  points_free(&launch.after);
  return done;
}
