// The marks that a submission leaves on buffers: made first, then kept or forgotten as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/buffers/buffer_table.h"
#include "core/queue/flight.h"

namespace pintle::core {

/// The first half of a submission changes only stamps of work to come. They keep what the submission names alive while
/// the backend is called without the lock. Then comes `forget`, which cannot fail, or `roll_back`. One thread uses this
/// object, in its turn. The object keeps its memory from one submission to the next.
class Preparation {
 public:
  explicit Preparation(BufferTable& table) noexcept : table_(table) {}

  /// Begins the preparation of a submission of `queue`.
  void begin(std::uint64_t queue) noexcept { queue_ = queue; }
  /// Fills in memory ids. `stale` names a buffer that has gone; `invalid_argument`, a sealed one that would be written.
  Result<void> resolve(ListState& list, Flight& flight, const Locked& locked);
  /// Lets the device do the transfers to and from imported memory.
  Result<void> use_imports(std::vector<backend::Command>& commands, Flight& flight, const Locked& locked);
  /// Marks a use of a live buffer, and returns its place. Errors as of `resolve`.
  Result<backend::Range> use(std::uint64_t buffer, Access access, Flight& flight, const Locked& locked);
  /// Marks a use of another object with stamps, which lives until the end of the preparation.
  void stamp(Stamps& stamps, std::uint64_t serial, const Locked& locked);

  /// Keeps the marks: forgets the state to roll back to.
  void forget() noexcept {
    touched_.clear();
    stamped_.clear();
  }
  void roll_back(const Locked& locked) noexcept;

 private:
  struct Touched {
    std::uint64_t buffer = 0;
    std::optional<Stamp> before;
  };
  struct Stamped {
    Stamps* stamps = nullptr;
    std::optional<Stamp> before;
  };

  Result<void> keep(std::uint64_t buffer, std::uint64_t serial, const Locked& locked);
  void come_after(std::optional<Point>& formed, Flight& flight, const Locked& locked) const;
  void touch(std::uint64_t id, BufferRecord& record, std::uint64_t serial, const Locked& locked);

  BufferTable& table_;
  std::uint64_t queue_ = 0;
  std::vector<Touched> touched_;
  std::vector<Stamped> stamped_;
};

}  // namespace pintle::core
