// What everybody else does meanwhile, each on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::hanging {

/// Operations with their names. What they use is made before anything hangs.
class Others {
 public:
  Others() = default;
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;
  ~Others() { join(); }

  void add(std::string name, std::function<void()> operation);
  /// Those of the device that hangs; without the calls that wait for their turn if one of these hangs.
  void add_same_device(Device& device, bool has_turn);
  /// Those of a device that is opened now. `shared` is a signal that both devices wait for.
  void add_other_device(Signal& shared);
  /// Starts all; the names of those that do not end within the bound.
  [[nodiscard]] std::vector<std::string> run();
  /// When nothing hangs any more.
  void join() noexcept;

 private:
  struct Operation {
    std::string name;
    std::function<void()> body;
    std::shared_ptr<struct Ended> ended{};
  };

  void add_questions(Device& device);
  void add_memory(Device& device);
  void add_progress(Device& device, bool has_turn);
  void add_ends(Device& device);
  void add_submissions(Device& device);

  std::vector<Operation> operations_;
  std::vector<std::thread> threads_;
};

/// Waits for a callback.
void expect_callback(const Point& point);

}  // namespace pintle::hanging
