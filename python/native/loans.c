/* What work in flight has borrowed of Python: memory that downloads write and that replays read. A queue's timeline
 * keeps it until somebody has seen that the point is reached. */
#include "objects.h"

static bool reserve(Loans* loans) {
  if (loans->count + loans->reserved == loans->capacity) {
    const size_t capacity = loans->capacity == 0 ? 4 : loans->capacity * 2;
    Loan* const larger = PyMem_Realloc(loans->first, capacity * sizeof *larger);
    if (larger == NULL) return PyErr_NoMemory() != NULL;
    loans->first = larger;
    loans->capacity = capacity;
  }
  ++loans->reserved;
  return true;
}

void loans_add(Loans* loans, uint64_t value, PyObject* object) {
  --loans->reserved;
  if (value == 0) Py_DECREF(object);
  else loans->first[loans->count++] = (Loan){value, object};
}

/* What goes may run code that changes the loans; one that is passed over because of that waits for the next time. */
void loans_return(Loans* loans, uint64_t reached) {
  for (size_t i = 0; i < loans->count;) {
    if (loans->first[i].value > reached) {
      ++i;
      continue;
    }
    PyObject* const object = loans->first[i].object;
    loans->first[i] = loans->first[--loans->count];
    Py_DECREF(object);
  }
}

bool loans_prepare(Signal* signal, PyObject* loan) {
  uint64_t reached = 0;
  if (signal->loans.count != 0 && pintle_signal_value((pintle_signal){signal->base.id}, &reached, NULL) == PINTLE_OK)
    loans_return(&signal->loans, reached);
  return loan == NULL || reserve(&signal->loans);
}

static void let_go(void* drop, pintle_status status, const pintle_error* failure) {
  (void)status;
  (void)failure;
  drop_later(drop);
}

/* Where nobody can say when the point is reached, the memory is kept for ever. */
static void leave(const Signal* signal, const Loan* loan) {
  const pintle_point point = {sizeof point, 0, {signal->base.id}, loan->value};
  void* const drop = drop_prepare(loan->object);
  if (drop == NULL) {
    PyErr_Clear();
    return;
  }
  Py_DECREF(loan->object);
  (void)pintle_point_then(&point, let_go, drop, PINTLE_TIMEOUT_INFINITE, NULL);
}

void loans_end(Signal* signal) {
  Loans* const loans = &signal->loans;
  uint64_t reached = 0;
  if (loans->count != 0) (void)pintle_signal_value((pintle_signal){signal->base.id}, &reached, NULL);
  loans_return(loans, reached);
  for (size_t i = 0; i < loans->count; ++i) leave(signal, &loans->first[i]);
  loans->count = 0;
  PyMem_Free(loans->first);
  loans->first = NULL;
}

int loans_traverse(Loans* loans, visitproc visit, void* arg) {
  for (size_t i = 0; i < loans->count; ++i) Py_VISIT(loans->first[i].object);
  return 0;
}
