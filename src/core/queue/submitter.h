// From a list to a submission: prepared, given to the backend, committed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/queue/preparation.h"
#include "core/queue/starter.h"
#include "pintle/queue.h"

namespace pintle::core {

class RecordingState;

/// What the caller of a submission does next.
enum class Caller : std::uint8_t { goes_on, waits };

/// What is submitted under one serial: a list or a replay.
struct Part {
  CommandList* list = nullptr;
  RecordingState* recording = nullptr;
  std::span<const SlotValue> bindings{};
  bool borrows = false;              ///< The list keeps loans of other devices' bytes.
  SubmitOptions* options = nullptr;  ///< Their contents are moved out. Null: none.
  Caller caller = Caller::goes_on;   ///< One that waits observes the end itself, or calls `look_after`.
};

/// Submissions are numbered by serials that rise by one; a serial is also the value of the queue's timeline.
///
/// Parts are *prepared* under the lock, in places that no other thread looks at, and counted all at once. The backend
/// is given the first one without the lock, where nothing holds it. Then they are *committed*, which cannot fail. What
/// is refused before that is withdrawn.
class Submitter {
 public:
  Submitter(Observer& queue, Starter& starter, QueueKind kind) noexcept
      : queue_(queue),
        starter_(starter),
        kind_(kind),
        most_(queue.life().info().limits.max_in_flight),
        newest_(queue.flights().last()) {}

  // These take the lock.
  /// Submits all parts or none, in order. Answers the last part's serial.
  Result<std::uint64_t> submit(std::span<Part> parts);
  /// Success while the queue takes submissions.
  Result<void> check_open();
  /// The last point that a caller got.
  [[nodiscard]] Point last();

 private:
  /// Parts that are being submitted.
  struct Batch {
    std::span<Part> parts;
    Aftermath aftermath{};
    std::uint64_t first = 0;  // the serial of the first part
    std::uint64_t newest_before = 0;
    bool lacks_room = false;  // the queue is full
    bool has_places = false;  // the ring has the places that the parts are prepared in
    bool starts = false;      // nothing holds the first part
    bool is_simple = false;   // one part that starts, after whose start nothing is left to do under the lock
  };

  Result<void> give_memory(std::span<Part> parts);
  Result<void> make_room(std::span<Part> parts, std::optional<Deadline>& deadline);
  Result<std::uint64_t> attempt(Batch& batch);
  Result<void> accept(Batch& batch, const Locked& locked);
  Result<void> prepare(Batch& batch, const Locked& locked);
  Result<void> fill(Flight& flight, Part& part, Preparation& preparation);
  Result<void> check_list(const ListState& list) const;
  Result<void> check_recording(const RecordingState& recording) const;
  void adopt(Flight& flight, SubmitOptions& options);
  void withdraw(Batch& batch) noexcept;
  std::uint64_t commit(Batch& batch, const Locked& locked) noexcept;
  [[nodiscard]] bool is_full(std::size_t count) const noexcept { return queue_.flights().count() + count > most_; }
  [[nodiscard]] bool takes_more(std::size_t count, const Locked& locked) const noexcept {
    return life().is_usable() && !queue_.failure(locked) && ~std::uint64_t{0} - queue_.flights().last() >= count;
  }
  [[nodiscard]] Error refusal(const Locked& locked) const;
  [[nodiscard]] Error explained(const Part& first, const Error& error) const;
  [[nodiscard]] Error launch_refusal() const;
  [[nodiscard]] std::string place() const;
  [[nodiscard]] Life& life() const noexcept { return queue_.life(); }

  Observer& queue_;
  Starter& starter_;
  const QueueKind kind_;
  const std::uint64_t most_;  // unfinished submissions that the device allows
  std::uint64_t newest_;      // the last serial that a caller got a point for
};

/// The reason to refuse these options.
[[nodiscard]] Result<void> check_options(const SubmitOptions& options);

}  // namespace pintle::core
