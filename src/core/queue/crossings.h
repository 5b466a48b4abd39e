// Copies between devices inside a list.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "core/buffers/buffer_records.h"
#include "core/list/list_state.h"
#include "core/queue/queue_state.h"
#include "pintle/commands.h"

namespace pintle::core {

/// One list with copies whose one side belongs to another device than the queue. Where both devices see the memory of
/// that side, a crossing becomes a copy. Where that side can be mapped, a crossing becomes an upload or a download of
/// the mapped bytes. In both cases the list stays one submission.
///
/// Otherwise the list is cut at the crossing. Its pieces are submissions of the queue, accepted together or not at all.
/// Between two pieces a *move* on the other device carries the bytes between its side and memory of the host. One
/// signal says whose turn it is: piece, move, piece. The moves are submitted first and wait for the first piece, so
/// nothing has run when one of them is refused.
class Crossings {
 public:
  /// The list has crossings.
  Crossings(std::shared_ptr<QueueState> queue, CommandList& list) noexcept
      : queue_(std::move(queue)), list_(list), state_(*Inside::state(list)) {}

  /// Submits the list, as QueueState::submit does.
  Result<std::uint64_t> submit(SubmitOptions* options);

 private:
  /// Another device's buffer, imported by this device.
  struct Twin {
    std::uint64_t incarnation = 0;
    std::uint64_t buffer = 0;
    std::shared_ptr<Loan> loan;
    Buffer here;
  };
  /// A crossing, as the queue's device sees it.
  struct Side {
    BufferView local;
    BufferView other;
    std::shared_ptr<BufferTable> owner;  // of `other`
    bool is_inbound = false;             // from the other device
    const Twin* twin = nullptr;          // null: the devices share no memory
    std::shared_ptr<Loan> loan;          // of mapped memory; null: the bytes go through the host
    std::size_t command = 0;

    /// What the crossing does to `other`.
    [[nodiscard]] Access access() const noexcept { return is_inbound ? Access::read : Access::write; }
  };
  /// What one device does between two turns.
  struct Piece {
    CommandList list;
    SubmitOptions options;
    std::shared_ptr<BufferTable> owner;  // null: the queue
  };

  Result<Side> look(const ListCrossing& crossing) const;
  void come_after(BufferTable& owner, std::uint64_t buffer);
  Result<void> find_way(Side& side);
  Result<const Twin*> find_twin(const Side& side);
  void use_twin(const Side& side);
  void use_loan(const Side& side);
  SubmitOptions take(SubmitOptions* options) const;
  Result<std::uint64_t> submit_pieces(const std::vector<Side>& staged, SubmitOptions* options);
  void cut(const std::vector<Side>& staged, SubmitOptions& options);
  void cut_at(const Side& side);
  void keep_devices(CommandList& piece, const std::vector<Side>& staged) const;
  Result<std::uint64_t> submit_all();
  Result<void> submit_moves(BufferTable& owner, std::span<Piece> moves);
  [[nodiscard]] std::vector<Part> parts_of(std::span<Piece> pieces) const;

  std::shared_ptr<QueueState> queue_;
  CommandList& list_;
  ListState& state_;
  std::list<Twin> twins_;      // one for each buffer, so that hazards are seen; kept until the list is submitted
  bool borrows_ = false;       // the list keeps loans of other devices' bytes
  std::vector<Point> before_;  // of the copies that make the forks which the list uses
  std::size_t taken_ = 0;      // commands that pieces have taken from the list
  std::vector<Piece> pieces_;  // of the queue, in order
  std::vector<Piece> moves_;   // of other devices
  std::shared_ptr<SignalState> turn_;
  std::uint64_t turns_ = 0;
};

}  // namespace pintle::core
