/* Groups of ranks, which run collective operations together. Ranks are threads of one process, processes of one host,
 * or MPI ranks anywhere. (pintle/native/cpu_kernel.h has a pintle_group: the work-group of a kernel.) */
#ifndef PINTLE_C_GROUP_H
#define PINTLE_C_GROUP_H

#include "pintle/c/buffer.h"
#include "pintle/c/collective.h"
#include "pintle/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rank's place in a group. Operations are collective: every rank runs the same ones in the same order, with sizes
 * that fit. One thread at a time, for each function here but pintle_rank_group_health: an operation is
 * PINTLE_INVALID_ARGUMENT, with nothing sent, while one of another thread runs.
 *
 * PINTLE_INVALID_ARGUMENT, with nothing sent, for a mistake that this rank can see (handles, pointers, sizes, dtypes,
 * ranks). Other errors come on every rank: PINTLE_INVALID_ARGUMENT with both calls, for calls that do not match;
 * PINTLE_TIMEOUT, with the rank that is late; PINTLE_PEER_LOST, with the rank that has died or left. After any of these
 * the group has failed and answers the same error: shrink or rebuild it. The memory that was being written is undefined
 * then. */
typedef struct pintle_rank_group {
  uint64_t id;
} pintle_rank_group;

/* How a group is made. */
typedef struct pintle_rank_group_options {
  uint32_t size;
  uint32_t reserved;
  const char* label;     /* In messages; NULL: none. */
  const char* transport; /* "shm" or "mpi"; NULL: the one that the process was started for. */
  int64_t timeout;       /* Nanoseconds that the ranks have to arrive; 0: PINTLE_TIMEOUT_DEFAULT. */
} pintle_rank_group_options;

/* A rank's place. */
typedef struct pintle_rank_group_info {
  uint32_t size;
  uint32_t rank;
  uint32_t ranks;
  uint32_t reserved;
  uint64_t generation;   /* 1 for a new group. It rises with each shrink or rebuild. */
  const char* transport; /* "threads", "shm" or "mpi". It lives for ever. */
} pintle_rank_group_info;

/* Counts of what this rank has done in its group since the group was made. */
typedef struct pintle_rank_group_statistics {
  uint32_t size;
  uint32_t reserved;
  uint64_t operations;
  uint64_t bytes_sent;     /* To other ranks. Bytes that another rank reads here in place count on that rank. */
  uint64_t bytes_received; /* From other ranks. */
} pintle_rank_group_statistics;

/* Makes a group of `ranks` ranks (at most 1,024) in this process, one handle in `groups` for each thread that takes
 * part. `options` may be NULL. Blocks until all are made. Any thread. */
PINTLE_C_API pintle_status pintle_rank_group_threads(uint32_t ranks, const pintle_rank_group_options* options,
                                                     pintle_rank_group* groups, pintle_error* error);
/* Takes this process's place in the group that it was started for, by `pintle launch` (shm) or mpirun (mpi). A process
 * that was started by neither is a group of one. `options` may be NULL. Blocks until every rank is there.
 * PINTLE_UNAVAILABLE, with what is missing; PINTLE_INVALID_ARGUMENT for a transport that does not exist;
 * PINTLE_TIMEOUT, with the missing ranks. Any thread. */
PINTLE_C_API pintle_status pintle_rank_group_join(const pintle_rank_group_options* options, pintle_rank_group* group,
                                                  pintle_error* error);
/* The rank's place in the group. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_get_info(pintle_rank_group group, pintle_rank_group_info* info,
                                                      pintle_error* error);
/* What this rank has done so far. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_get_statistics(pintle_rank_group group,
                                                            pintle_rank_group_statistics* statistics,
                                                            pintle_error* error);
/* PINTLE_OK, or the error that the group has failed with. Looks at every rank, and waits for none. Any thread. */
PINTLE_C_API pintle_status pintle_rank_group_health(pintle_rank_group group, pintle_error* error);

/* Runs an operation on memory of the host: `to_bytes` bytes at `to`, which it writes, and `from_bytes` bytes at `from`,
 * which it reads. Memory that the operation does not take is NULL, of 0 bytes. `dtype` is that of the elements; 0:
 * bytes, as PINTLE_U8. Blocks until this rank's part is done and its memory may be reused, for at most `timeout`
 * nanoseconds. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_run(pintle_rank_group group, const pintle_collective* operation,
                                                 uint32_t dtype, void* to, size_t to_bytes, const void* from,
                                                 size_t from_bytes, int64_t timeout, pintle_error* error);

/* Collective. Ranks that give the same color become a new group, ordered by `key`, then by their rank here. A rank
 * whose `color` is NULL calls, too, and gets the empty handle. `options` may be NULL. A failure on one rank is the same
 * error on every rank. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_split(pintle_rank_group group, const uint32_t* color, uint32_t key,
                                                   const pintle_rank_group_options* options, pintle_rank_group* part,
                                                   pintle_error* error);
/* Makes a new group of the ranks that are there, in their order, after a failure. Each of them calls it. The old group
 * fails, if it had not failed before; its handle stays the caller's. A rank that does not come in `timeout` nanoseconds
 * is left out and gets PINTLE_PEER_LOST. PINTLE_UNSUPPORTED over mpi. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_shrink(pintle_rank_group group, int64_t timeout,
                                                    pintle_rank_group* smaller, pintle_error* error);
/* Makes a new group of the same number of ranks, after a failure. Each rank that is there calls it; for each that is
 * not, a new process with its rank calls pintle_rank_group_join. Otherwise as above. PINTLE_UNSUPPORTED over mpi, and
 * for a group that a split or a shrink made. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_rebuild(pintle_rank_group group, int64_t timeout,
                                                     pintle_rank_group* rebuilt, pintle_error* error);
/* Leaves the group, when its queues and heaps of this rank are released, too: a rank that still waits for this one gets
 * PINTLE_PEER_LOST. One thread at a time. */
PINTLE_C_API pintle_status pintle_rank_group_release(pintle_rank_group group, pintle_error* error);

#ifdef __cplusplus
}
#endif
#endif
