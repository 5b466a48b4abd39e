/* Buffers of pools: memory comes and goes back in the order of a queue. */
#include "objects.h"

/* Whoever waits for memory keeps nobody else from the queue, unless the library submits to it. Needs no GIL. */
static pintle_status allocate(Queue* queue, Handle* pool, bool is_submitted, uint32_t dtype, size_t rank,
                              const uint64_t* dims, const char* label, pintle_buffer* made, pintle_error* error) {
  const pintle_buffer_options options = {.size = sizeof options, .label = label};
  if (is_submitted) lock(&queue->base);
  const pintle_status status = pintle_pool_allocate((pintle_pool){pool->id}, (pintle_queue){queue->base.id}, dtype,
                                                    rank, dims, &options, made, error);
  if (is_submitted) unlock(&queue->base);
  return status;
}

PyObject* queue_allocate(PyObject* object, PyObject* arguments) {
  Queue* const queue = (Queue*)object;
  State* const state = queue->base.state;
  pintle_error error = PINTLE_ERROR_INIT;
  uint64_t dims[dims_limit];
  pintle_buffer made;
  Handle* pool;
  PyObject* shape;
  const char* label;
  unsigned dtype;
  size_t rank;
  int is_submitted;
  if (!PyArg_ParseTuple(arguments, "O!IO!zp", state->handle, &pool, &dtype, &PyTuple_Type, &shape, &label,
                        &is_submitted) ||
      !is_live(&queue->base) || !is_live(pool) || !dims_take(shape, dims, &rank))
    return NULL;
  PyThreadState* const thread = PyEval_SaveThread();
  const pintle_status status = allocate(queue, pool, is_submitted != 0, dtype, rank, dims, label, &made, &error);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) return raise_error(state, &error);
  return PyLong_FromUnsignedLongLong(made.id);
}

static bool can_free(const Queue* queue, const Buffer* buffer) {
  State* const state = queue->base.state;
  PyObject* ids[2];
  if (buffer->base.kind == kind_lent) {
    (void)refuse(state, PINTLE_INVALID_ARGUMENT,
                 "The buffer is a part of an arena, a handle or a heap, which frees it.");
    return false;
  }
  const int is_same = is_same_device(&queue->base, &buffer->base, ids);
  if (is_same == 0)
    (void)refuse(state, PINTLE_INVALID_ARGUMENT, "The buffer is one of [%S], and the queue is one of [%S].", ids[1],
                 ids[0]);
  Py_XDECREF(ids[0]);
  Py_XDECREF(ids[1]);
  return is_same > 0;
}

/* Needs no GIL. The buffer is gone afterwards in any case. */
static pintle_status give_back(Queue* queue, Buffer* buffer, pintle_error* error) {
  const pintle_buffer its = {buffer->base.id};
  lock(&queue->base); /* always before a buffer's */
  lock(&buffer->base);
  const pintle_status status = pintle_queue_free((pintle_queue){queue->base.id}, its, error);
  if (status != PINTLE_OK) (void)pintle_buffer_release(its, NULL);
  unlock(&buffer->base);
  unlock(&queue->base);
  return status;
}

PyObject* queue_free(PyObject* object, PyObject* argument) {
  Queue* const queue = (Queue*)object;
  State* const state = queue->base.state;
  Buffer* const buffer = (Buffer*)argument;
  pintle_error error = PINTLE_ERROR_INIT;
  if (!PyObject_TypeCheck(argument, state->buffer)) {
    PyObject* const name = PyType_GetName(Py_TYPE(argument));
    if (name != NULL) PyErr_Format(PyExc_TypeError, "free() takes a buffer, not a %U.", name);
    Py_XDECREF(name);
    return NULL;
  }
  if (!is_live(&queue->base) || !is_live(&buffer->base) || !can_free(queue, buffer)) return NULL;
  buffer->base.is_closed = true;
  if (buffer->base.uses != 0) Py_RETURN_NONE; /* the last mapping releases it */
  PyThreadState* const thread = PyEval_SaveThread();
  const pintle_status status = give_back(queue, buffer, &error);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) return raise_error(state, &error);
  Py_RETURN_NONE;
}
