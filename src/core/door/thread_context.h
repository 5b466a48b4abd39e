// What the calling thread may do at this moment.
#pragma once

namespace pintle::core {

/// Above zero inside callbacks and host calls, where waiting for a point could deadlock.
inline thread_local int no_blocking = 0;

/// Above zero while other threads may be waiting for this one: see Worklist.
inline thread_local int others_wait = 0;

/// Forbids blocking on this thread for a scope.
class NoBlocking {
 public:
  NoBlocking() noexcept { ++no_blocking; }
  NoBlocking(const NoBlocking&) = delete;
  NoBlocking& operator=(const NoBlocking&) = delete;
  ~NoBlocking() { --no_blocking; }
};

}  // namespace pintle::core
