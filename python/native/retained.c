/* Memory of Python objects that lists read where it is: uploads without a copy. */
#include <stdatomic.h>
#include <stdlib.h>

#include "objects.h"

struct Retained {
  atomic_int shares;
  void* drop; /* Holds the object. */
};

Retained* retained_make(PyObject* object) {
  Retained* const retained = malloc(sizeof *retained);
  if (retained == NULL) return (Retained*)PyErr_NoMemory();
  atomic_init(&retained->shares, 1);
  retained->drop = drop_prepare(object);
  if (retained->drop != NULL) return retained;
  free(retained);
  return NULL;
}

void retained_share(Retained* retained) { (void)atomic_fetch_add_explicit(&retained->shares, 1, memory_order_relaxed); }

void retained_end(void* data) {
  Retained* const retained = data;
  if (atomic_fetch_sub_explicit(&retained->shares, 1, memory_order_acq_rel) != 1) return;
  drop_later(retained->drop);
  free(retained);
}
