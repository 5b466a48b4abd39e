#include "pintle/commands.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/contain.h"
#include "base/immortal.h"
#include "base/inside.h"
#include "core/door/describe.h"
#include "core/list/host_function.h"
#include "core/list/list_state.h"
#include "pintle/backend/command.h"

namespace pintle {

using core::invalid;
using core::ListState;

namespace {

/// Checks that the range is whole elements of `size` bytes.
Result<void> check_elements(std::uint64_t incarnation, const backend::Range& range, std::uint64_t size) {
  if (range.offset % size == 0 && range.size % size == 0) return {};
  return invalid(fmt::format("Range {} of {} does not begin and end at a multiple of the element size ({}).",
                             core::span_text(range), core::buffer_text(incarnation, range.buffer), size));
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
  static const base::Immortal<std::optional<Error>> error(
      invalid("Command list is moved from; a list is submitted or recorded once."));
  return error.value;
}

const std::optional<Error>& memory_error() noexcept {
  static const base::Immortal<std::optional<Error>> error(Error(Errc::out_of_memory, "Memory ran out."));
  return error.value;
}

}  // namespace

void CommandList::drop() noexcept { std::exchange(state_, nullptr)->let_go(); }

std::size_t CommandList::size() const noexcept { return state_ != nullptr ? state_->commands.size() : 0; }

const std::optional<Error>& CommandList::error() const noexcept {
  static const std::optional<Error> none;
  if (without_ == Without::moved_from) return moved_from_error();
  if (without_ == Without::memory) return memory_error();
  return state_ != nullptr ? state_->error : none;
}

template <class Body>
CommandList&& CommandList::step(const char* name, Body body) {
  if (without_ != Without::steps) return std::move(*this);
  if (state_ == nullptr) state_ = ListState::take();
  if (state_ == nullptr) {
    without_ = Without::memory;
    return std::move(*this);
  }
  if (state_->error) return std::move(*this);
  const Result<void> done = base::contain("building a command list", [&] { return body(*state_); });
  if (done) return std::move(*this);
  try {
    state_->error = done.error().during(fmt::format("adding command {} ({})", state_->commands.size(), name));
  } catch (...) {
    state_->error = done.error();
  }
  return std::move(*this);
}

CommandList&& CommandList::copy(const BufferArgument& to, const BufferArgument& from) {
  return step("copy", [&](ListState& list) { return list.copy(to, from); });
}

CommandList&& CommandList::copy(const ImageView& to, const BufferArgument& from, const ImagePart& part) {
  return step("copy_image", [&](ListState& list) { return list.copy_image(to, from, part, true); });
}

CommandList&& CommandList::copy(const BufferArgument& to, const ImageView& from, const ImagePart& part) {
  return step("copy_image", [&](ListState& list) { return list.copy_image(from, to, part, false); });
}

CommandList&& CommandList::fill(const BufferArgument& to, const ScalarValue& value) {
  return step("fill", [&](ListState& list) -> Result<void> {
    PINTLE_ASSIGN(target, list.range(to, 0));
    if (!is_dtype(value.dtype))
      return invalid(
          fmt::format("There is no dtype with the number ({}) of the value.", static_cast<unsigned>(value.dtype)));
    const std::uint64_t size = bytes_of(value.dtype);
    PINTLE_TRY(check_dtype(list.incarnation, to, target, value.dtype));
    PINTLE_TRY(check_elements(list.incarnation, target, size));
    list.add(backend::Fill{target, value.bytes, static_cast<std::uint32_t>(size), value.dtype});
    return {};
  });
}

CommandList&& CommandList::upload_copy(const BufferView& to, std::optional<DType> dtype,
                                       std::span<const std::byte> from) {
  return step("upload", [&](ListState& list) -> Result<void> {
    PINTLE_ASSIGN(target, list.host_range(to, dtype, from));
    auto bytes = std::make_shared_for_overwrite<std::byte[]>(from.size());
    std::memcpy(bytes.get(), from.data(), from.size());
    list.add(backend::Upload{target, {bytes.get(), from.size(), backend::no_slot}});
    list.own(std::move(bytes));
    return {};
  });
}

CommandList&& CommandList::upload_taken(const BufferView& to, DType dtype, std::span<const std::byte> from,
                                        std::shared_ptr<const void> (*take)(void* vector), void* vector) {
  std::shared_ptr<const void> owner;
  step("upload", [&](ListState&) -> Result<void> {
    owner = take(vector);
    return {};
  });
  return upload_retained(to, dtype, std::move(owner), from);
}

CommandList&& CommandList::upload_retained(const BufferView& to, std::optional<DType> dtype,
                                           std::shared_ptr<const void> owner, std::span<const std::byte> from) {
  return step("upload", [&](ListState& list) -> Result<void> {
    PINTLE_ASSIGN(target, list.host_range(to, dtype, from));
    list.add(backend::Upload{target, {from.data(), from.size(), backend::no_slot}});
    list.own(std::move(owner));
    return {};
  });
}

CommandList&& CommandList::upload(const BufferView& to, Slot from) {
  return step("upload", [&](ListState& list) -> Result<void> {
    PINTLE_TRY(list.take_slot(from));
    PINTLE_ASSIGN(target, list.range(to));
    list.add(backend::Upload{target, {nullptr, target.size, from.index}});
    return {};
  });
}

CommandList&& CommandList::download_lent(std::optional<DType> dtype, std::span<std::byte> to,
                                         std::shared_ptr<void> owner, const BufferView& from) {
  return step("download", [&](ListState& list) -> Result<void> {
    PINTLE_ASSIGN(source, list.host_range(from, dtype, to));
    list.add(backend::Download{{to.data(), to.size(), backend::no_slot}, source});
    list.own(std::move(owner));
    return {};
  });
}

CommandList&& CommandList::download(Slot to, const BufferView& from) {
  return step("download", [&](ListState& list) -> Result<void> {
    PINTLE_TRY(list.take_slot(to));
    PINTLE_ASSIGN(source, list.range(from));
    list.add(backend::Download{{nullptr, source.size, to.index}, source});
    return {};
  });
}

CommandList&& CommandList::exec_with(const Kernel& kernel, const Extent& extent,
                                     std::span<const KernelArgument> arguments) {
  return step("exec", [&](ListState& list) -> Result<void> {
    PINTLE_ASSIGN(exec, list.launch(kernel, extent, arguments));
    list.add(exec);
    return {};
  });
}

CommandList&& CommandList::exec_indirect_with(const Kernel& kernel, const BufferArgument& grid_at, Grid most,
                                              std::span<const KernelArgument> arguments) {
  return step("exec_indirect", [&](ListState& list) -> Result<void> {
    constexpr std::uint64_t size = 3 * sizeof(std::uint32_t);
    PINTLE_ASSIGN(exec, list.launch(kernel, most, arguments));
    PINTLE_ASSIGN(source, list.range(grid_at, size));
    PINTLE_TRY(check_exact(list.incarnation, source, size));
    PINTLE_TRY(check_dtype(list.incarnation, grid_at, source, DType::u32));
    PINTLE_TRY(check_elements(list.incarnation, source, sizeof(std::uint32_t)));
    list.add(backend::ExecIndirect{exec, source});
    return {};
  });
}

CommandList&& CommandList::uses(const BufferArgument& buffer, Access access) {
  return step("uses", [&](ListState& list) { return list.use(buffer, access); });
}

CommandList&& CommandList::call(std::function<void()> function) {
  return step("host_call", [&](ListState& list) -> Result<void> {
    if (!function) return invalid("Host function is empty.");
    auto held = std::make_shared<core::ListedFunction>(std::move(function));
    list.host_runs.reserve(list.host_runs.size() + 1);
    list.own(held);
    list.add(backend::HostCall{&core::HostRun::run, &held->run});
    list.host_runs.push_back(&held->run);
    return {};
  });
}

CommandList&& CommandList::holds(const BufferView& buffer) {
  return step("holds", [&](ListState& list) -> Result<void> {
    PINTLE_TRY(list.admit(buffer));
    list.held.push_back(Inside::buffer(buffer));
    return {};
  });
}

CommandList&& CommandList::timestamp(const BufferArgument& to) {
  return step("timestamp", [&](ListState& list) -> Result<void> {
    PINTLE_ASSIGN(target, list.range(to, sizeof(std::uint64_t)));
    PINTLE_TRY(check_exact(list.incarnation, target, sizeof(std::uint64_t)));
    PINTLE_TRY(check_elements(list.incarnation, target, sizeof(std::uint64_t)));
    list.add(backend::Timestamp{target});
    return {};
  });
}

CommandList&& CommandList::barrier() {
  return step("barrier", [](ListState& list) -> Result<void> {
    list.next_barrier = true;
    return {};
  });
}

CommandList&& CommandList::label(std::string_view text) {
  return step("label", [&](ListState& list) -> Result<void> {
    list.next_label = std::make_shared<const std::string>(text);
    return {};
  });
}

}  // namespace pintle
