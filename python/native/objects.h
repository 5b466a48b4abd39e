/* The extension's types, and what its files do with each other's objects. */
#ifndef PINTLE_PYTHON_OBJECTS_H
#define PINTLE_PYTHON_OBJECTS_H

#include "native.h"

/* -- loans.c, signal.c, point.c -- */

/* What work in flight has borrowed of Python, until a value of a signal. */
typedef struct Loan {
  uint64_t value;
  PyObject* object;
} Loan;

typedef struct Loans {
  Loan* first;
  size_t count, capacity, reserved;
} Loans;

typedef struct Signal {
  Handle base;
  Loans loans; /* Those of a queue's timeline. */
} Signal;

/* Gives back what is lent already as far as it can, and makes room for a loan, so that adding it cannot fail; NULL:
 * there is none. False with an exception. */
bool loans_prepare(Signal* signal, PyObject* loan);
/* Takes the reference over, until the value is reached; 0: the work was not submitted. */
void loans_add(Loans* loans, uint64_t value, PyObject* object);
/* Gives back what is lent up to a value. */
void loans_return(Loans* loans, uint64_t reached);
/* The signal goes: the rest is given back when the library says so. */
void loans_end(Signal* signal);
int loans_traverse(Loans* loans, visitproc visit, void* arg);

typedef struct Point {
  PyObject head;
  Signal* signal;
  uint64_t value;
} Point;

extern PyType_Spec signal_spec, point_spec, alarm_spec;
/* An object with a descriptor that becomes readable when the point is reached or fails. */
PyObject* point_alarm(PyObject* self, PyObject* nothing);
/* A point of the public class. */
PyObject* point_make(State* state, Signal* signal, uint64_t value);

/* Points as the library takes them. */
typedef struct Points {
  pintle_point* points;
  size_t count;
  PyObject* objects; /* Keeps their signals. */
  pintle_point few[4];
} Points;
/* `what` names the argument in messages. False with an exception; `points` is empty then. */
bool points_take(State* state, PyObject* iterable, const char* what, Points* points);
void points_free(Points* points);
PyObject* wait_all(PyObject* module, PyObject* arguments);
PyObject* wait_any(PyObject* module, PyObject* arguments);
PyObject* wait_idle(PyObject* module, PyObject* arguments);

/* -- uses.c: which submissions use a buffer -- */

typedef struct Use {
  Signal* signal; /* A queue's timeline. */
  uint64_t value; /* The last submission's. */
  unsigned reserved;
} Use;

typedef struct Uses {
  Use* first;
  size_t count, capacity;
} Uses;
/* Makes room for a submission that is about to start, so that noting it cannot fail. False with an exception. */
bool uses_reserve(Uses* uses, Signal* signal);
/* Ends a reservation: the submission is `value` of the signal, or 0: there is none. */
void uses_note(Uses* uses, Signal* signal, uint64_t value);
/* Blocks until all of them are done. */
bool uses_wait(State* state, Uses* uses, int64_t timeout);
/* Lets the timelines of the submissions that are not over keep an object until then. */
void uses_lend(Uses* uses, PyObject* object);
void uses_free(Uses* uses);
int uses_traverse(Uses* uses, visitproc visit, void* arg);

/* -- buffer.c, view.c, mapping.c -- */

typedef struct Buffer {
  Handle base;
  uint32_t dtype;
  uint64_t bytes;
  PyObject* shape;
  PyObject* lender; /* What owns the memory, where it is not this object: an arena, a handle, a heap. */
  PyObject* kept;   /* What owns memory that was wrapped, or NULL: it goes after the last use. */
  Uses uses;
} Buffer;

typedef struct View {
  PyObject head;
  Buffer* buffer;
  uint32_t dtype;
  uint64_t offset, bytes;
  PyObject* shape;
} View;

typedef struct Slot {
  PyObject head;
  uint32_t index;
} Slot;

