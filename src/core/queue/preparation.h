// The changes that a submission will make: computed first, then made visible or forgotten as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/buffers/buffer_table.h"
#include "core/buffers/unowned.h"
#include "core/queue/flight.h"
#include "core/queue/siblings.h"

namespace pintle::core {

/// The first half of a submission changes only stamps of work to come. They keep what the submission names alive while
/// the backend is called without the lock. Then comes `commit`, which cannot fail, or `roll_back`. One thread uses this
/// object, in its turn. The object keeps its memory from one submission to the next.
class Preparation {
 public:
  struct Wanted {
    std::uint64_t buffer = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    Placement placement = Placement::device;
  };
  struct Spare {
    std::uint64_t buffer = 0;
    backend::MemoryId memory = backend::MemoryId::none;
  };

  Preparation(BufferTable& table, Siblings& siblings) noexcept : table_(table), siblings_(siblings) {}
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  ~Preparation();

  /// Begins the preparation of a submission of `queue`.
  void begin(std::uint64_t queue) noexcept { queue_ = queue; }
  /// Looks at the buffers of a list that are lazy, sealed or shared. `is_held`: the backend does not get the list at
  /// once. Some submissions need memory first (`take_wanted`), or buffers that get bytes of their own first
  /// (`take_apart`); nothing has been changed then.
  Result<void> look_at(const CommandList& list, bool is_held, const Locked& locked);
  /// Looks at a buffer that a submission gives bytes of its own.
  Result<void> look_at(std::uint64_t unshared, bool is_held, const Locked& locked);
  /// Looks at a buffer of a replay.
  Result<void> look_at_bound(std::uint64_t buffer, Access access, const Locked& locked);
  /// Fills in memory ids, after `look_at`. `stale` names a buffer that has gone.
  Result<void> resolve(CommandList& list, Flight& flight, const Locked& locked);
  /// Lets the device do the transfers to and from imported memory.
  Result<void> use_imports(std::vector<backend::Command>& commands, Flight& flight, const Locked& locked);
  /// Marks a use of a live buffer, and returns its place.
  Result<backend::Range> use(std::uint64_t buffer, Access access, Flight& flight, const Locked& locked);
  /// Marks a use of another object with stamps, which lives until the end of the preparation.
  void stamp(Stamps& stamps, std::uint64_t serial, const Locked& locked);

  void commit(Worklist& worklist, const Locked& locked) noexcept;
  void roll_back(const Locked& locked) noexcept;
  /// Whether `commit` has nothing to do.
  [[nodiscard]] bool is_trivial() const noexcept { return plans_.empty(); }
  /// Forgets the state to roll back to. This does what `commit` does where that is trivial.
  void forget() noexcept {
    touched_.clear();
    stamped_.clear();
  }

  [[nodiscard]] bool has_points() const noexcept { return !points_.empty(); }
  [[nodiscard]] bool wants_anything() const noexcept { return !wanted_.empty() || !apart_.empty(); }
  /// Points of work that has not started and that the submission comes after.
  [[nodiscard]] std::vector<Point> take_points() noexcept { return std::exchange(points_, {}); }
  /// Memory that the submission needs first.
  [[nodiscard]] std::vector<Wanted> take_wanted() noexcept { return std::exchange(wanted_, {}); }
  /// Buffers that must get bytes of their own by another submission first.
  [[nodiscard]] std::vector<std::uint64_t> take_apart() noexcept { return std::exchange(apart_, {}); }
  /// Adds memory that was asked for.
  void add_spare(std::uint64_t buffer, Unowned& memory);
  /// Memory that has not been used.
  [[nodiscard]] std::vector<Spare> take_spares() noexcept { return std::exchange(spares_, {}); }

 private:
  enum class Kind : std::uint8_t { fill, copy, settle };
  /// A special buffer that changes with the submission.
  struct Plan {
    std::uint64_t buffer = 0;
    Kind kind = Kind::fill;
    backend::MemoryId memory = backend::MemoryId::none;  // the new one
    std::uint64_t remains = 0;                           // for a copy: the record that gets the former memory
    Stamps stamps{};  // for a copy, the buffer's new stamps; otherwise the readers of its bytes
  };
  struct Touched {
    std::uint64_t buffer = 0;
    std::optional<Stamp> before;
  };
  struct Stamped {
    Stamps* stamps = nullptr;
    std::optional<Stamp> before;
  };

  void look_at_special(std::uint64_t id, BufferRecord& record, Access access, bool is_held, const Locked& locked);
  void want(std::uint64_t id, const BufferRecord& record);
  [[nodiscard]] bool may_settle(const BufferRecord& record, const Locked& locked) const;
  [[nodiscard]] Stamps readers_of(const BufferRecord& record, const Locked& locked) const;
  [[nodiscard]] bool are_ordered(const Stamps& stamps, const Locked& locked) const;
  [[nodiscard]] Plan* plan_of(std::uint64_t id) noexcept;
  Result<void> carry_out(Plan& plan, Flight& flight, const Locked& locked);
  Result<void> check_uses(const CommandList& list, const Locked& locked) const;
  void come_after(BufferRecord& record, Access access, const Locked& locked);
  void come_after(Formation& formation, const Locked& locked);
  void wait_for_remains(const BufferRecord& record, Flight& flight, const Locked& locked) const;
  void wait_for(const Formation& formation, Flight& flight, const Locked& locked) const;
  void wait_for(const Stamps& stamps, Flight& flight, const Locked& locked) const;
  void touch(std::uint64_t id, BufferRecord& record, Access access, std::uint64_t serial, const Locked& locked);
  void touch_any(std::uint64_t id, Access access, std::uint64_t serial, const Locked& locked);
  void apply(Plan& plan, const Locked& locked) noexcept;

  BufferTable& table_;
  Siblings& siblings_;
  std::uint64_t queue_ = 0;
  std::vector<Touched> touched_;
  std::vector<Stamped> stamped_;
  std::vector<Plan> plans_;
  std::vector<backend::Command> copies_;  // that come before the list
  std::vector<Wanted> wanted_;
  std::vector<Spare> spares_;
  std::vector<std::uint64_t> apart_;
  std::vector<Point> points_;
};

}  // namespace pintle::core
