/* What the extension's files share: its state, its types, and the calls between them. Everything here needs the GIL
 * unless it says otherwise. */
#ifndef PINTLE_PYTHON_NATIVE_H
#define PINTLE_PYTHON_NATIVE_H

#include <Python.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "pintle/c/pintle.h"

/* Names of keyword arguments, and for messages those of commands with slots, interned: `state->names[name_after]`. */
enum {
  name_items,
  name_groups,
  name_after,
  name_label,
  name_signal,
  name_timeout,
  name_grid,
  name_most,
  name_copy,
  name_buffer,
  name_fill,
  name_value,
  name_timestamp,
  name_uses,
  name_exchange,
  name_count
};

/* The module's state. It lives as long as any object of its types. */
typedef struct State {
  PyTypeObject *handle, *signal, *point, *buffer, *view, *mapping, *slot, *alarm, *kernel, *command, *queue, *recording;
  PyTypeObject *turn, *sampler, *texels;
  PyTypeObject *public_point, *public_command; /* What launches and commands answer: classes of Python. */
  PyObject* make_error;                        /* pintle.errors.make */
  PyObject* bind_array;                        /* pintle.commands.bound */
  PyObject* names[name_count];
} State;

/* The state of the module that has made a type or one of its bases; NULL with an exception where there is none. */
State* state_of_type(PyTypeObject* type);

/* -- errors.c -- */

/* Raises what the library says, and frees it. Both answer NULL. */
PyObject* raise_error(State* state, pintle_error* error);
/* Raises an error of our own; the format is PyUnicode_FromFormat's. */
PyObject* refuse(State* state, pintle_status code, const char* format, ...);
/* The text as a str, with bytes that are not UTF-8 replaced; None for NULL. */
PyObject* text_or_none(const char* text);
/* A value for a message: its repr, shortened, or its type's name where there is no repr. */
PyObject* shown(PyObject* value);

/* -- handle.c: an object of the library -- */

typedef enum {
  kind_device = 1,
  kind_pack = 2,
  kind_program = 3,
  kind_kernel = 4,
  kind_buffer = 5,
  kind_queue = 6,
  kind_signal = 7,
  kind_recording = 8,
  kind_pool = 9,
  kind_plan = 10,
  kind_arena = 11,
  kind_state = 12,
  kind_state_set = 13,
  kind_image = 14,
  kind_rank_group = 15,
  kind_group_queue = 16,
  kind_symmetric_heap = 17,
  kind_lent = 18 /* A buffer that another object owns, and ends. */
} HandleKind;

typedef struct Handle {
  PyObject head;
  State* state;
  PyObject* owner; /* What the object needs to live: its device. */
  uint64_t id;
  HandleKind kind;
  bool is_closed;
  int uses;              /* Reasons to put off the release of what was closed: mappings. */
  pthread_mutex_t mutex; /* For objects that the library takes from one thread at a time. Taken without the GIL. */
} Handle;

extern PyType_Spec handle_spec;
/* A new object; NULL with an exception. The handle is released then, too. */
Handle* handle_make(PyTypeObject* type, HandleKind kind, uint64_t id, PyObject* owner);
int handle_traverse(PyObject* self, visitproc visit, void* arg);
int handle_clear(PyObject* self);
/* The last part of a dealloc: closes the handle and frees the object. */
void handle_dealloc(PyObject* self);
/* Whether the handle can be used; pintle.Stale where it was closed. */
bool is_live(Handle* self);
/* Whether two objects are of one device: 1 or 0; -1 with an exception. A device may have two objects: their ids, which
 * `ids` gets, tell then. Each is a new reference or NULL. */
int is_same_device(const Handle* one, const Handle* other, PyObject* ids[2]);
/* Ends one of `uses`; releases what was closed meanwhile. */
void handle_unuse(Handle* self);
/* The handle's turn. None of these needs the GIL; a forked child takes none, since its owner may be gone. */
void lock(Handle* self);
void unlock(Handle* self);
/* As `lock`, for this long at most, which is less than an hour. Whether it has the turn. */
bool lock_within(Handle* self, int64_t nanoseconds);
void watch_forks(void);
/* What lets ctypes make calls that the library takes from one thread at a time. */
PyObject* turn_make(PyObject* module, PyObject* handles);
extern PyType_Spec turn_spec;

/* -- block.c: calls that may block -- */

/* A call of the library that blocks for `timeout` nanoseconds at most. Called without the GIL. */
typedef pintle_status (*Blocking)(void* call, int64_t timeout, pintle_error* error);
/* Calls it in slices, and runs signal handlers in between. 0, or -1 with an exception. */
int block(State* state, Blocking blocking, void* call, int64_t timeout);
/* Nanoseconds of a timeout in seconds; None and NULL: the library's default. False with an exception. */
bool take_timeout(State* state, PyObject* seconds, int64_t* nanoseconds);
PyObject* nanoseconds_of(PyObject* module, PyObject* seconds);

/* -- host.c, dlpack_out.c, dlpack_in.c, dlpack_exchange.c: memory shared with others -- */

extern PyMethodDef host_functions[];
enum { dims_limit = 33 }; /* More than any shape has; the library refuses it. */
/* The sides of a shape, which is a tuple of ints. False with an exception. */
bool dims_take(PyObject* shape, uint64_t dims[dims_limit], size_t* rank);
PyObject* dlpack_share(PyObject* module, PyObject* arguments);
PyObject* dlpack_lend(PyObject* module, PyObject* arguments);
PyObject* dlpack_place(PyObject* module, PyObject* buffer);
PyObject* dlpack_take(PyObject* module, PyObject* arguments);
/* A tensor of version 1 over an object's memory, which it keeps. NULL with an exception. */
struct DLManagedTensorVersioned* dlpack_tensor(PyObject* memory, uint32_t dtype, PyObject* shape);
/* A tensor by the functions for C code that its type has: its capsule, the kind and number of its device, and the
 * current stream there, of a GPU; None where the type has none, or they refuse. */
PyObject* dlpack_borrow(PyObject* module, PyObject* object);
/* Puts the functions for other libraries' C code on the type of buffers. False with an exception. */
bool dlpack_add_exchange(State* state);

/* -- drops.c: references that others let go of -- */

/* Holds a reference until drop_later is called with what this answers. NULL with an exception. */
void* drop_prepare(PyObject* object);
/* Lets go of the reference soon. Any thread, without the GIL or with it. */
void drop_later(void* drop);
/* Lets go of what has come. */
void drop_now(void);
/* From now on nothing is let go of: the interpreter ends. */
void drop_stop(void);

/* -- notices.c: what the library tells, for a thread of Python's -- */

extern PyMethodDef notice_functions[];
/* Notes `token` when the point is reached or fails. */
PyObject* point_notify(PyObject* self, PyObject* token);

/* -- keywords.c: arguments of fast calls -- */

/* A keyword's value among those of a call, or NULL; an unknown keyword is a TypeError. */
bool keywords_take(State* state, const char* function, PyObject* const* values, PyObject* names, const int* known,
                   size_t count, PyObject** out);
/* The text of a label, which lives as long as the object; NULL without one. False with an exception. */
bool label_take(PyObject* object, const char** label);

/* -- scalar.c -- */

/* The bytes of an element; 0 for a number that is no dtype. */
size_t element_bytes(uint32_t dtype);

#endif
