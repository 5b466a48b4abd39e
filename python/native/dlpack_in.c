/* Tensors of other libraries as buffers. The library gets a tensor of ours, whose deleter may run on any thread; the
 * other library's runs with the GIL, when its capsule goes. */
#include "objects.h"

#include <stdlib.h>

#include "dlpack.h"

/* A tensor that stands for another one. `kept` holds the owner of that. */
typedef struct Lent {
  union {
    struct DLManagedTensor old;
    struct DLManagedTensorVersioned versioned;
  } managed;
  void* kept;
} Lent;

static void end(Lent* lent) {
  drop_later(lent->kept);
  free(lent);
}

static void end_old(struct DLManagedTensor* self) { end(self->context); }
static void end_versioned(struct DLManagedTensorVersioned* self) { end(self->context); }

static Lent* lend(PyObject* owner, bool is_versioned, const void* managed) {
  Lent* const lent = calloc(1, sizeof *lent);
  if (lent == NULL) return (Lent*)PyErr_NoMemory();
  lent->kept = drop_prepare(owner);
  if (lent->kept == NULL) {
    free(lent);
    return NULL;
  }
  if (is_versioned) {
    lent->managed.versioned = *(const struct DLManagedTensorVersioned*)managed;
    lent->managed.versioned.context = lent;
    lent->managed.versioned.deleter = end_versioned;
  } else {
    lent->managed.old = *(const struct DLManagedTensor*)managed;
    lent->managed.old.context = lent;
    lent->managed.old.deleter = end_old;
  }
  return lent;
}

/* The other library's tensor as an object, which calls its deleter when it goes. An exception may be on its way then,
 * and a deleter may be Python's. */
static void end_old_owner(PyObject* owner) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  struct DLManagedTensor* const its = PyCapsule_GetPointer(owner, NULL);
  if (its->deleter != NULL) its->deleter(its);
  PyErr_Restore(type, value, trace);
}

static void end_versioned_owner(PyObject* owner) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  struct DLManagedTensorVersioned* const its = PyCapsule_GetPointer(owner, NULL);
  if (its->deleter != NULL) its->deleter(its);
  PyErr_Restore(type, value, trace);
}

/* Takes the tensor out of its capsule, which is renamed as DLPack wants it: nobody can take it again. */
static PyObject* owner_of(PyObject* capsule, bool is_versioned, void* managed) {
  PyObject* const owner = PyCapsule_New(managed, NULL, is_versioned ? end_versioned_owner : end_old_owner);
  if (owner == NULL) return NULL;
  if (PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor") == 0) return owner;
  (void)PyCapsule_SetDestructor(owner, NULL);
  Py_DECREF(owner);
  return NULL;
}

typedef struct Taking {
  pintle_device device;
  Queue* queue; /* NULL: no copy. */
  pintle_dlpack_options options;
  bool is_versioned;
  pintle_buffer buffer;
  pintle_point last;
} Taking;

static pintle_status take(Taking* taking, Lent* lent, pintle_error* error) {
  if (taking->is_versioned)
    return pintle_buffer_from_dlpack(taking->device, &lent->managed.versioned, &taking->options, &taking->buffer,
                                     error);
  return pintle_buffer_from_old_dlpack(taking->device, &lent->managed.old, &taking->options, &taking->buffer, error);
}

static pintle_status take_on_queue(Taking* taking, Lent* lent, pintle_error* error) {
  if (taking->queue == NULL) return take(taking, lent, error);
  lock(&taking->queue->base);
  const pintle_status status = take(taking, lent, error);
  if (status == PINTLE_OK) (void)pintle_queue_last((pintle_queue){taking->queue->base.id}, &taking->last, NULL);
  unlock(&taking->queue->base);
  return status;
}

/* The handle, and the value of the queue at which a copy is there. */
static PyObject* answer(State* state, Taking* taking, PyObject* owner, const void* managed) {
  pintle_error error = PINTLE_ERROR_INIT;
  Lent* const lent = lend(owner, taking->is_versioned, managed);
  if (lent == NULL) return NULL;
  PyThreadState* const thread = PyEval_SaveThread();
  const pintle_status status = take_on_queue(taking, lent, &error);
  PyEval_RestoreThread(thread);
  if (status != PINTLE_OK) return raise_error(state, &error);
  return Py_BuildValue("(KK)", (unsigned long long)taking->buffer.id, (unsigned long long)taking->last.value);
}

PyObject* dlpack_take(PyObject* module, PyObject* arguments) {
  State* const state = PyModule_GetState(module);
  unsigned long long device;
  PyObject *capsule, *queue;
  unsigned copy;
  if (!PyArg_ParseTuple(arguments, "KOOI", &device, &capsule, &queue, &copy)) return NULL;
  Taking taking = {.device = {device},
                   .options = {.size = sizeof(pintle_dlpack_options), .copy = copy},
                   .last = {.size = sizeof(pintle_point)}};
  taking.is_versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
  void* const managed = PyCapsule_GetPointer(capsule, taking.is_versioned ? "dltensor_versioned" : "dltensor");
  if (managed == NULL) return NULL;
  if (queue != Py_None) {
    if (!PyObject_TypeCheck(queue, state->queue)) return PyErr_Format(PyExc_TypeError, "dlpack_take() takes a queue.");
    taking.queue = (Queue*)queue;
    if (!is_live(&taking.queue->base)) return NULL;
    taking.options.queue.id = taking.queue->base.id;
  }
  PyObject* const owner = owner_of(capsule, taking.is_versioned, managed);
  if (owner == NULL) return NULL;
  PyObject* const answered = answer(state, &taking, owner, managed);
  Py_DECREF(owner);
  return answered;
}
