// Copies between devices inside a list.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "core/buffers/loan.h"
#include "core/queue/queue_state.h"
#include "pintle/commands.h"

namespace pintle::core {

/// One list with copies whose one side belongs to another device than the queue it is submitted to. Where both devices
/// see that side's memory, a crossing becomes a copy; where that side can be mapped, an upload or a download of the
/// mapped bytes; and the list stays one submission. Otherwise the list is cut there: a queue of the other device, made
/// for this, moves the bytes between its side and memory of the host, and points order the pieces.
class Crossings {
 public:
  Crossings(std::shared_ptr<QueueState> queue, CommandList& list) noexcept : queue_(std::move(queue)), list_(list) {}

  /// As QueueState::submit. When a list has to be cut, an error of a later piece comes after the start of earlier ones;
  /// all that can be checked is checked before.
  Result<Point> submit(SubmitOptions* options);

 private:
  using Crossing = CommandList::Crossing;
  /// Another device's buffer, seen by this one.
  struct Twin {
    std::uint64_t incarnation = 0;
    std::uint64_t buffer = 0;
    std::shared_ptr<Loan> loan;
    Buffer here;
  };
  /// A crossing seen from the queue.
  struct Side {
    BufferView local;
    BufferView other;
    std::shared_ptr<Incarnation> owner;  // of `other`
    bool is_inbound = false;             // from the other device
    const Twin* twin = nullptr;          // null: the devices share no memory
    std::shared_ptr<Loan> loan;          // of mapped memory; null: through the host
    std::size_t command = 0;

    /// What is done to `other`.
    [[nodiscard]] Access access() const noexcept { return is_inbound ? Access::read : Access::write; }
  };

  Result<Side> look(const Crossing& crossing) const;
  Result<void> settle(Side& side);
  Result<const Twin*> find_twin(const Side& side);
  void use_twin(const Side& side);
  void use_loan(const Side& side);
  Result<void> pass(const Side& side, SubmitOptions& options);
  Result<void> start_piece(SubmitOptions& options);
  void take(std::size_t end);
  static Result<Point> move_bytes(const Side& side, CommandList list, const SubmitOptions& options);

  std::shared_ptr<QueueState> queue_;
  CommandList& list_;
  std::list<Twin> twins_;  // one for each buffer, so that hazards are seen; until the list is submitted
  CommandList piece_;      // what has been taken of the list and not been submitted
  std::size_t taken_ = 0;  // commands of the list
};

}  // namespace pintle::core
