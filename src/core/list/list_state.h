// What stands behind a command list: its commands, and what they point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/inside.h"
#include "core/list/host_function.h"
#include "core/list/slot_rules.h"
#include "core/time/worklist.h"
#include "pintle/backend/command.h"
#include "pintle/commands.h"
#include "pintle/info.h"

namespace pintle::core {

/// A copy between two devices: the place of its command, and what is to be copied.
struct ListCrossing {
  std::size_t command = 0;
  BufferView to;
  BufferView from;
};

/// The feature without which a device cannot do commands of this kind; none for most.
template <class Operation>
inline constexpr std::optional<Feature> feature_for = std::nullopt;
template <>
inline constexpr std::optional<Feature> feature_for<backend::HostCall> = Feature::host_call;
template <>
inline constexpr std::optional<Feature> feature_for<backend::Timestamp> = Feature::timestamp;
template <>
inline constexpr std::optional<Feature> feature_for<backend::ExecIndirect> = Feature::indirect;

/// A list has one from its first step on. What it refers to is checked when a step is added, and resolved when the list
/// is submitted or recorded.
struct ListState final : Buried {
  std::vector<backend::Command> commands;
  std::vector<backend::Argument> arguments;
  std::vector<std::shared_ptr<const void>> retained;  // host memory, labels, programs, functions
  std::vector<HostRun*> host_runs;                    // runs of retained functions; asked for errors when they have run
  std::vector<std::uint64_t> held;                    // buffers of `holds`
  std::vector<SlotShape> slot_shapes;                 // shapes whose sides slots decide
  std::vector<ListCrossing> crossings;
  std::uint32_t first_slot = backend::no_slot;
  std::uint64_t incarnation = 0;        // the incarnation of the buffers and kernels used; 0: none yet
  std::uint64_t first_buffer = 0;       // the buffer that decided the incarnation, for messages; 0: none
  const Entry* first_kernel = nullptr;  // or the entry that did, of a retained program
  std::shared_ptr<const std::string> next_label;
  bool next_barrier = false;
  bool needs_features = false;  // some command needs a feature
  bool owns_of_caller = false;  // something that its caller may wait to get back: memory, or what a function captured
  bool borrows = false;         // some host memory is the caller's: the list may be submitted, not recorded
  std::optional<Error> error;

  /// An empty one: one that this thread has let go of, whose vectors have their memory, or a new one. Null where there
  /// is no memory.
  [[nodiscard]] static ListState* take() noexcept;
  /// Lets go of everything, and of itself. Runs destructors of users' objects where `retained` has any.
  void let_go() noexcept override;

  [[nodiscard]] backend::Commands all() const noexcept { return {commands, arguments}; }
  /// `unsupported` where a command needs a feature that the device does not have.
  [[nodiscard]] Result<void> check_features(const DeviceInfo& info) const;
  /// The object that decided the incarnation, without its label, which its device's lock guards.
  [[nodiscard]] std::string first_text() const;

  // The steps of a list.
  template <class Operation>
  void add(const Operation& operation) {
    if constexpr (feature_for<Operation>.has_value()) needs_features = true;
    // The command is made in place: a variant on the way would be a copy of its whole size.
    backend::Command& command = commands.emplace_back(operation, nullptr, std::exchange(next_barrier, false));
    if (next_label == nullptr) return;
    command.label = next_label->c_str();
    retained.push_back(std::move(next_label));
  }
  /// Adds the commands of `[begin, end)` of another list, and what they point to.
  void add_part(const ListState& whole, std::size_t begin, std::size_t end);
  /// Keeps what the caller may wait to get back: the owner of a transfer's memory, or a function. Null: the caller
  /// keeps the memory.
  void own(std::shared_ptr<const void> owner);
  Result<void> take_slot(Slot slot);
  Result<void> admit(const BufferView& view);
  Result<void> admit(const Kernel& kernel);
  Result<backend::Range> range(const BufferView& view);
  /// An image counts as a whole.
  Result<backend::Range> range(const ImageView& view);
  /// `needed` is the size for a slot; 0 means all of what a replay binds.
  Result<backend::Range> range(const BufferArgument& argument, std::uint64_t needed);
  Result<backend::Range> host_range(const BufferView& view, std::optional<DType> dtype,
                                    std::span<const std::byte> bytes);
  Result<void> copy(const BufferArgument& to, const BufferArgument& from);
  Result<void> copy_image(const ImageView& image, const BufferArgument& buffer, const ImagePart& part,
                          bool is_to_image);
  Result<backend::Exec> launch(const Kernel& kernel, const Extent& extent, std::span<const KernelArgument> values);
  Result<void> use(const BufferArgument& buffer, Access access);

 private:
  Result<void> cross(const BufferView& to, const BufferView& from);
  /// The first object decides which incarnation the list belongs to.
  Result<void> admit(std::uint64_t its, std::uint64_t buffer);
  [[nodiscard]] Error foreign(const std::string& object, std::uint64_t others) const;
  Result<void> bind(backend::Argument& bound, const Parameter& parameter, const KernelArgument& argument,
                    const ProgramState& program);
  Result<void> bind_value(backend::Argument& bound, const Parameter& parameter, const ByValue& value);
  Result<void> bind_image(backend::Argument& bound, const Parameter& parameter, const ImageView& view);
  /// `view` is the image that the sampler reads, where one is known.
  static Result<void> bind_sampler(backend::Argument& bound, const Sampler& sampler, const ImageView* view);
  Result<void> bind_texels(backend::Argument& bound, const Parameter& parameter, const TexelBuffer& texels,
                           const ProgramState& program);
  void clear() noexcept;
};

/// The list's state, which it gets where it has none yet. Throws std::bad_alloc.
[[nodiscard]] ListState& state_of(CommandList& list);

/// `[first, end)` in bytes, for messages.
[[nodiscard]] std::string span_text(const backend::Range& range);
/// The name of the view's image.
[[nodiscard]] std::string image_text(const ImageView& view);

/// The work-groups of a launch: each count at least 1 and within the limits. Work-items are rounded up to whole groups.
[[nodiscard]] Result<Grid> groups_of(const Extent& extent, const Grid& group_size, const Limits& limits);

[[nodiscard]] inline bool has_crossings(const CommandList& list) noexcept {
  const ListState* const state = Inside::state(list);
  return state != nullptr && !state->crossings.empty();
}

}  // namespace pintle::core
