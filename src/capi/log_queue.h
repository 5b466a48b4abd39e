// Messages of the log on their way to the caller's callback.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "pintle/error.h"
#include "pintle/log.h"

namespace pintle::capi {

/// A callback of C, and the levels that it hears. Without a function nobody listens.
struct LogListener {
  void (*callback)(void* data, std::uint32_t level, const char* category, const char* message) = nullptr;
  void* data = nullptr;
  LogLevel most_verbose = LogLevel::error;
};

/// The library has a message where it may hold locks. So the message waits here, and a thread that holds none calls the
/// callback. One for the process, which never ends. Any thread may call anything, also from inside the callback.
class LogQueue {
 public:
  static LogQueue& instance() noexcept;

  LogQueue() noexcept = default;
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;
  ~LogQueue() = default;

  /// Makes `next` the log's callback. Blocks until the one before has heard what waits for it; inside the callback it
  /// does not block, and what waits is for `next`. `timeout` after the default one: `next` is there, and the one before
  /// may still run.
  [[nodiscard]] Result<void> listen(const LogListener& next);

 private:
  static constexpr std::size_t limit = 4096;

  struct Message {
    LogListener listener;
    LogLevel level = LogLevel::error;  // of lost messages, the gravest
    std::uint64_t lost = 0;            // the number of messages that this one stands for; 0: it is one itself
    std::string category;
    std::string text;
  };
  /// A place more than there are messages, for one that tells of lost ones.
  using Ring = std::array<Message, limit + 1>;

  [[nodiscard]] Result<void> start();
  /// What the library calls, with whatever locks it holds.
  void push(const LogListener& listener, LogLevel level, std::string_view category, std::string_view text) noexcept;
  [[nodiscard]] Result<void> drain(std::uint64_t last);
  [[noreturn]] void run() noexcept;

  static void tell(const Message& message) noexcept;

  // With `mutex_` held.
  [[nodiscard]] Message& waiting(std::size_t index) noexcept { return (*ring_)[(first_ + index) % ring_->size()]; }
  void append(Message&& message) noexcept;
  void lose(const LogListener& listener, LogLevel level) noexcept;
  void redirect(const LogListener& next) noexcept;

  std::mutex turn_;   // one change of the callback at a time; not held while anybody waits or is called
  std::mutex mutex_;  // of what follows; the last lock that a thread takes
  std::condition_variable is_pushed_;
  std::condition_variable is_told_;
  std::unique_ptr<Ring> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;     // messages that wait
  std::uint64_t pushed_ = 0;  // since the beginning
  std::uint64_t told_ = 0;    // those whose callback has returned
};

}  // namespace pintle::capi
