// Submissions that the device has not finished, in its queue's order, and the thread that asks after them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/webgpu/staging.h"
#include "kit/event_timeline.h"

namespace pintle::webgpu {

/// Bytes that come back in one buffer.
struct Homecoming {
  struct Part {
    std::byte* to = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  wg::Buffer buffer = nullptr;
  std::uint64_t size = 0;  ///< Bytes that are mapped, from the beginning.
  std::vector<Part> parts;
};

/// One command buffer on its way. The device's queue and an EventTimeline share it.
class Flight {
 public:
  explicit Flight(BufferPool& pool) noexcept : staging(pool) {}

  /// Notes a download of `size` bytes from a place of `staging`.
  void bring_home(const Staged& from, std::byte* to, std::uint64_t size);

  Staging staging;
  std::vector<Owned<wg::QuerySet>> queries;
  Owned<wg::CommandBuffer> commands;

 private:
  friend class Flights;
  friend struct FlightRules;

  std::vector<Homecoming> home_;
  std::atomic<std::uint32_t> awaited_{0};  // callbacks that have not come
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> is_done_{false};
  std::mutex mutex_;  // of the next
  std::vector<kit::EventTold> told_;
};

/// Thread-safe. Callbacks only count: what follows from them is done by the thread that has let them come.
class Flights {
 public:
  /// Without a poller, callbacks come while somebody looks.
  Flights(Context& context, Progress progress) noexcept : context_(context), progress_(progress) {}
  Flights(const Flights&) = delete;
  Flights& operator=(const Flights&) = delete;
  ~Flights();

  /// Submits the commands behind everything before. The caller has a Catch, and nobody else submits.
  [[nodiscard]] Result<void> submit(const std::shared_ptr<Flight>& flight);
  /// Asks the device once, and lets go of what is finished. True where something was.
  bool look() noexcept;
  /// Somebody waits to be told, and does not look himself.
  void hurry() noexcept;

 private:
  [[nodiscard]] bool finish(Flight& flight) noexcept;
  void deliver(Flight& flight);
  void serve() noexcept;
  void abandon() noexcept;
  void forget(const std::shared_ptr<Flight>& flight);

  Context& context_;
  const Progress progress_;
  std::mutex mutex_;    // of `running_` and the thread
  std::mutex looking_;  // one thread lets callbacks come
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Flight>> running_;
  std::atomic<std::size_t> awaiting_{0};  // who waits to be told
  bool is_closing_ = false;
  bool is_asleep_ = false;  // the poller, until it is woken
  std::thread poller_;
};

/// Flights as the events of a timeline.
struct FlightRules {
  using Event = std::shared_ptr<Flight>;
  Flights* flights = nullptr;
  std::shared_ptr<kit::Loss> loss;

  [[nodiscard]] Result<bool> is_done(const Event& event) const;
  [[nodiscard]] bool tell(const Event& event, kit::EventTold told) const noexcept;
  [[nodiscard]] Error lose(const Error& error) const { return loss->lose(error); }
};

}  // namespace pintle::webgpu
