// A rank's side of a symmetric heap: its window, what is taken of it, and what a call may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "collective/group/group_state.h"
#include "collective/heap/heap_allocator.h"
#include "collective/heap/heap_device.h"
#include "collective/heap/heap_request.h"
#include "collective/heap/heap_worker.h"
#include "collective/window.h"
#include "pintle/symmetric.h"

namespace pintle::collective {

/// A window, and the group whose transport has made it.
struct Holding {
  std::shared_ptr<GroupState> group;
  std::unique_ptr<Window> window;  // the last member: it goes first
};

/// Bytes of a rank's piece that a call may touch.
struct Place {
  std::uint32_t rank = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class HeapState {
 public:
  /// Collective.
  [[nodiscard]] static Result<std::unique_ptr<HeapState>> create(std::shared_ptr<GroupState> group, std::uint64_t bytes,
                                                                 const SymmetricOptions& options, Deadline deadline);
  HeapState(std::shared_ptr<Holding> holding, std::uint64_t name, std::uint64_t bytes, std::uint64_t alignment,
            std::string label);

  [[nodiscard]] GroupState& group() const noexcept { return *holding_->group; }
  [[nodiscard]] Window& window() const noexcept { return *holding_->window; }
  [[nodiscard]] const std::shared_ptr<Holding>& holding() const noexcept { return holding_; }
  [[nodiscard]] HeapWorker& worker() noexcept { return worker_; }
  [[nodiscard]] const HeapDevice& device() const noexcept { return device_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] SymmetricUsage usage() const noexcept;

  /// Collective, and all ranks or none.
  [[nodiscard]] Result<SymmetricBuffer> allocate(HeapCall call, DType dtype, const Shape& shape, Deadline deadline);
  Result<void> free(const SymmetricBuffer& buffer, Deadline deadline);
  /// `own` is what hinders this rank.
  Result<void> barrier(const Result<void>& own, Deadline deadline);

  /// The buffer's bytes in the piece of `rank`. Checks that the buffer is of this heap, has not been freed and lies
  /// within its allocation, and that there is such a rank.
  [[nodiscard]] Result<Place> place_of(const SymmetricBuffer& buffer, std::uint32_t rank) const;
  [[nodiscard]] Result<Place> own_place_of(const SymmetricBuffer& buffer) const {
    return place_of(buffer, group().rank());
  }
  /// The place of `view`. Also checks the host memory that is copied to it or from it.
  [[nodiscard]] Result<Place> place_of(const SymmetricView& view, const Elements& host) const;
  /// The signal's word of `rank`.
  [[nodiscard]] Result<Place> place_of(const SymmetricSignal& signal, std::uint32_t rank) const;
  [[nodiscard]] std::string text(const SymmetricBuffer& buffer) const;
  [[nodiscard]] std::string text(const SymmetricSignal& signal) const;

 private:
  /// Zeroes the own bytes of signals, which no other rank knows yet.
  [[nodiscard]] Result<SymmetricBuffer> reserve(HeapCall call, DType dtype, const Shape& shape, std::uint64_t serial);
  [[nodiscard]] Result<void> check_whole(const SymmetricBuffer& buffer) const;
  [[nodiscard]] Result<void> check_apart(const Place& place, std::span<const std::byte> host,
                                         const SymmetricBuffer& buffer) const;
  Result<void> meet(const HeapRequest& request, const Result<void>& own, Deadline deadline);

  const std::shared_ptr<Holding> holding_;
  const std::uint64_t name_;
  const std::uint64_t size_;
  const std::string text_;
  HeapAllocator allocator_;
  std::uint64_t serials_ = 0;  // of allocations that were tried: the same on every rank
  HeapDevice device_;
  HeapWorker worker_;  // the last member: it uses the window
};

}  // namespace pintle::collective
