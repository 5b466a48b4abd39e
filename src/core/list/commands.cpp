#include "pintle/commands.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/contain.h"
#include "base/inside.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/list/host_function.h"
#include "core/list/images.h"
#include "core/list/launch.h"
#include "core/list/list_parts.h"
#include "core/list/slot_rules.h"
#include "core/program/program_state.h"
#include "pintle/backend/command.h"
#include "pintle/program.h"

namespace pintle {
namespace {

static_assert(std::is_trivially_copyable_v<backend::Command> && std::is_trivially_copyable_v<backend::Argument>);

Error invalid(std::string message) { return {Errc::invalid_argument, std::move(message)}; }

std::string span_text(const backend::Range& range) {
  return fmt::format("[{}, {})", range.offset, range.offset + range.size);
}

/// The size that the other side of a copy needs; 0 where a replay decides.
std::uint64_t size_of(const BufferArgument& argument) noexcept {
  const auto* view = std::get_if<BufferView>(&argument);
  return view == nullptr ? 0 : view->size_bytes();
}

Result<void> check_sizes(std::uint64_t to_incarnation, const backend::Range& to, std::uint64_t from_incarnation,
                         const backend::Range& from) {
  if (to.size == from.size) return {};
  return invalid(fmt::format("Size ({}) of the destination {} differs from the size ({}) of the source {}.", to.size,
                             core::buffer_text(to_incarnation, to.buffer), from.size,
                             core::buffer_text(from_incarnation, from.buffer)));
}

Result<void> check_copy(std::uint64_t incarnation, const backend::Range& to, const backend::Range& from) {
  if (to.slot != backend::no_slot || from.slot != backend::no_slot) {
    if (to.slot != from.slot) return {};
    return invalid(fmt::format("Copy has slot ({}) as its source and its destination.", to.slot));
  }
  PINTLE_TRY(check_sizes(incarnation, to, incarnation, from));
  if (to.buffer != from.buffer || to.offset >= from.offset + from.size || from.offset >= to.offset + to.size) return {};
  return invalid(fmt::format("Destination {} overlaps the source {} in {}.", span_text(to), span_text(from),
                             core::buffer_text(incarnation, to.buffer)));
}

Error empty_window(std::uint64_t incarnation, std::uint64_t buffer, std::uint64_t offset) {
  return core::empty_window(core::buffer_text(incarnation, buffer), offset);
}

/// Checks that the range is whole elements of `size` bytes.
Result<void> check_elements(std::uint64_t incarnation, const backend::Range& range, std::uint64_t size) {
  if (range.offset % size == 0 && range.size % size == 0) return {};
  return invalid(fmt::format("Range {} of {} does not begin and end at a multiple of the element size ({}).",
                             span_text(range), core::buffer_text(incarnation, range.buffer), size));
}

Result<void> check_exact(std::uint64_t incarnation, const backend::Range& range, std::uint64_t size) {
  if (range.size == size) return {};
  return invalid(fmt::format("Size ({}) of {} differs from the size ({}) that the command needs.", range.size,
                             core::buffer_text(incarnation, range.buffer), size));
}

Result<void> check_dtype(std::uint64_t incarnation, const BufferArgument& argument, const backend::Range& range,
                         DType dtype) {
  const auto* view = std::get_if<BufferView>(&argument);
  if (view == nullptr || view->dtype() == dtype) return {};
  return invalid(fmt::format("Dtype ({}) of {} differs from the dtype ({}) of the value.", name(view->dtype()),
                             core::buffer_text(incarnation, range.buffer), name(dtype)));
}

const std::optional<Error>& moved_from_error() noexcept {
  static const std::optional<Error>& error = *new std::optional<Error>(
      Error(Errc::invalid_argument, "Command list is moved from; a list is submitted or recorded once."));
  return error;
}

}  // namespace

CommandList::CommandList() noexcept = default;
CommandList::CommandList(CommandList&&) noexcept = default;
CommandList::~CommandList() = default;

CommandList& CommandList::operator=(CommandList&& other) noexcept {
  // `list = list.copy(a, b)` assigns a list to itself.
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

std::size_t CommandList::size() const noexcept { return commands_.size(); }
const std::optional<Error>& CommandList::error() const noexcept { return spent_.value ? moved_from_error() : error_; }

/// Whether both sides are buffers, of two devices.
bool CommandList::is_crossing(const BufferArgument& to, const BufferArgument& from) noexcept {
  const auto* const target = std::get_if<BufferView>(&to);
  const auto* const source = std::get_if<BufferView>(&from);
  if (target == nullptr || source == nullptr) return false;
  const std::uint64_t its = Inside::incarnation(*target), others = Inside::incarnation(*source);
  return its != 0 && others != 0 && its != others;
}

template <class Body>
CommandList&& CommandList::step(const char* name, Body body) {
  if (spent_.value || error_) return std::move(*this);
  const Result<void> done = base::contain("building a command list", body);
  if (done) return std::move(*this);
  try {
    error_ = done.error().during(fmt::format("adding command {} ({})", commands_.size(), name));
  } catch (...) {
    error_ = done.error();
  }
  return std::move(*this);
}

// The command is made in place: a variant on the way would be a copy of its whole size.
template <class Operation>
void CommandList::add(const Operation& operation) {
  backend::Command& command = commands_.emplace_back(operation, nullptr, std::exchange(next_barrier_, false));
  if (next_label_ == nullptr) return;
  command.label = next_label_->c_str();
  retained_.push_back(std::move(next_label_));
}

// The first object decides which incarnation the list belongs to.
Result<void> CommandList::admit(const BufferView& view) {
  if (Inside::incarnation(view) == 0) return core::empty_object("BufferView");
  if (incarnation_ == 0) {
    incarnation_ = Inside::incarnation(view);
    first_buffer_ = Inside::buffer(view);
  }
  if (incarnation_ != Inside::incarnation(view))
    return foreign(core::buffer_text(Inside::incarnation(view), Inside::buffer(view)), Inside::incarnation(view));
  return view.size_bytes() != 0 ? Result<void>()
                                : empty_window(incarnation_, Inside::buffer(view), view.offset_bytes());
}

Result<void> CommandList::admit(const Kernel& kernel) {
  if (Inside::program(kernel) == nullptr) return core::empty_object("Kernel");
  const std::uint64_t incarnation = Inside::program(kernel)->incarnation_number();
  const Entry& entry = Inside::program(kernel)->entries()[Inside::entry_index(kernel)];
  if (incarnation_ == 0) {
    incarnation_ = incarnation;
    first_kernel_ = &entry;
  }
  return incarnation_ == incarnation ? Result<void>() : foreign(core::kernel_text(entry), incarnation);
}

Error CommandList::foreign(const std::string& object, std::uint64_t incarnation) const {
  const std::string first =
      first_kernel_ != nullptr ? core::kernel_text(*first_kernel_) : core::buffer_text(incarnation_, first_buffer_);
  return invalid(fmt::format("{} belongs to incarnation {} of a device, but {}, used first, to incarnation {}.", object,
                             incarnation, first, incarnation_));
}

Result<backend::Range> CommandList::range(const BufferView& view) {
  PINTLE_TRY(admit(view));
  return backend::Range{backend::MemoryId::none, Inside::buffer(view), view.offset_bytes(), view.size_bytes(),
                        backend::no_slot};
}

Result<void> CommandList::take_slot(Slot slot) {
  PINTLE_TRY(core::check_slot(slot));
  if (first_slot_ == backend::no_slot) first_slot_ = slot.index;
  return {};
}

Result<backend::Range> CommandList::range(const BufferArgument& argument, std::uint64_t needed) {
  if (const auto* view = std::get_if<BufferView>(&argument)) return range(*view);
  const Slot slot = std::get<Slot>(argument);
  PINTLE_TRY(take_slot(slot));
  return backend::Range{backend::MemoryId::none, 0, 0, needed, slot.index};
}

Result<backend::Range> CommandList::host_range(const BufferView& view, std::optional<DType> dtype,
                                               std::span<const std::byte> bytes) {
  PINTLE_ASSIGN(range, this->range(view));
  if (dtype && *dtype != view.dtype()) {
    return invalid(fmt::format("Dtype ({}) of the host memory differs from the dtype ({}) of {}.", name(*dtype),
                               name(view.dtype()), core::buffer_text(incarnation_, Inside::buffer(view))));
  }
  if (bytes.size() != view.size_bytes()) {
    return invalid(fmt::format("Size ({}) of the host memory differs from the size ({}) of {}.", bytes.size(),
                               view.size_bytes(), core::buffer_text(incarnation_, Inside::buffer(view))));
  }
  if (bytes.data() == nullptr) {
    return invalid(fmt::format("Address (null) of the host memory has no {} bytes.", bytes.size()));
  }
  return range;
}

Result<void> CommandList::cross(const BufferView& to, const BufferView& from) {
  for (const BufferView& view : {to, from}) {
    if (view.size_bytes() == 0)
      return empty_window(Inside::incarnation(view), Inside::buffer(view), view.offset_bytes());
  }
  PINTLE_TRY(check_sizes(Inside::incarnation(to), {.buffer = Inside::buffer(to), .size = to.size_bytes()},
                         Inside::incarnation(from), {.buffer = Inside::buffer(from), .size = from.size_bytes()}));
  if (crossings_ == nullptr) crossings_ = std::make_unique<std::vector<core::ListCrossing>>();
  crossings_->push_back({commands_.size(), to, from});
  add(backend::Copy{});  // keeps the place until it is known which side belongs to the queue's device
  return {};
}

CommandList&& CommandList::copy(const BufferArgument& to, const BufferArgument& from) {
  return step("copy", [&]() -> Result<void> {
    if (is_crossing(to, from)) return cross(std::get<BufferView>(to), std::get<BufferView>(from));
    PINTLE_ASSIGN(target, range(to, size_of(from)));
    PINTLE_ASSIGN(source, range(from, size_of(to)));
    PINTLE_TRY(check_copy(incarnation_, target, source));
    add(backend::Copy{target, source});
    return {};
  });
}

Result<void> CommandList::copy_image(const ImageView& image, const BufferArgument& buffer, const ImagePart& part,
                                     bool is_to_image) {
  PINTLE_ASSIGN(texels, range(image));
  PINTLE_ASSIGN(checked, core::transfer_of(image, part));
  const auto transfer = std::make_shared<const backend::ImageTransfer>(checked);
  const std::uint64_t needed = bytes_of(*transfer), texel = bytes_of(image.texel());
  PINTLE_ASSIGN(rows, range(buffer, needed));
  if (rows.size < needed || rows.offset % texel != 0) {
    return Error(
        Errc::invalid_argument,
        fmt::format("Window ({} bytes at offset {}) of {} has no room for the ({}) bytes of the part of {}, or "
                    "does not begin at a multiple of the texel ({} bytes).",
                    rows.size, rows.offset, core::buffer_text(incarnation_, rows.buffer), needed,
                    core::image_text(image), texel));
  }
  rows.size = needed;
  retained_.push_back(transfer);
  if (is_to_image) add(backend::CopyImage{texels, rows, transfer.get(), true});
  else add(backend::CopyImage{rows, texels, transfer.get(), false});
  return {};
}

CommandList&& CommandList::copy(const ImageView& to, const BufferArgument& from, const ImagePart& part) {
  return step("copy_image", [&] { return copy_image(to, from, part, true); });
}

CommandList&& CommandList::copy(const BufferArgument& to, const ImageView& from, const ImagePart& part) {
  return step("copy_image", [&] { return copy_image(from, to, part, false); });
}

CommandList&& CommandList::fill_bytes(const BufferArgument& to, const ScalarValue& value) {
  return step("fill", [&]() -> Result<void> {
    PINTLE_ASSIGN(target, range(to, 0));
    const std::uint64_t size = bytes_of(value.dtype);
    PINTLE_TRY(check_dtype(incarnation_, to, target, value.dtype));
    PINTLE_TRY(check_elements(incarnation_, target, size));
    add(backend::Fill{target, value.bytes, static_cast<std::uint32_t>(size), value.dtype});
    return {};
  });
}

CommandList&& CommandList::upload_copy(const BufferView& to, std::optional<DType> dtype,
                                       std::span<const std::byte> from) {
  return step("upload", [&]() -> Result<void> {
    PINTLE_ASSIGN(target, host_range(to, dtype, from));
    auto bytes = std::make_shared_for_overwrite<std::byte[]>(from.size());
    std::memcpy(bytes.get(), from.data(), from.size());
    add(backend::Upload{target, {bytes.get(), from.size(), backend::no_slot}});
    retained_.push_back(std::move(bytes));
    return {};
  });
}

CommandList&& CommandList::upload_taken(const BufferView& to, DType dtype, std::span<const std::byte> from,
                                        std::shared_ptr<const void> (*take)(void* vector), void* vector) {
  std::shared_ptr<const void> owner;
  step("upload", [&]() -> Result<void> {
    owner = take(vector);
    return {};
  });
  return upload_retained(to, dtype, std::move(owner), from);
}

CommandList&& CommandList::upload_retained(const BufferView& to, std::optional<DType> dtype,
                                           std::shared_ptr<const void> owner, std::span<const std::byte> from) {
  return step("upload", [&]() -> Result<void> {
    PINTLE_ASSIGN(target, host_range(to, dtype, from));
    borrows_ = borrows_ || owner == nullptr;
    add(backend::Upload{target, {from.data(), from.size(), backend::no_slot}});
    if (owner != nullptr) retained_.push_back(std::move(owner));
    return {};
  });
}

CommandList&& CommandList::upload(const BufferView& to, Slot from) {
  return step("upload", [&]() -> Result<void> {
    PINTLE_TRY(take_slot(from));
    PINTLE_ASSIGN(target, range(to));
    add(backend::Upload{target, {nullptr, target.size, from.index}});
    return {};
  });
}

CommandList&& CommandList::download_lent(std::optional<DType> dtype, std::span<std::byte> to,
                                         std::shared_ptr<void> owner, const BufferView& from) {
  return step("download", [&]() -> Result<void> {
    PINTLE_ASSIGN(source, host_range(from, dtype, to));
    borrows_ = borrows_ || owner == nullptr;
    add(backend::Download{{to.data(), to.size(), backend::no_slot}, source});
    if (owner != nullptr) retained_.push_back(std::move(owner));
    return {};
  });
}

CommandList&& CommandList::download(Slot to, const BufferView& from) {
  return step("download", [&]() -> Result<void> {
    PINTLE_TRY(take_slot(to));
    PINTLE_ASSIGN(source, range(from));
    add(backend::Download{{nullptr, source.size, to.index}, source});
    return {};
  });
}

CommandList&& CommandList::exec_with(const Kernel& kernel, const Extent& extent,
                                     std::span<const KernelArgument> arguments) {
  return step("exec", [&]() -> Result<void> {
    PINTLE_ASSIGN(exec, launch(kernel, extent, arguments));
    add(exec);
    return {};
  });
}

CommandList&& CommandList::exec_indirect_with(const Kernel& kernel, const BufferArgument& grid_at, Grid most,
                                              std::span<const KernelArgument> arguments) {
  return step("exec_indirect", [&]() -> Result<void> {
    constexpr std::uint64_t size = 3 * sizeof(std::uint32_t);
    PINTLE_ASSIGN(exec, launch(kernel, most, arguments));
    PINTLE_ASSIGN(source, range(grid_at, size));
    PINTLE_TRY(check_exact(incarnation_, source, size));
    PINTLE_TRY(check_dtype(incarnation_, grid_at, source, DType::u32));
    PINTLE_TRY(check_elements(incarnation_, source, sizeof(std::uint32_t)));
    add(backend::ExecIndirect{exec, source});
    return {};
  });
}

CommandList&& CommandList::uses(const BufferArgument& buffer, Access access) {
  return step("uses", [&] { return use(buffer, access); });
}

CommandList&& CommandList::call(std::function<void()> function) {
  return step("host_call", [&]() -> Result<void> {
    if (!function) return invalid("Host function is empty.");
    auto held = std::make_shared<core::ListedFunction>(std::move(function));
    host_runs_.reserve(host_runs_.size() + 1);
    retained_.push_back(held);
    add(backend::HostCall{&core::HostRun::run, &held->run});
    host_runs_.push_back(&held->run);
    return {};
  });
}

CommandList&& CommandList::holds(const BufferView& buffer) {
  return step("holds", [&]() -> Result<void> {
    PINTLE_TRY(admit(buffer));
    held_.push_back(Inside::buffer(buffer));
    return {};
  });
}

CommandList&& CommandList::timestamp(const BufferArgument& to) {
  return step("timestamp", [&]() -> Result<void> {
    PINTLE_ASSIGN(target, range(to, sizeof(std::uint64_t)));
    PINTLE_TRY(check_exact(incarnation_, target, sizeof(std::uint64_t)));
    PINTLE_TRY(check_elements(incarnation_, target, sizeof(std::uint64_t)));
    add(backend::Timestamp{target});
    return {};
  });
}

CommandList&& CommandList::barrier() {
  next_barrier_ = true;
  return std::move(*this);
}

CommandList&& CommandList::label(std::string_view text) {
  return step("label", [&]() -> Result<void> {
    next_label_ = std::make_shared<const std::string>(text);
    return {};
  });
}

}  // namespace pintle
