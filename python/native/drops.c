/* References that the library, or another library, lets go of on a thread of its own. No such thread may touch Python,
 * so it only puts them on a list. The list is emptied by the interpreter's main thread soon, and by calls of this
 * module. */
#include "native.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct Drop {
  struct Drop* next;
  PyObject* object;
} Drop;

static _Atomic(Drop*) dropped = NULL;
static pthread_mutex_t ending =
    PTHREAD_MUTEX_INITIALIZER; /* Held while Python is told, so that it does not end meanwhile. */
static bool has_ended = false;

void* drop_prepare(PyObject* object) {
  Drop* const drop = malloc(sizeof *drop);
  if (drop == NULL) return PyErr_NoMemory();
  drop->object = Py_NewRef(object);
  return drop;
}

static int drop_pending(void* nothing) {
  (void)nothing;
  drop_now();
  return 0;
}

void drop_later(void* data) {
  Drop* const drop = data;
  Drop* next = atomic_load_explicit(&dropped, memory_order_relaxed);
  do drop->next = next;
  while (!atomic_compare_exchange_weak_explicit(&dropped, &next, drop, memory_order_release, memory_order_relaxed));
  if (next != NULL) return;                        /* somebody has told Python */
  if (pthread_mutex_trylock(&ending) != 0) return; /* somebody is telling it, or it ends, or this is a forked child */
  if (!has_ended) (void)Py_AddPendingCall(drop_pending, NULL);
  (void)pthread_mutex_unlock(&ending);
}

void drop_now(void) {
  if (atomic_load_explicit(&dropped, memory_order_relaxed) == NULL) return;
  Drop* drop = atomic_exchange_explicit(&dropped, NULL, memory_order_acquire);
  while (drop != NULL) {
    Drop* const next = drop->next;
    Py_DECREF(drop->object);
    free(drop);
    drop = next;
  }
}

void drop_stop(void) {
  PyThreadState* const thread = PyEval_SaveThread();
  (void)pthread_mutex_lock(&ending);
  has_ended = true;
  (void)pthread_mutex_unlock(&ending);
  PyEval_RestoreThread(thread);
}
