/* Memory plans: where values lie in an arena, with a lower bound beside the total. They need no device. */
#ifndef PINTLE_C_PLAN_H
#define PINTLE_C_PLAN_H

#include "pintle/c/bytes.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where each value of a problem lies. */
typedef struct pintle_plan {
  uint64_t id;
} pintle_plan;

/* How a value gets its offset. */
enum {
  PINTLE_ASSIGNMENT_PLANNED = 1, /* The planner chooses. */
  PINTLE_ASSIGNMENT_FIXED = 2,   /* It lies at the value's own `chunk` and `offset`. */
  PINTLE_ASSIGNMENT_EXTERNAL = 3 /* It takes no bytes of the arena. */
};

/* The steps at which a value is used. */
enum {
  PINTLE_LIFETIME_STEPS = 1,     /* Those that `lower` and `upper`, or `uses`, give. */
  PINTLE_LIFETIME_PERSISTENT = 2 /* All: the value shares its bytes with nothing. */
};

/* One value of a program. */
typedef struct pintle_plan_value {
  uint32_t size;
  uint32_t assignment;  /* 0: PINTLE_ASSIGNMENT_PLANNED. */
  const char* name;     /* Unique, and not empty. */
  uint64_t bytes;       /* 0: the value takes no bytes and conflicts with nothing. */
  uint64_t alignment;   /* Bytes; a power of two, of which the offset is a multiple. 0: 1. */
  uint64_t lower;       /* The first step that uses the value, on one line of time. */
  uint64_t upper;       /* One more than the last step that uses it. */
  const uint32_t* uses; /* With a relation of steps: the steps that use it, instead of `lower` and `upper`. */
  size_t use_count;
  uint32_t lifetime; /* 0: PINTLE_LIFETIME_STEPS. */
  uint32_t chunk;    /* A fixed value's. */
  uint64_t offset;   /* A fixed value's, in bytes. */
} pintle_plan_value;

/* The values to lay out, and the rules. */
typedef struct pintle_plan_problem {
  uint32_t size;
  uint32_t steps; /* 0: one line of time. Else a relation of this many steps, which `before` gives. At most 16384. */
  const pintle_plan_value* values;
  size_t value_count;
  const uint32_t* in_place; /* Pairs of indices of values, (from, to): `to` may begin at the offset of `from` where the
                               last use of `from` is the first use of `to`, and `to` is not larger. */
  size_t in_place_count;    /* Pairs. */
  const uint32_t* before; /* Pairs of steps, (earlier, later); implied pairs are not needed. Two values may share bytes
                             only if all uses of one happen before all uses of the other. */
  size_t before_count;    /* Pairs. */
  uint64_t largest_chunk; /* Bytes of the largest allocation; each value lies in one chunk. 0: no limit. */
} pintle_plan_problem;

/* The limits of the exact search. Without a time and nodes there is none, only the greedy plans. With nodes alone the
 * plan is the same on every machine and in every run. */
typedef struct pintle_plan_budget {
  uint32_t size;
  uint32_t reserved;
  int64_t time;    /* Nanoseconds; 0: no limit of time where `nodes` are given. */
  uint64_t nodes;  /* 0: no limit of nodes where a `time` is given. */
  uint64_t enough; /* Bytes: the search ends at a plan of at most this total. 0: at the least total. */
} pintle_plan_budget;

/* The place of one value. The name lives as long as the plan. */
typedef struct pintle_planned_value {
  uint32_t size;
  uint32_t assignment; /* PINTLE_ASSIGNMENT_... */
  const char* name;
  uint64_t bytes;
  uint64_t alignment;
  uint64_t offset; /* Bytes from the beginning of its chunk; 0 for an external value. */
  uint32_t chunk;  /* 0 for an external value. */
  uint32_t reserved;
} pintle_planned_value;

/* What a plan takes. The chunks live as long as the plan. */
typedef struct pintle_plan_info {
  uint32_t size;
  uint32_t is_optimal;    /* 1: the total is the lower bound. */
  uint64_t total;         /* Bytes of all chunks together: the peak. */
  uint64_t lower_bound;   /* Bytes: no plan of the problem has a smaller total. */
  const uint64_t* chunks; /* The bytes of each chunk. */
  size_t chunk_count;     /* At most 1 where the problem has no largest chunk. */
  size_t value_count;
} pintle_plan_info;

/* Lays the values out: the best of several greedy plans and, with a budget, the result of an exact search. `budget` may
 * be NULL. Blocks for as long as the budget's time. PINTLE_INVALID_ARGUMENT for a value that cannot be (with its name),
 * sizes that overflow, steps that happen before themselves (with the cycle), and fixed values that overlap (with both
 * names); PINTLE_UNSUPPORTED for too many steps. Any thread. */
PINTLE_C_API pintle_status pintle_plan_lay_out(const pintle_plan_problem* problem, const pintle_plan_budget* budget,
                                               pintle_plan* plan, pintle_error* error);
/* Puts a plan together from places that the caller has found. An alignment of 0 is 1. PINTLE_INVALID_ARGUMENT for a
 * name that occurs twice, a value that is misaligned or leaves its chunk, and a bound beyond the total. Any thread. */
PINTLE_C_API pintle_status pintle_plan_create(const pintle_planned_value* values, size_t count, const uint64_t* chunks,
                                              size_t chunk_count, uint64_t lower_bound, pintle_plan* plan,
                                              pintle_error* error);
/* Reads the text of a plan. PINTLE_INVALID_ARGUMENT names the line of the mistake. Any thread. */
PINTLE_C_API pintle_status pintle_plan_parse(const char* text, pintle_plan* plan, pintle_error* error);
/* The plan as text, one line for each value, which pintle_plan_parse reads: a new handle, the caller's. Equal plans
 * give equal text. Any thread. */
PINTLE_C_API pintle_status pintle_plan_text(pintle_plan plan, pintle_bytes* text, pintle_error* error);
/* What the plan takes. Any thread. */
PINTLE_C_API pintle_status pintle_plan_get_info(pintle_plan plan, pintle_plan_info* info, pintle_error* error);
/* The place of a value, by its index in the problem. PINTLE_INVALID_ARGUMENT for an index beyond the end. Any thread.
 */
PINTLE_C_API pintle_status pintle_plan_get_value(pintle_plan plan, uint32_t index, pintle_planned_value* value,
                                                 pintle_error* error);
/* The index of the value of this name; PINTLE_NOT_FOUND where there is none. Any thread. */
PINTLE_C_API pintle_status pintle_plan_find(pintle_plan plan, const char* name, uint32_t* index, pintle_error* error);
/* Checks that the plan is right for the problem, by a sweep that shares no code with the planner.
 * PINTLE_INVALID_ARGUMENT names the two values that overlap, or the value that is misaligned, outside its chunk, or not
 * where it is fixed. Any thread. */
PINTLE_C_API pintle_status pintle_plan_check(pintle_plan plan, const pintle_plan_problem* problem, pintle_error* error);
/* The plan as an SVG picture: lifetimes from left to right, offsets from the bottom up. A new handle, the caller's. Any
 * thread. */
PINTLE_C_API pintle_status pintle_plan_picture(pintle_plan plan, const pintle_plan_problem* problem, pintle_bytes* svg,
                                               pintle_error* error);
/* Lets go of the plan. Its arenas keep what they need of it. Any thread. */
PINTLE_C_API pintle_status pintle_plan_release(pintle_plan plan, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
