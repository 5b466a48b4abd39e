/* Collective operations as values: reduce, gather, scatter, exchange. A rank group runs them on memory of the host, its
 * queue on memory of a device. */
#ifndef PINTLE_C_COLLECTIVE_H
#define PINTLE_C_COLLECTIVE_H

#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an operation does with `from` and `to` of its ranks. A part is what one rank gives or gets. The two may share
 * memory in one way: they are the same, or one is this rank's part where it lies in the other. */
enum {
  PINTLE_COLLECTIVE_ALL_REDUCE = 1,     /* `to` becomes `from` of all ranks, folded. */
  PINTLE_COLLECTIVE_REDUCE = 2,         /* The same on the root alone; another rank needs no `to`. */
  PINTLE_COLLECTIVE_REDUCE_SCATTER = 3, /* `from` has a part for each rank; `to` becomes this rank's part, folded. */
  PINTLE_COLLECTIVE_ALL_GATHER = 4,     /* Part i of `to` becomes `from` of rank i. */
  PINTLE_COLLECTIVE_GATHER = 5,         /* The same on the root alone; another rank needs no `to`. */
  PINTLE_COLLECTIVE_SCATTER = 6,        /* `to` of rank i becomes part i of `from` of the root. */
  PINTLE_COLLECTIVE_BROADCAST = 7,      /* `to` of every rank becomes that of the root. It takes no `from`. */
  PINTLE_COLLECTIVE_ALL_TO_ALL = 8,     /* Part i of `from` becomes this rank's part in `to` of rank i. No overlap. */
  PINTLE_COLLECTIVE_SEND = 9,           /* Sends `from` to one rank, which receives as many elements. */
  PINTLE_COLLECTIVE_RECV = 10,          /* Receives `to` from one rank. Messages between two ranks stay in order. */
  PINTLE_COLLECTIVE_BARRIER = 11        /* Done when every rank has come to it. It takes no memory. */
};

/* How the elements of all ranks become one. Integers wrap; f16, bf16 and the f8 dtypes are accumulated in f32 and
 * rounded once. An operator and a dtype that have no meaning together are PINTLE_INVALID_ARGUMENT. */
enum {
  PINTLE_REDUCE_SUM = 1,  /* For bool, a logical or. */
  PINTLE_REDUCE_PROD = 2, /* For bool, a logical and. */
  PINTLE_REDUCE_MIN = 3,  /* NaN where any rank has a NaN. */
  PINTLE_REDUCE_MAX = 4,  /* NaN where any rank has a NaN. */
  PINTLE_REDUCE_MEAN = 5, /* The sum divided by the number of ranks; of integers the wrapped sum, toward zero. */
  PINTLE_REDUCE_BIT_AND = 6,
  PINTLE_REDUCE_BIT_OR = 7,
  PINTLE_REDUCE_BIT_XOR = 8,
  PINTLE_REDUCE_LOGICAL_AND = 9, /* 1 or 0 in the dtype; everything but zero counts as true. */
  PINTLE_REDUCE_LOGICAL_OR = 10,
  PINTLE_REDUCE_LOGICAL_XOR = 11
};

/* How bytes travel. An algorithm that an operation does not have is replaced by the nearest one. */
enum {
  PINTLE_ALGORITHM_AUTOMATIC = 1,        /* Chosen by operation, size, ranks and transport. */
  PINTLE_ALGORITHM_DIRECT = 2,           /* Every rank with every other; the owner of a part folds it. */
  PINTLE_ALGORITHM_RING = 3,             /* Neighbours only. */
  PINTLE_ALGORITHM_HALVING_DOUBLING = 4, /* Partners at distances of powers of two. */
  PINTLE_ALGORITHM_TREE = 5,             /* Through a root, in ceil(log2(ranks)) rounds. */
  PINTLE_ALGORITHM_NATIVE = 6            /* The transport's own operation; PINTLE_UNSUPPORTED where it has none. */
};

/* One operation of a group. Ranks count within the group. */
typedef struct pintle_collective {
  uint32_t size;
  uint32_t kind;            /* PINTLE_COLLECTIVE_... */
  uint32_t op;              /* 0: PINTLE_REDUCE_SUM. */
  uint32_t rank;            /* The root, or the other rank of a message. */
  uint32_t algorithm;       /* 0: PINTLE_ALGORITHM_AUTOMATIC. */
  uint32_t is_reproducible; /* 1: the result is bitwise the same for any algorithm, transport and order of arrival,
                               since one rank folds each element in the order of ranks. */
} pintle_collective;

/* The name of a kind of operation (PINTLE_COLLECTIVE_...): "all_reduce" ... "barrier". PINTLE_INVALID_ARGUMENT for a
 * number that is none. The text lives for ever; here and below. Any thread. */
PINTLE_C_API pintle_status pintle_collective_kind_name(uint32_t kind, const char** name, pintle_error* error);
/* The kind of a name. PINTLE_NOT_FOUND lists the names; here and below. Any thread. */
PINTLE_C_API pintle_status pintle_collective_kind_parse(const char* name, uint32_t* kind, pintle_error* error);
/* The name of an operator (PINTLE_REDUCE_...): "sum" ... "logical_xor". Any thread. */
PINTLE_C_API pintle_status pintle_reduce_op_name(uint32_t op, const char** name, pintle_error* error);
/* The operator of a name. Any thread. */
PINTLE_C_API pintle_status pintle_reduce_op_parse(const char* name, uint32_t* op, pintle_error* error);
/* The name of an algorithm (PINTLE_ALGORITHM_...): "automatic" ... "native". Any thread. */
PINTLE_C_API pintle_status pintle_algorithm_name(uint32_t algorithm, const char** name, pintle_error* error);
/* The algorithm of a name. Any thread. */
PINTLE_C_API pintle_status pintle_algorithm_parse(const char* name, uint32_t* algorithm, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
