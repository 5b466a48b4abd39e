// What the seam promises about calls: which ids are alive, which serials may be named, and when an object may go. The
// code that sees every call keeps this object, which calls and locks nothing itself.
#pragma once

#include <deque>
#include <span>
#include <variant>

#include "kit/list_rules.h"

namespace pintle::kit {

/// A queue as far as the backend's answers have shown it.
struct KnownQueue {
  explicit KnownQueue(std::uint64_t first) noexcept : submitted(first), limit(first), reached(first), told(first) {}

  std::uint64_t submitted;
  std::uint64_t limit;    ///< Submitted, or being submitted right now.
  std::uint64_t reached;  ///< The highest serial of any answer.
  std::uint64_t told;     ///< Known from a notification, or from work that waited for it.
  /// (serial, what it waits for), of submissions that are not reached yet.
  std::deque<std::pair<std::uint64_t, backend::QueuePoint>> waits;
};

/// Every function returns `internal` with the promise that is broken.
class CallRules {
 public:
  explicit CallRules(const Limits& limits) { known_.limits = limits; }

  Result<void> add(backend::MemoryId id, std::uint64_t size) { return add(known_.memories, id, size); }
  Result<void> add(backend::ProgramId id, std::vector<Entry> entries) {
    return add(known_.programs, id, std::move(entries));
  }
  Result<void> add(backend::RecordingId id, const backend::Commands& list) { return add(known_.recordings, id, list); }
  Result<void> add(backend::QueueId id, KnownQueue queue) { return add(queues_, id, std::move(queue)); }

  /// Ends the id, unless it is unknown or its last use is not reached.
  Result<void> remove(backend::MemoryId id) { return remove(known_.memories, id); }
  Result<void> remove(backend::ProgramId id) { return remove(known_.programs, id); }
  Result<void> remove(backend::RecordingId id) { return remove(known_.recordings, id); }
  Result<void> remove(backend::QueueId id);

  [[nodiscard]] static Result<void> check_queue(const backend::QueueRequest& request);
  [[nodiscard]] Result<void> check_allocation(const backend::MemoryRequest& request) const;
  [[nodiscard]] Result<void> check_mapping(backend::MemoryId id, std::uint64_t mapped) const;
  [[nodiscard]] Result<void> check_recording(const backend::Commands& list) const;

  /// Called before submitting. Its result goes to `submitted`.
  Result<Used> submitting(backend::QueueId id, std::span<const backend::QueuePoint> waits,
                          const backend::Commands& list);
  Result<void> submitted(backend::QueueId id, std::span<const backend::QueuePoint> waits, const Used& used,
                         std::uint64_t serial);

  /// Called before asking about a submitted serial. `floor` becomes the least correct answer to a question asked now.
  Result<void> asking(const backend::QueuePoint& point, std::uint64_t& floor) const;
  /// Takes an answer. Work that reached submissions waited for must be reached too: later answers are checked against
  /// that.
  Result<void> reached(backend::QueueId id, std::uint64_t serial, std::uint64_t floor);
  void told(const backend::QueuePoint& point);
  [[nodiscard]] bool is_reached(const backend::QueuePoint& point) const;

 private:
  template <class Id, class Value>
  static Result<void> alive(const std::map<Id, Value>& objects, Id id) {
    return require(objects.contains(id), "Id ({}) is not alive.", number(id));
  }

  template <class Id, class Value>
  static Result<void> add(std::map<Id, Value>& objects, Id id, Value value) {
    return require(id != Id::none && objects.emplace(id, std::move(value)).second, "Id ({}) is given again.",
                   number(id));
  }

  template <class Id, class Value>
  Result<void> remove(std::map<Id, Value>& objects, Id id) {
    PINTLE_TRY(alive(objects, id));
    for (const auto& [queue, serial] : uses_[id]) {
      PINTLE_TRY(require(is_reached({queue, serial}), "Id ({}) goes while serial ({}) of queue ({}) uses it.",
                         number(id), serial, number(queue)));
    }
    uses_.erase(id);
    objects.erase(id);
    return {};
  }

  Known known_;
  std::map<backend::QueueId, KnownQueue> queues_;
  std::map<std::variant<backend::MemoryId, backend::ProgramId, backend::RecordingId>,
           std::map<backend::QueueId, std::uint64_t>>
      uses_;
};

}  // namespace pintle::kit
