/* States by their names: a model's whole state, checkpointed, restored, saved and loaded at once. */
#ifndef PINTLE_C_STATE_SET_H
#define PINTLE_C_STATE_SET_H

#include "pintle/c/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* States of one device, each with a name of its own. A call that concerns all of them is one submission, so it happens
 * to all or to none. One thread at a time, for the set and its states together. */
typedef struct pintle_state_set {
  uint64_t id;
} pintle_state_set;

/* The differences that a file may have from the set that it is loaded into. */
typedef struct pintle_state_load_options {
  uint32_t size;
  uint32_t reserved;
  const char* const* reuse_last; /* States that may be missing from the file: they keep what they hold. */
  size_t reuse_last_count;
  const char* const* ignore; /* Tensors of the file that no state takes. */
  size_t ignore_count;
} pintle_state_load_options;

/* Makes an empty set. Any thread. */
PINTLE_C_API pintle_status pintle_state_set_create(pintle_state_set* set, pintle_error* error);
/* Adds a state, whose memory stays with the set from now on. Its handles go on naming it, and keep the set's states
 * until they are released, too. PINTLE_INVALID_ARGUMENT for a name that is there already, and for a state of a set. One
 * thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_add(pintle_state_set set, pintle_state state, pintle_error* error);
/* A handle of the caller's to the state of this name. PINTLE_NOT_FOUND lists the names of the set. One thread at a
 * time. */
PINTLE_C_API pintle_status pintle_state_set_find(pintle_state_set set, const char* name, pintle_state* state,
                                                 pintle_error* error);
/* The number of states. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_count(pintle_state_set set, size_t* count, pintle_error* error);
/* The name of a state, in ascending order; it lives as long as the set. PINTLE_INVALID_ARGUMENT for an index beyond the
 * end. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_name(pintle_state_set set, size_t index, const char** name,
                                                 pintle_error* error);

/* Makes a checkpoint of every state with a host shadow, at one point: after a loss all of them go back to the same one.
 * Blocks as pintle_state_checkpoint does. `point` may be NULL here and below. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_checkpoint(pintle_state_set set, pintle_queue queue, int64_t timeout,
                                                       pintle_point* point, pintle_error* error);
/* Restores each state by its `keep`. PINTLE_STALE lists the states of pintle_state_set_lost, and then none is restored:
 * write or renew them first. A state that is not stale and has nothing kept stays as it is. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_restore(pintle_state_set set, pintle_queue queue, int64_t timeout,
                                                    pintle_point* point, pintle_error* error);
/* The names of the states that are stale and have nothing kept. The array lives until the next call of this function
 * for the set, or as long as the set. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_lost(pintle_state_set set, const char* const** names, size_t* count,
                                                 pintle_error* error);

/* Writes the front of every state to a safetensors file, as it is after everything submitted to the queue before. The
 * same states give the same bytes. Blocks until the device is done, or for `timeout` nanoseconds. The file appears
 * whole or not at all, also where it replaces an old one. PINTLE_STALE for a stale state; PINTLE_INVALID_ARGUMENT for a
 * bool that is neither 0 nor 1; PINTLE_IO. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_save(pintle_state_set set, pintle_queue queue, const char* path,
                                                 int64_t timeout, pintle_error* error);
/* Writes every state from a safetensors file, as pintle_state_write does. The file has a tensor for each state, of its
 * dtype and shape, and no other; `options`, which may be NULL, names exceptions. PINTLE_NOT_FOUND lists the names that
 * are missing on either side, or that `options` makes up; PINTLE_INVALID_ARGUMENT has both dtypes or shapes;
 * PINTLE_STALE for a stale state that `reuse_last` names and the file lacks. On an error nothing is written. The file
 * must not be cut short before the point is reached. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_load(pintle_state_set set, pintle_queue queue, const char* path,
                                                 const pintle_state_load_options* options, int64_t timeout,
                                                 pintle_point* point, pintle_error* error);
/* Ends the set's handle. Its states end with it, but those that have handles keep it. One thread at a time. */
PINTLE_C_API pintle_status pintle_state_set_release(pintle_state_set set, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