extern PyType_Spec buffer_spec, view_spec, slot_spec, mapping_spec;
PyObject* slot_make(PyObject* module, PyObject* index);
/* The buffer that a Buffer or a View is of, borrowed, and its view. NULL with an exception for anything else and for
 * what was closed; `what` names it. */
Buffer* view_take(State* state, PyObject* object, const char* what, pintle_view* view);
/* A buffer's bytes in the host's memory. */
PyObject* mapping_make(Buffer* buffer, bool is_read_only);
/* Keeps a buffer's bytes where they are, also when it is closed. */
PyObject* hold_make(Buffer* buffer);
/* A tensor over the bytes of a buffer in its device's own memory, where DLPack has a word for that (kDLCUDA, kDLROCM);
 * NULL with a BufferError elsewhere. The receiver calls its deleter. */
struct DLManagedTensorVersioned* dlpack_device_tensor(Buffer* buffer, bool is_read_only);

/* -- scalar.c, kernel.c, arguments.c, extent.c, image.c -- */

typedef struct Parameter {
  PyObject* name;
  uint32_t kind, dtype, bytes, lanes, is_optional;
} Parameter;

typedef struct Kernel {
  Handle base;
  PyObject* signature;
  PyObject* entry;
  Parameter* parameters;
  size_t count;
  size_t value_bytes; /* Room for all parameters by value. */
} Kernel;

extern PyType_Spec kernel_spec, sampler_spec, texels_spec;
/* Writes a number of Python as an element. `entry` and `name` are of messages. False with an exception. */
bool scalar_take(State* state, PyObject* object, uint32_t dtype, PyObject* entry, PyObject* name, void* out);
/* An image, a sampler, both, or a buffer as texels. */
bool image_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object, pintle_argument* argument);
bool sampler_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                  pintle_argument* argument);
bool texels_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object, pintle_argument* argument,
                 Buffer** buffer);
/* Fills an extent from items or groups; exactly one of them is given. */
bool extent_take(State* state, PyObject* items, PyObject* groups, pintle_extent* extent);

/* A call's arguments as the library takes them, and the buffers among them. The objects of Python outlive it. */
typedef struct Arguments {
  pintle_argument* arguments;
  Buffer** buffers;
  unsigned char* values;
  size_t count, buffer_count;
  pintle_argument few[12];
  Buffer* few_buffers[12];
  unsigned char few_values[128];
} Arguments;
bool arguments_take(State* state, Kernel* kernel, PyObject* const* objects, size_t count, Arguments* arguments);
/* One argument. `value` is room for what is passed by value; `buffer` becomes the buffer that it is of, if any. */
bool argument_take(State* state, const Parameter* parameter, PyObject* entry, PyObject* object,
                   pintle_argument* argument, Buffer** buffer, unsigned char* value);
void arguments_free(Arguments* arguments);

/* -- command.c, slot_command.c, retained.c, list.c -- */

typedef enum {
  command_launch,
  command_indirect,
  command_copy,
  command_fill,
  command_upload,
  command_download,
  command_barrier,
  command_timestamp,
  command_upload_slot,
  command_download_slot,
  command_to_image,
  command_from_image,
  command_slot_to_image,
  command_image_to_slot,
  command_retained_upload,
  command_uses,
  command_holds,
  command_copy_from_slot,
  command_copy_to_slot,
  command_copy_slots,
  command_fill_slot,
  command_timestamp_slot,
  command_uses_slot,
  command_indirect_slot
} CommandKind;

/* Memory that lists read where it is. The command has a share of it, and so has each list until the library says that
 * nothing reads the memory any more. */
typedef struct Retained Retained;
/* A share of an object, for the command. NULL with an exception. */
Retained* retained_make(PyObject* object);
/* One more share. Any thread, without the GIL or with it; here and below. */
void retained_share(Retained* retained);
/* Ends a share; the last one lets go of the object. */
void retained_end(void* retained);

