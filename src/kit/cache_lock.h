// Mutual exclusion for one part of the cache, over threads and processes.
#pragma once

#include <filesystem>

namespace pintle::kit {

/// An exclusive lock over threads and processes, in a file that only this user can open. The wait for it ends after the
/// default deadline, or two minutes: a stopped process may hold the lock. Code is then compiled twice.
class CacheLock {
 public:
  /// `folder` is open; `path` is for messages.
  CacheLock(int folder, const char* name, const std::filesystem::path& path);
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  ~CacheLock();

 private:
  int number_;
};

}  // namespace pintle::kit
