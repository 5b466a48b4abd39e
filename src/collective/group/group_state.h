// A rank's place in a group: its window, what it has called, what it has failed with, and how it waits.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/inside.h"
#include "collective/fold/schedule.h"
#include "collective/group/call.h"
#include "collective/group/layout.h"
#include "collective/group/mailbox.h"
#include "collective/transport.h"
#include "collective/window.h"
#include "pintle/deadline.h"
#include "pintle/error.h"
#include "pintle/group.h"

namespace pintle::collective {

class Rendezvous;

/// What a new group is made of.
struct Founding {
  std::unique_ptr<Transport> transport;
  std::shared_ptr<Rendezvous> rendezvous;  ///< Null unless the group can be rebuilt.
  std::string label;
  std::uint64_t generation = 1;
};

class GroupState {
 public:
  /// Collective: makes the group's window over `exchange`. When one rank fails, every rank gets the same error.
  [[nodiscard]] static Result<std::shared_ptr<GroupState>> create(Founding founding, const Exchange& exchange,
                                                                  Deadline deadline);
  /// The state of a group that is not empty, and the group that has a state. For tests.
  [[nodiscard]] static GroupState& of(const Group& group) noexcept { return *Inside::state(group); }
  [[nodiscard]] static Group group_of(std::shared_ptr<GroupState> state) noexcept {
    return Inside::make<Group>(std::move(state));
  }
  GroupState(Founding founding, std::unique_ptr<Window> window);
  GroupState(const GroupState&) = delete;
  GroupState& operator=(const GroupState&) = delete;
  ~GroupState();

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return founding_.generation; }
  [[nodiscard]] Transport& transport() const noexcept { return *founding_.transport; }
  [[nodiscard]] const std::shared_ptr<Rendezvous>& rendezvous() const noexcept { return founding_.rendezvous; }
  [[nodiscard]] Window& window() const noexcept { return *window_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] Mailbox& mailbox() noexcept { return mailbox_; }
  [[nodiscard]] GroupStatistics& statistics() noexcept { return statistics_; }
  /// For the operation that runs. Both keep their memory for the next one.
  [[nodiscard]] Schedule& schedule() noexcept { return schedule_; }
  [[nodiscard]] std::vector<std::uint32_t>& awaited() noexcept { return awaited_; }
  /// How many messages went between this rank and another by `send` and `recv`.
  struct Letters {
    std::uint64_t sent = 0, received = 0;
  };
  [[nodiscard]] Letters& letters(std::uint32_t rank) noexcept { return letters_[rank]; }
  [[nodiscard]] const std::string& label() const noexcept { return founding_.label; }
  [[nodiscard]] std::string text() const;

  /// Sends a note to its place at a rank, and then the stamp that says that it is there. See notes.h.
  Result<void> post(std::uint32_t rank, std::uint64_t place, const Note& note, std::uint64_t stamp);
  [[nodiscard]] std::uint64_t stamp_at(std::uint64_t place) const noexcept;
  [[nodiscard]] Note note_at(std::uint64_t place) const noexcept;
  /// Counts the exchanges of notes among all ranks: returns how many came before this one.
  std::uint64_t count_notes() noexcept { return notes_++; }
  /// In a group that has failed: `appear` says that this rank is there for a rescue at `step`, `has_appeared` whether
  /// another rank is.
  Result<void> appear(std::uint64_t step);
  [[nodiscard]] bool has_appeared(std::uint32_t rank, std::uint64_t step) const noexcept;

  /// What the group has failed with, as far as this rank knows. Any thread may call this, `health` and `fail`.
  [[nodiscard]] Result<void> failure() const {
    if (has_failed_.load(std::memory_order_acquire)) [[unlikely]]
      return *failure_;
    return {};
  }
  /// Like `failure`, and also looks at what other ranks have said.
  [[nodiscard]] Result<void> health();
  /// A waiting operation asks the guard now and then, and fails with its error. For the thread that has the right to
  /// call operations.
  using Guard = std::function<Result<void>()>;
  void guard(Guard guard) { guard_ = std::move(guard); }
  [[nodiscard]] Result<void> ask_guard() const { return guard_ ? guard_() : Result<void>(); }
  /// Fails the group with `error` unless it has failed already, on any rank in reach, and tells every rank. Returns
  /// what the group has failed with.
  Error fail(const Error& error);

