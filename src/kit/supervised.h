// A layer that runs each submission on a thread, step by step, and may find that it has failed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kit/forwarding.h"
#include "kit/host_timeline.h"
#include "kit/verdict.h"

namespace pintle::kit {

/// Each queue has a thread that takes its submissions one after another and waits for each. A submission that fails
/// has a verdict, which core asks for; the device goes on. Nothing is recorded, so core submits lists again. The device
/// makes progress by itself, also where the one inside is driven.
class Supervised : public Forwarding {
 public:
  Supervised(std::string_view layer, std::unique_ptr<backend::Device> inner);
  ~Supervised() override;

  Result<backend::QueueId> create_queue(const backend::QueueRequest& request) override;
  Result<backend::QueueId> wrap_queue(const backend::NativeObject& native,
                                      const backend::QueueRequest& request) override;
  void destroy_queue(backend::QueueId queue) noexcept override;
  Result<std::uint64_t> submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override;
  Result<std::uint64_t> reached(backend::QueueId queue) override;
  Result<void> wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) override;
  Result<void> notify(backend::QueueId queue, std::uint64_t serial, backend::Notification notification) override;
  Result<backend::RecordingId> record(const backend::Commands& commands) override;
  void forget(backend::RecordingId) noexcept override {}
  Result<void> native(std::string_view type, std::uint64_t object, void* out) override;

 protected:
  /// A queue of the device inside, for the thread that runs a submission.
  class Lane {
   public:
    Lane(Supervised& device, backend::QueueId queue) noexcept : device_(device), queue_(queue) {}
    /// Runs the commands and returns when they are done. `cancelled` when the device ends meanwhile.
    Result<void> run(const backend::Commands& commands) const;

   private:
    Supervised& device_;
    backend::QueueId queue_;
  };

  /// Runs one submission to its end. A loss is the device's; any other error is the submission's verdict.
  virtual Result<void> run(const Lane& lane, const backend::Commands& commands) = 0;
  /// Ends the threads. The destructor of a derived class calls it first.
  void stop() noexcept;
  [[nodiscard]] const std::atomic<bool>& is_stopping() const noexcept { return stopping_; }

 private:
  struct Held {
    std::uint64_t serial = 0;
    std::vector<backend::QueuePoint> waits;
    backend::Commands commands;
  };
  struct Line {
    Line(backend::QueueId inner, std::uint64_t first) : id(inner), submitted(first), timeline(first) {}
    const backend::QueueId id;
    std::uint64_t submitted;  // used by the submitting thread
    HostTimeline timeline;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Held> held;
    std::map<std::uint64_t, Error> verdicts;
    bool is_ending = false;
    std::thread courier;
  };

  Result<backend::QueueId> add(Result<backend::QueueId> created, std::uint64_t first_serial);
  [[nodiscard]] std::shared_ptr<Line> find(backend::QueueId queue);
  void end(Line& line) noexcept;
  void serve(Line& line) noexcept;
  /// False where the device ends, or is lost.
  bool serve_one(Line& line, const Held& held) noexcept;
  bool await(std::span<const backend::QueuePoint> waits);
  void lose(const Error& error) noexcept;

  std::atomic<bool> stopping_{false};
  std::mutex turn_;  // calls that the device inside gets one at a time
  std::mutex mutex_;
  std::map<backend::QueueId, std::shared_ptr<Line>> lines_;
};

}  // namespace pintle::kit