typedef struct Command {
  PyObject head;
  CommandKind kind;
  bool is_used;
  bool has_host; /* `host` is held. */
  Kernel* kernel;
  PyObject* objects; /* A tuple of what it uses. */
  PyObject* label;   /* A str, or NULL. */
  const char* text;  /* The label's. */
  pintle_extent extent;
  pintle_view to, from; /* `to`: the grid of an indirect launch. */
  Buffer* views[2];     /* The buffers of `to` and `from`; the tuple keeps them. */
  Arguments arguments;
  Py_buffer host;
  Retained* retained; /* An upload has it whose array is not copied; else NULL. */
  unsigned char value[16];
  uint32_t slot;      /* What is written, or the grid. */
  uint32_t from_slot; /* What a copy reads. */
  uint32_t access;    /* PINTLE_ACCESS_..., where the command declares a use. */
  pintle_image image;
  pintle_image_part part;
} Command;

extern PyType_Spec command_spec;
PyObject* kernel_command(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* kernel_indirect(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
extern PyMethodDef command_functions[], slot_functions[], image_functions[];
/* A new command of the public class, of whose label `text` lives as long. NULL with an exception. */
Command* command_make(State* state, CommandKind kind, PyObject* label);
/* A command of one view; `arguments` are that, `other` unless it is NULL, and a label. NULL with an exception. */
Command* command_of_view(PyObject* module, PyObject* arguments, CommandKind kind, const char* what, PyObject** other);
/* Throws away a command that is not whole: nobody is to be warned of it. NULL. */
PyObject* command_fail(Command* self);
/* Makes the command keep what it uses. False with an exception. */
bool command_hold(Command* self, PyObject* const* objects, Py_ssize_t count);
/* Adds the command to a list. Needs no GIL. */
pintle_status command_append(Command* command, pintle_list list, pintle_error* error);
/* Whether all that the command uses is open; pintle.Stale otherwise. */
bool command_check(Command* command);
/* Calls `each` with every buffer that the command uses; stops where it answers false. */
bool command_buffers(Command* command, bool (*each)(Buffer* buffer, void* data), void* data);

/* -- queue.c, launch.c, submit.c, replay.c, recording.c, array.c, pool.c -- */

typedef struct Queue {
  Handle base;
  Signal* signal; /* Its timeline, which outlives it. */
} Queue;

/* What a slot of a recording stands for. */
typedef enum { slot_unused, slot_argument, slot_upload, slot_download } SlotKind;
typedef struct SlotUse {
  SlotKind kind;
  Parameter parameter; /* The first argument that the slot stands for. */
  PyObject* entry;     /* Its kernel's; borrowed. */
  uint32_t dtype;      /* The dtype of what an upload reads or a download writes. */
  uint64_t bytes;
} SlotUse;

typedef struct Recording {
  Handle base;
  Buffer** buffers; /* Each once. */
  size_t buffer_count;
  PyObject* objects; /* The commands. */
  SlotUse* slots;
  size_t slot_count;
} Recording;

/* Binds an array to the slot of an upload or a download; `kept` is the list of what to keep until the replay's point is
 * reached, made where it is NULL. False with an exception. */
bool array_take(const Recording* recording, size_t slot, PyObject* object, pintle_argument* binding, PyObject** kept);

extern PyType_Spec queue_spec, recording_spec;
PyObject* queue_launch(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* queue_submit(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* queue_replay(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* queue_allocate(PyObject* self, PyObject* arguments);
PyObject* queue_free(PyObject* self, PyObject* buffer);
/* Fills the options of a submission. */
pintle_submit_options options_of(const Points* after, const Points* signal, int64_t timeout);
/* Reserves a use of each buffer by the queue; NULLs are passed over. False with an exception: then none is reserved. */
bool reserve_all(Queue* queue, Buffer* const* buffers, size_t count);
void note_all(Queue* queue, Buffer* const* buffers, size_t count, uint64_t value);

#endif
