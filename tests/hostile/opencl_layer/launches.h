// The launches of the process: which run, and launches that never end.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

namespace pintle::hostile {

/// Thread-safe.
class Launches {
 public:
  static Launches& instance();

  /// Keeps the event of a launch until `is_any_running` finds that it has ended.
  void add(const cl_icd_dispatch& table, cl_event event);
  [[nodiscard]] bool is_any_running(const cl_icd_dispatch& table);
  /// A launch that does not end is running from now on.
  void add_endless() noexcept { endless_.fetch_add(1); }

 private:
  std::mutex mutex_;
  std::set<cl_event> events_;
  std::atomic<int> endless_{0};
};

/// Stands where a launch would: what is behind it in the queue never starts. `reached` is called once, on a thread of
/// the driver's, when the device comes to it. `event` is the launch's own.
cl_int never_end(const cl_icd_dispatch& table, cl_command_queue queue, cl_uint count, const cl_event* waits,
                 cl_event* event, void (*reached)());

/// Whether the variable of the environment names the kernel.
[[nodiscard]] bool is_named(const cl_icd_dispatch& table, cl_kernel kernel, const char* variable);

}  // namespace pintle::hostile
