#include "backends/pjrt/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "base/contain.h"
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
  space_.tensors_.clear();
  space_.tensors_.reserve(arguments);
  space_.buffers_.clear();
  space_.buffers_.reserve(arguments);
  space_.kept_.clear();
  space_.kept_.reserve(arguments);
  space_.outputs_.assign(executable.results().size(), nullptr);
  space_.results_.clear();
  space_.results_.reserve(space_.outputs_.size());
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
    if (!is_given_up || tensor->use_count() > 1) space_.kept_.push_back(*uses[index].argument);
    space_.buffers_.push_back((*tensor)->get());
    space_.tensors_.push_back(std::move(*tensor));
  }
  return {};
}

/// After a launch that has not begun: what was given up is there again, unless the plug-in has used it.
void Runner::give_back(const Kernel& kernel, const Variant& variant, std::span<const Argument> arguments) const {
  const std::span<const Use> uses = kernel.uses();
  for (std::size_t index = 0; index < uses.size(); ++index) {
    if (!variant.is_given_up[index] || *uses[index].argument >= space_.tensors_.size()) continue;
    const SharedTensor& tensor = space_.tensors_[*uses[index].argument];
    if (client_.is_deleted(*tensor)) continue;
    static_cast<void>(block_of(arguments[index].range).put(arguments[index].range.offset, tensor));
  }
}

/// Whether the next launch takes every result. The plug-in runs it behind them, and an error travels with a tensor: so
/// the end of this launch is in that of the next.
bool Runner::is_taken_next(const backend::Exec& exec, const Variant& variant) const {
  if (next_ == nullptr || space_.outputs_.empty()) return false;
  const std::span<const Use> uses = kernel_of(exec).uses(), next_uses = kernel_of(*next_).uses();
  const std::span<const Argument> arguments = list_.of(exec), next_arguments = list_.of(*next_);
  const auto takes = [&](const backend::Range& range) {
    for (std::size_t index = 0; index < next_uses.size(); ++index) {
      const Argument& argument = next_arguments[index];
      if (next_uses[index].argument && argument.kind == Argument::Kind::buffer && argument.range == range) return true;
    }
    return false;
  };
  for (std::size_t index = 0; index < uses.size(); ++index) {
    if (!uses[index].result) continue;
    const bool has_bytes = variant.executable->results()[*uses[index].result]->bytes() != 0;
    if (!has_bytes || !takes(arguments[index].range)) return false;
  }
  return true;
}

/// Where the next launch has not begun, the results of the one before tell when it is over.
void Runner::await_untold() {
  if (untold_ == nullptr) return;
  const std::span<const Use> uses = kernel_of(*untold_).uses();
  const std::span<const Argument> arguments = list_.of(*untold_);
  for (std::size_t index = 0; index < uses.size(); ++index) {
    if (!uses[index].result) continue;
    const SharedTensor tensor = block_of(arguments[index].range).find(arguments[index].range.offset);
    if (tensor == nullptr) continue;
    if (const auto ready = client_.ready(*tensor)) flight_.await(client_.api(), *ready);
  }
}

Result<void> Runner::run_all(std::span<const SharedVariant> found) {
  const std::span<const backend::Command> commands = list_.commands;
  const auto ran = base::contain("running commands", [&]() -> Result<void> {
    for (std::size_t index = 0; index < commands.size(); ++index) {
      found_ = index < found.size() ? found[index] : nullptr;
      next_ = index + 1 < commands.size() ? std::get_if<backend::Exec>(&commands[index + 1].operation) : nullptr;
      PINTLE_TRY(run(commands[index]));
    }
    return {};
  });
  if (!ran) await_untold();
  return ran;
}

/// Leaves the results in space_.results_.
Result<void> Runner::execute(const backend::Exec& exec, const Variant& variant) {
  const bool is_taken = is_taken_next(exec, variant);
  const bool is_timed = variant.took.is_due();
  const Deadline begun = is_timed ? Clock::now() : Deadline();
  const auto end = is_taken ? Executable::End::not_asked : Executable::End::asked;
  auto done = variant.executable->execute(client_, space_.buffers_, space_.kept_, space_.outputs_, end);
  if (is_timed) variant.took.note(Clock::now() - begun);
  if (!done) {
    const Kernel& kernel = kernel_of(exec);
    give_back(kernel, variant, list_.of(exec));
    return done.error().during(fmt::format("running {}", kernel.text()));
  }
  for (const pj::Buffer output : space_.outputs_) space_.results_.emplace_back(client_.api(), output);
  untold_ = is_taken ? &exec : nullptr;
  if (!is_taken) flight_.await(client_.api(), *done);
  return {};
}

Result<void> Runner::operator()(const backend::Exec& exec) {
  Kernel& kernel = kernel_of(exec);
  const std::span<const Argument> arguments = list_.of(exec);
  SharedVariant variant = std::move(found_);
  if (variant == nullptr) {
    PINTLE_ASSIGN(made, kernel.variant(client_, arguments));
    variant = std::move(made);
  }
  PINTLE_TRY(check_sizes(kernel, *variant, arguments));
  make_room(kernel, *variant->executable);
  PINTLE_TRY(gather(kernel, *variant, arguments));
  PINTLE_TRY(execute(exec, *variant));
  const std::span<const Use> uses = kernel.uses();
  for (std::size_t index = 0; index < uses.size(); ++index) {
    if (!uses[index].result) continue;
    const backend::Range& range = arguments[index].range;
    const std::uint32_t result = *uses[index].result;
    auto tensor =
        std::make_shared<const Tensor>(std::move(space_.results_[result]), variant->executable->results()[result]);
    PINTLE_TRY(block_of(range).put(range.offset, std::move(tensor)));
  }
  return {};
}

Estimate estimate(const backend::Command& command, const backend::Commands& list) {
  if (const auto* const exec = std::get_if<backend::Exec>(&command.operation)) {
    auto variant = kernel_of(*exec).find(list.of(*exec));
    const nanoseconds took = variant != nullptr ? variant->took.least() : RunTime::unknown;
    return {took, std::move(variant)};
  }
  std::uint64_t bytes = 0;
  kit::for_each_range(command, list.arguments, [&](const backend::Range& range, Access) { bytes += range.size; });
  return {bytes <= few_bytes ? nanoseconds::zero() : RunTime::unknown, nullptr};
}

}  // namespace pintle::pjrt
