#include "backends/pjrt/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "base/quote.h"
#include "kit/accesses.h"
#include "kit/host_clock.h"

namespace pintle::pjrt {
namespace {

using backend::Argument;
using std::chrono::nanoseconds;

/// Bytes that are copied while a caller waits.
constexpr std::uint64_t few_bytes = 64 << 10;

Kernel& kernel_of(const backend::Exec& exec) { return Programs::at(exec.program).kernel(exec.entry); }

}  // namespace

Result<void> Runner::operator()(const backend::Copy& copy) {
  return Block::copy(block_of(copy.to), copy.to.offset, block_of(copy.from), copy.from.offset, copy.to.size);
}

Result<void> Runner::operator()(const backend::Fill& fill) { return block_of(fill.to).fill(fill); }

Result<void> Runner::operator()(const backend::Upload& upload) {
  return block_of(upload.to).write(upload.to.offset, {upload.from.data, upload.to.size});
}

Result<void> Runner::operator()(const backend::Download& download) {
  return block_of(download.from).read(download.from.offset, {download.to.data, download.from.size});
}

Result<void> Runner::operator()(const backend::Timestamp& timestamp) {
  const std::uint64_t now = kit::host_ticks();
  return block_of(timestamp.to).write(timestamp.to.offset, std::as_bytes(std::span(&now, 1)));
}

Result<void> Runner::operator()(const backend::ExecIndirect& indirect) {
  std::array<std::uint32_t, 3> counts{};
  PINTLE_TRY(block_of(indirect.grid_at).read(indirect.grid_at.offset, std::as_writable_bytes(std::span(counts))));
  if (std::ranges::find(counts, 0U) != counts.end()) return {};
  return (*this)(indirect.exec);
}

/// A shape of fixed sides may need more than a view has: core compares with the signature, which may leave it open.
Result<void> Runner::check_sizes(const Kernel& kernel, const Variant& variant,
                                 std::span<const Argument> arguments) const {
  const auto check = [&](std::size_t index, const TensorType& type) -> Result<void> {
    const Argument& argument = arguments[index];
    if (argument.kind != Argument::Kind::buffer || type.bytes() <= argument.range.size) return {};
    return Error(Errc::invalid_argument,
                 fmt::format("Size ({} bytes) of the buffer for {} of {} is less than its type {} has ({} bytes).",
                             argument.range.size, base::quote(kernel.parameter_name(index)), kernel.text(), type.text(),
                             type.bytes()));
  };
  const std::span<const Use> uses = kernel.uses();
  for (std::size_t index = 0; index < uses.size(); ++index) {
    PINTLE_TRY(check(index, variant.parameters[index]));
    if (uses[index].result) PINTLE_TRY(check(index, *variant.executable->results()[*uses[index].result]));
  }
  return {};
}

/// Before anything is given up: nothing of it is lost for want of memory.
void Runner::make_room(const Kernel& kernel, const Executable& executable) {
  const std::size_t arguments = kernel.uses().size();
  inputs_.tensors.clear();
  inputs_.tensors.reserve(arguments);
  inputs_.buffers.clear();
  inputs_.buffers.reserve(arguments);
  inputs_.kept.clear();
  inputs_.kept.reserve(arguments);
  outputs_.assign(executable.results().size(), nullptr);
  results_.clear();
  results_.reserve(outputs_.size());
}

/// A buffer that is read and written is given up for its result, unless another block shares its tensor. All else is
/// kept, whatever the code says.
Result<void> Runner::gather(Kernel& kernel, const Variant& variant, std::span<const Argument> arguments) {
  const std::span<const Use> uses = kernel.uses();
  for (std::size_t index = 0; index < uses.size(); ++index) {
    const Argument& argument = arguments[index];
    const TensorType& type = variant.parameters[index];
    if (!uses[index].argument) continue;
    const bool is_given_up = variant.is_given_up[index];
    auto tensor = argument.kind == Argument::Kind::scalar ? kernel.scalar(client_, index, argument, type)
                  : is_given_up                           ? block_of(argument.range).take(argument.range.offset, type)
                                : block_of(argument.range).tensor(argument.range.offset, type);
    if (!tensor) {
      give_back(kernel, variant, arguments);
      return tensor.error();
    }
    if (!is_given_up || tensor->use_count() > 1) inputs_.kept.push_back(*uses[index].argument);
    inputs_.buffers.push_back((*tensor)->get());
    inputs_.tensors.push_back(std::move(*tensor));
  }
  return {};
}

/// After a launch that has not begun: what was given up is there again, unless the plug-in has used it.
void Runner::give_back(const Kernel& kernel, const Variant& variant, std::span<const Argument> arguments) const {
  const std::span<const Use> uses = kernel.uses();
  for (std::size_t index = 0; index < uses.size(); ++index) {
    if (!variant.is_given_up[index] || *uses[index].argument >= inputs_.tensors.size()) continue;
    const SharedTensor& tensor = inputs_.tensors[*uses[index].argument];
    if (client_.is_deleted(*tensor)) continue;
    static_cast<void>(block_of(arguments[index].range).put(arguments[index].range.offset, tensor));
  }
}

/// Leaves the results in results_.
Result<void> Runner::execute(const Kernel& kernel, const Variant& variant, std::span<const Argument> arguments) {
  const Executable& executable = *variant.executable;
  const Deadline begun = Clock::now();
  auto done = executable.execute(client_, inputs_.buffers, inputs_.kept, outputs_);
  variant.took.store(Clock::now() - begun, std::memory_order_relaxed);
  if (!done) {
    give_back(kernel, variant, arguments);
    return done.error().during(fmt::format("running {}", kernel.text()));
  }
  for (const pj::Buffer output : outputs_) results_.emplace_back(client_.api(), output);
  flight_.await(client_.api(), *done);
  return {};
}

Result<void> Runner::operator()(const backend::Exec& exec) {
  Kernel& kernel = kernel_of(exec);
  const std::span<const Argument> arguments = list_.of(exec);
  PINTLE_ASSIGN(variant, kernel.variant(client_, arguments));
  PINTLE_TRY(check_sizes(kernel, *variant, arguments));
  make_room(kernel, *variant->executable);
  PINTLE_TRY(gather(kernel, *variant, arguments));
  PINTLE_TRY(execute(kernel, *variant, arguments));
  const std::span<const Use> uses = kernel.uses();
  for (std::size_t index = 0; index < uses.size(); ++index) {
    if (!uses[index].result) continue;
    const backend::Range& range = arguments[index].range;
    const std::uint32_t result = *uses[index].result;
    auto tensor = std::make_shared<const Tensor>(std::move(results_[result]), variant->executable->results()[result]);
    PINTLE_TRY(block_of(range).put(range.offset, std::move(tensor)));
  }
  return {};
}

nanoseconds estimate(const backend::Command& command, const backend::Commands& list) {
  if (const auto* const exec = std::get_if<backend::Exec>(&command.operation)) {
    const auto variant = kernel_of(*exec).find(list.of(*exec));
    return variant != nullptr ? variant->took.load(std::memory_order_relaxed) : Variant::unknown;
  }
  std::uint64_t bytes = 0;
  kit::for_each_range(command, list.arguments, [&](const backend::Range& range, Access) { bytes += range.size; });
  return bytes <= few_bytes ? nanoseconds::zero() : Variant::unknown;
}

}  // namespace pintle::pjrt
