/* Ranks as threads of the program. */
#ifndef PINTLE_TESTS_CAPI_RANKS_H
#define PINTLE_TESTS_CAPI_RANKS_H

#include <pthread.h>

#include "check.h"
#include "pintle/c/group.h"

enum { most_ranks = 8 };

typedef struct rank_of_test {
  pintle_rank_group group;
  uint32_t rank;
  uint32_t ranks;
} rank_of_test;

typedef struct rank_thread {
  rank_of_test its;
  void (*body)(rank_of_test its);
} rank_thread;

static inline void* run_rank(void* data) {
  const rank_thread* const one = data;
  one->body(one->its);
  return NULL;
}

/* Runs `body` on a thread for each rank of a group. No rank leaves before all have ended, but one that has released its
 * handle. */
static inline void on_ranks(uint32_t ranks, void (*body)(rank_of_test its)) {
  pintle_rank_group groups[most_ranks];
  rank_thread all[most_ranks];
  pthread_t threads[most_ranks];
  OK(pintle_rank_group_threads(ranks, NULL, groups, error));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    all[rank] = (rank_thread){{groups[rank], rank, ranks}, body};
    CHECK(pthread_create(&threads[rank], NULL, run_rank, &all[rank]) == 0);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) CHECK(pthread_join(threads[rank], NULL) == 0);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const pintle_status released = pintle_rank_group_release(groups[rank], NULL);
    CHECK(released == PINTLE_OK || released == PINTLE_STALE);
  }
}

static inline pintle_collective operation_of(uint32_t kind) {
  const pintle_collective operation = {.size = sizeof operation, .kind = kind};
  return operation;
}

static inline pintle_collective rooted(uint32_t kind, uint32_t rank) {
  const pintle_collective operation = {.size = sizeof operation, .kind = kind, .rank = rank};
  return operation;
}

static inline pintle_collective folding(uint32_t kind, uint32_t op) {
  const pintle_collective operation = {.size = sizeof operation, .kind = kind, .op = op};
  return operation;
}

#endif
