#include "core/list/list_state.h"

#include <fmt/format.h>

#include <array>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/buffers/buffer_record.h"
#include "core/door/describe.h"
#include "core/program/program_state.h"
#include "pintle/program.h"

namespace pintle::core {
namespace {

static_assert(std::is_trivially_copyable_v<backend::Command> && std::is_trivially_copyable_v<backend::Argument>);

// A thread keeps what a loop of short lists needs, and gives back the memory of long ones.
constexpr std::size_t most_spare = 4, most_commands = 128, most_arguments = 512;

thread_local bool is_thread_over = false;

/// States without a list. What was used last is used first, since it is in the caches.
struct Spare {
  std::array<ListState*, most_spare> states{};
  std::size_t count = 0;

  ~Spare() {
    is_thread_over = true;
    while (count != 0) delete states[--count];
  }
};

thread_local Spare spare;

}  // namespace

std::string span_text(const backend::Range& range) {
  return fmt::format("[{}, {})", range.offset, range.offset + range.size);
}

std::string image_text(const ImageView& view) { return buffer_text(Inside::incarnation(view), Inside::buffer(view)); }

ListState* ListState::take() noexcept {
  Spare& mine = spare;  // each mention of a thread's own variable is a call
  if (is_thread_over || mine.count == 0) return new (std::nothrow) ListState;
  return mine.states[--mine.count];
}

void ListState::let_go() noexcept {
  clear();
  const bool is_short = commands.capacity() <= most_commands && arguments.capacity() <= most_arguments &&
                        retained.capacity() <= most_commands;
  Spare& mine = spare;
  if (is_thread_over || !is_short || mine.count == most_spare) delete this;
  else mine.states[mine.count++] = this;
}

/// As new, but for the memory of the vectors.
void ListState::clear() noexcept {
  commands.clear();
  arguments.clear();
  retained.clear();
  host_runs.clear();
  held.clear();
  slot_shapes.clear();
  crossings.clear();
  first_slot = backend::no_slot;
  incarnation = first_buffer = 0;
  first_kernel = nullptr;
  next_label.reset();
  next_barrier = needs_features = owns_of_caller = borrows = false;
  error.reset();
}

std::string ListState::first_text() const {
  return first_kernel != nullptr ? kernel_text(*first_kernel) : BufferRecord().text(first_buffer);
}

Result<void> ListState::check_features(const DeviceInfo& info) const {
  for (const backend::Command& command : commands) {
    const auto feature =
        std::visit([](const auto& its) { return feature_for<std::remove_cvref_t<decltype(its)>>; }, command.operation);
    if (!feature || info.capability(*feature).support != Support::absent) continue;
    return Error(Errc::unsupported, fmt::format("Command ({}) needs the feature ({}), which [{}] does not have: {}.",
                                                backend::name(command.operation), name(*feature), info.id,
                                                info.capability(*feature).detail));
  }
  return {};
}

ListState& state_of(CommandList& list) {
  ListState*& state = Inside::state(list);
  if (state == nullptr) state = ListState::take();
  if (state == nullptr) throw std::bad_alloc();
  return *state;
}

void ListState::add_part(const ListState& whole, std::size_t begin, std::size_t end) {
  const auto part = std::span(whole.commands).subspan(begin, end - begin);
  commands.insert(commands.end(), part.begin(), part.end());
  if (arguments.empty()) arguments = whole.arguments;  // each launch knows its place among all of them
  retained.insert(retained.end(), whole.retained.begin(), whole.retained.end());
  for (const backend::Command& command : part) {
    const auto* const call = std::get_if<backend::HostCall>(&command.operation);
    if (call != nullptr) host_runs.push_back(static_cast<HostRun*>(call->state));
  }
  incarnation = whole.incarnation;
  first_buffer = whole.first_buffer;
  first_kernel = whole.first_kernel;
  first_slot = whole.first_slot;
  needs_features = whole.needs_features;
  owns_of_caller |= whole.owns_of_caller;
}

void ListState::own(std::shared_ptr<const void> owner) {
  borrows = borrows || owner == nullptr;
  if (owner == nullptr) return;
  retained.push_back(std::move(owner));
  owns_of_caller = true;
}

Result<void> ListState::admit(std::uint64_t its, std::uint64_t buffer) {
  if (incarnation == 0) {
    incarnation = its;
    first_buffer = buffer;
  }
  return incarnation == its ? Result<void>() : foreign(buffer_text(its, buffer), its);
}

Result<void> ListState::admit(const BufferView& view) {
  if (Inside::incarnation(view) == 0) return empty_object("BufferView");
  PINTLE_TRY(admit(Inside::incarnation(view), Inside::buffer(view)));
  if (view.size_bytes() != 0) return {};
  return empty_window(buffer_text(incarnation, Inside::buffer(view)), view.offset_bytes());
}

Result<void> ListState::admit(const Kernel& kernel) {
  if (Inside::program(kernel) == nullptr) return empty_object("Kernel");
  const std::uint64_t its = Inside::program(kernel)->incarnation_number();
  const Entry& entry = Inside::program(kernel)->entries()[Inside::entry_index(kernel)];
  if (incarnation == 0) {
    incarnation = its;
    first_kernel = &entry;
  }
  return incarnation == its ? Result<void>() : foreign(kernel_text(entry), its);
}

Error ListState::foreign(const std::string& object, std::uint64_t others) const {
  const std::string first =
      first_kernel != nullptr ? kernel_text(*first_kernel) : buffer_text(incarnation, first_buffer);
  return invalid(fmt::format("{} belongs to incarnation {} of a device, but {}, used first, to incarnation {}.", object,
                             others, first, incarnation));
}

Result<backend::Range> ListState::range(const BufferView& view) {
  PINTLE_TRY(admit(view));
  return backend::Range{backend::MemoryId::none, Inside::buffer(view), view.offset_bytes(), view.size_bytes(),
                        backend::no_slot};
}

Result<backend::Range> ListState::range(const ImageView& view) {
  if (Inside::incarnation(view) == 0) return empty_object("ImageView");
  PINTLE_TRY(admit(Inside::incarnation(view), Inside::buffer(view)));
  return backend::Range{backend::MemoryId::none, Inside::buffer(view), 0, view.size_bytes(), backend::no_slot};
}

Result<void> ListState::take_slot(Slot slot) {
  if (slot.index >= Slot::limit)
    return invalid(fmt::format("Slot index ({}) is not below the limit ({}).", slot.index, Slot::limit));
  if (first_slot == backend::no_slot) first_slot = slot.index;
  return {};
}

Result<backend::Range> ListState::range(const BufferArgument& argument, std::uint64_t needed) {
  if (const auto* view = std::get_if<BufferView>(&argument)) return range(*view);
  const Slot slot = std::get<Slot>(argument);
  PINTLE_TRY(take_slot(slot));
  return backend::Range{backend::MemoryId::none, 0, 0, needed, slot.index};
}

Result<backend::Range> ListState::host_range(const BufferView& view, std::optional<DType> dtype,
                                             std::span<const std::byte> bytes) {
  PINTLE_ASSIGN(range, this->range(view));
  if (dtype && *dtype != view.dtype()) {
    return invalid(fmt::format("Dtype ({}) of the host memory differs from the dtype ({}) of {}.", name(*dtype),
                               name(view.dtype()), buffer_text(incarnation, Inside::buffer(view))));
  }
  if (bytes.size() != view.size_bytes()) {
    return invalid(fmt::format("Size ({}) of the host memory differs from the size ({}) of {}.", bytes.size(),
                               view.size_bytes(), buffer_text(incarnation, Inside::buffer(view))));
  }
  if (bytes.data() == nullptr) return null_memory(bytes.size());
  return range;
}

}  // namespace pintle::core