  /// The right to call operations. One thread has it at a time, and may take it again while it has it. The right ends
  /// with the object, which ends on that thread.
  class Use {
   public:
    explicit Use(GroupState* group) noexcept : group_(group) {}
    Use(Use&& other) noexcept : group_(std::exchange(other.group_, nullptr)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (group_ != nullptr) group_->user_.store({}, std::memory_order_release);
    }

   private:
    GroupState* group_;  // null where the thread already had the right
  };
  /// Refused while another thread has the right, and in a forked child.
  [[nodiscard]] Result<Use> use();

  /// One operation, from `begin` on: its end shows others that this rank has done its part.
  class Running {
   public:
    Running(GroupState& group, Use use) noexcept : use_(std::move(use)), group_(&group) {}
    Running(Running&& other) noexcept : use_(std::move(other.use_)), group_(std::exchange(other.group_, nullptr)) {}
    Running& operator=(Running&&) = delete;
    ~Running() {
      if (group_ != nullptr) group_->show_done();
    }

   private:
    Use use_;
    GroupState* group_;
  };
  /// Begins an operation, unless the group has failed or is in use: numbers it, and shows it to others.
  [[nodiscard]] Result<Running> begin(Call& call);
  [[nodiscard]] const Call& call() const noexcept { return call_; }
  /// Where tests stop a rank or end it: called at each step of an operation.
  void step() {
    if (observer_) [[unlikely]]
      observer_(++steps_);
  }
  void observe(std::function<void(std::uint64_t step)> observer) { observer_ = std::move(observer); }

  /// Wakes a rank that sleeps. The caller has already stored what that rank waits for, as `std::memory_order_seq_cst`.
  void ring(std::uint32_t rank) noexcept;
  /// What another rank shows. It may have written any values.
  struct Status {
    std::uint64_t number = 0, count = 0, rest = 0;
    std::uint64_t awaits = 0;     ///< The rank that it waits for, plus 1; 0 where it does not.
    std::uint64_t heartbeat = 0;  ///< Nanoseconds on the steady clock: when it last looked while waiting.
    std::uint64_t done = 0;       ///< The number of the last operation that it has ended; `send` and `recv` have none.
  };
  [[nodiscard]] Result<Status> status_of(std::uint32_t rank);
  /// Whether a rank began its last operation on the processor that this one runs on now.
  [[nodiscard]] bool shares_processor(std::uint32_t rank) const noexcept;
  void show_waiting(std::uint32_t awaited_plus_1, Deadline now) noexcept;
  /// The error of a rank that says that it has failed or has left; nothing from others.
  [[nodiscard]] std::optional<Error> fault_of(std::uint32_t rank);
  [[nodiscard]] bool has_left(std::uint32_t rank) const noexcept;

  /// For `shrink`: how often this rank has tried, this try counted.
  std::uint64_t count_shrink() noexcept { return ++shrinks_; }

 private:
  [[nodiscard]] std::optional<Error> first_fault(Errc code) const;
  void show(const Note& note) noexcept;
  void announce(std::uint64_t code) noexcept;
  [[nodiscard]] Error fault_at(std::uint64_t place, std::uint64_t code) const;
  void show_done() noexcept;

  Founding founding_;
  const std::uint32_t rank_;
  const std::uint32_t ranks_;
  const Layout layout_;
  const std::unique_ptr<Window> window_;
  Mailbox mailbox_;
  const std::uint64_t number_;  // counts the groups of this process, for messages
  Call call_;
  std::uint64_t calls_ = 0;
  std::atomic<std::thread::id> user_{};
  std::mutex failing_;
  std::optional<Error> failure_;  // never changes once `has_failed_`
  std::atomic<bool> has_failed_ = false;
  std::uint64_t notes_ = 0;  // exchanged
  Schedule schedule_;
  std::vector<std::uint32_t> awaited_;
  std::vector<Letters> letters_;
  GroupStatistics statistics_;
  std::function<void(std::uint64_t)> observer_;
  Guard guard_;
  std::uint64_t steps_ = 0;
  std::uint64_t shrinks_ = 0;
};

}  // namespace pintle::collective
