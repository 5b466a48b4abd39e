// Recordings as graphs of the driver's, whose nodes are patched where a replay binds something else.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "backends/cuda/call.h"
#include "backends/cuda/staging.h"
#include "kit/graph_shape.h"
#include "kit/loop_cost.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

/// A RecordingId is its address. One thread at a time records and forgets; several may replay.
class Recording final : private Timed {
 public:
  /// `unsupported` for a list with steps, copies in pieces, or uploads of what the list downloads. A list that is the
  /// same at each replay becomes a graph now, any other one at its first replay.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> create(Context& context, const backend::Commands& list);
  Recording(Context& context, const backend::Commands& list);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  [[nodiscard]] const backend::Commands& list() const noexcept { return list_; }
  [[nodiscard]] bool touches_host() const noexcept { return touches_host_; }
  /// Pinned memory that a replay needs.
  [[nodiscard]] std::uint64_t staged_bytes() const noexcept { return staged_bytes_; }
  /// Calls of the driver that a replay counts as.
  [[nodiscard]] std::size_t launches() const noexcept { return launches_.load(std::memory_order_relaxed); }
  /// Puts the graph behind what the stream has. The driver runs one launch of a graph at a time. What is set for the
  /// next launch does not touch one that runs.
  [[nodiscard]] Result<void> replay(Staging& staging, vendor::cuda::Stream stream, Bindings bindings);

 private:
  /// A node that is not the same at each replay.
  struct Changing {
    std::uint32_t command = 0;
    std::uint32_t first_slot = 0;  // of `slots_`
    std::uint32_t slot_count = 0;
    std::byte* staged = nullptr;
    bool is_changed = true;
  };

  /// What the nodes have of a binding.
  using Known = std::variant<backend::Range, backend::Scalar>;

  [[nodiscard]] const vendor::cuda::Driver& api() const noexcept { return context_.api(); }
  void learn() noexcept override;
  [[nodiscard]] static Known known_of(const backend::Binding& binding) noexcept;
  void find_changing();
  void add_slots(const backend::Command& command);
  [[nodiscard]] Result<void> stage(Staging& staging, Bindings bindings);
  [[nodiscard]] Result<std::byte*> place_of(const backend::Command& command, Staging& staging, Bindings bindings);
  void note_changes(Bindings bindings);
  [[nodiscard]] Result<void> make_ready(Bindings bindings);
  void outgrow();
  [[nodiscard]] Result<void> build(Bindings bindings);
  [[nodiscard]] Result<vendor::cuda::GraphNode> add_node(std::size_t index,
                                                         std::span<const vendor::cuda::GraphNode> before,
                                                         Bindings bindings);
  [[nodiscard]] Result<vendor::cuda::GraphNode> join(std::span<const vendor::cuda::GraphNode> before);
  [[nodiscard]] Status set_node(const Changing& one, vendor::cuda::GraphExec exec, Bindings bindings) const;
  [[nodiscard]] Status patch(Bindings bindings);
  [[nodiscard]] Status patch_whole(Bindings bindings);
  template <class Use>
  [[nodiscard]] Status with_node(std::size_t index, std::byte* staged, Bindings bindings, Use use) const;
  [[nodiscard]] Result<void> launch(Staging& staging, vendor::cuda::Stream stream);
  [[nodiscard]] bool starts_timing();
  void drop() noexcept;

  Context& context_;
  const backend::Commands list_;
  std::uint64_t staged_bytes_ = 0;
  bool touches_host_ = false;
  std::mutex mutex_;
  kit::LoopCost cost_;  // of one command
  kit::GraphShape shape_;
  std::atomic<std::size_t> launches_{1};
  vendor::cuda::Graph graph_ = nullptr;
  vendor::cuda::GraphExec exec_ = nullptr;
  std::vector<vendor::cuda::GraphNode> nodes_;  // of each command
  std::vector<Changing> changing_;              // in the order of the list
  std::vector<std::uint32_t> slots_;
  std::vector<Known> bound_;          // of the last replay: an address is the offset of a range
  std::vector<std::uint8_t> is_new_;  // of each slot, in this replay
  std::uint64_t replays_ = 0;
  kit::GraphShape::Empty timed_;  // of the launch that is timed
  std::atomic<bool> is_timed_{false}, has_learned_{false};
  vendor::cuda::Event begin_ = nullptr, end_ = nullptr;
};

using Recordings = kit::OwnedTable<backend::RecordingId, Recording>;

}  // namespace pintle::cuda
