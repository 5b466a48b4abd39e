// Buffers of an incarnation: made, found, freed when their last use is finished.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/fork.h"
#include "core/describe.h"
#include "core/incarnation.h"
#include "core/loan.h"
#include "core/object_names.h"
#include "core/slot_rules.h"
#include "kit/accesses.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t max_alignment = 4096;

Result<backend::MemoryRequest> check_request(DType dtype, const Shape& shape, const BufferOptions& options,
                                             const DeviceInfo& info) {
  if (!parse_dtype(name(dtype)))
    return Error(Errc::invalid_argument,
                 fmt::format("DType ({}) is none of {}.", static_cast<int>(dtype), dtype_names()));
  const auto bytes = shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
  if (!bytes) {
    return Error(Errc::invalid_argument,
                 shape.is_valid()
                     ? fmt::format("Shape {} of {} has more bytes than 64 bits count.", shape.text(), name(dtype))
                     : fmt::format("Rank ({}) is larger than the limit ({}).", shape.rank(), Shape::max_rank));
  }
  if (*bytes == 0)
    return Error(Errc::invalid_argument, fmt::format("Shape {} has size (0); the least is (1).", shape.text()));
  if (*bytes > info.limits.max_allocation) {
    return Error(Errc::invalid_argument, fmt::format("Size ({}) is larger than the largest allocation ({}) of [{}].",
                                                     *bytes, info.limits.max_allocation, info.id));
  }
  if (!std::has_single_bit(options.alignment) || options.alignment > max_alignment) {
    return Error(Errc::invalid_argument, fmt::format("Alignment ({}) is not a power of two of at most ({}).",
                                                     options.alignment, max_alignment));
  }
  return backend::MemoryRequest{*bytes, options.alignment, options.placement, options.label};
}

std::optional<Feature> feature_of(const backend::Operation& operation) noexcept {
  if (std::holds_alternative<backend::HostCall>(operation)) return Feature::host_call;
  if (std::holds_alternative<backend::Timestamp>(operation)) return Feature::timestamp;
  if (std::holds_alternative<backend::ExecIndirect>(operation)) return Feature::indirect;
  return std::nullopt;
}

// What the device declares absent never reaches it.
Result<void> check_feature(const backend::Operation& operation, const DeviceInfo& info) {
  const auto feature = feature_of(operation);
  if (!feature) return {};
  const auto row = std::ranges::find(info.capabilities, *feature, &Capability::feature);
  if (row != info.capabilities.end() && row->support != Support::absent) return {};
  return Error(Errc::unsupported,
               fmt::format("Command ({}) needs the feature ({}), which [{}] does not have: {}.",
                           backend::name(operation), name(*feature), info.id, info.capability(*feature).detail));
}

}  // namespace

Result<Buffer> Incarnation::allocate(DType dtype, const Shape& shape, const BufferOptions& options) {
  PINTLE_TRY(usable("[" + id() + "]"));
  PINTLE_ASSIGN(request, check_request(dtype, shape, options, info_));
  auto memory = device_->allocate(request);
  if (!memory && memory.error().code() == Errc::out_of_memory && has_retired()) {
    PINTLE_TRY(poll());  // frees destroyed buffers whose last use has been finished meanwhile
    memory = device_->allocate(request);
  }
  if (!memory) return describe_exhaustion(report(memory.error()));
  return keep_buffer(*memory, dtype, shape, request);
}

Result<Buffer> Incarnation::wrap_memory(const backend::NativeObject& memory, DType dtype, const Shape& shape,
                                        const std::string& label) {
  PINTLE_TRY(usable("[" + id() + "]"));
  const BufferOptions options{.label = label};
  PINTLE_ASSIGN(request, check_request(dtype, shape, options, info_));
  const auto wrapped = device_->import_memory(backend::NativeMemory{memory, request.size});
  if (!wrapped) return report(wrapped.error()).during(fmt::format("wrapping memory for [{}]", id()));
  return keep_buffer(*wrapped, dtype, shape, request);
}

Result<Buffer> Incarnation::import_memory(const backend::Exported& exported) {
  PINTLE_TRY(usable("[" + id() + "]"));
  const auto imported = device_->import_memory(exported);
  if (!imported) return report(imported.error());
  return keep_buffer(*imported, DType::u8, {exported.size}, {exported.size, 1, Placement::device, "another device's"});
}

Buffer Incarnation::keep_buffer(backend::MemoryId memory, DType dtype, const Shape& shape,
                                const backend::MemoryRequest& request) {
  BufferView view;
  view.incarnation_ = number_;
  view.size_ = request.size;
  view.dtype_ = dtype;
  view.shape_ = shape;
  std::lock_guard lock(mutex_);
  view.buffer_ = buffers_.insert({memory, request.size, std::string(request.label), {}});
  return {lease(), view};
}

bool Incarnation::has_retired() {
  std::lock_guard lock(mutex_);
  return !retired_.empty();
}

// Says who holds the memory.
Error Incarnation::describe_exhaustion(const Error& error) {
  if (error.code() != Errc::out_of_memory) return error;
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::uint64_t, std::string>> holders;
  {
    std::lock_guard lock(mutex_);
    buffers_.for_each([&](std::uint64_t id, const BufferRecord& record) {
      holders.emplace_back(record.size, object_text("Buffer", static_cast<std::uint32_t>(id), record.label));
    });
  }
  std::ranges::sort(holders, std::greater());
  if (holders.empty()) return error.during("allocating from [" + id() + "], where no buffer is alive");
  std::string words = "allocating from [" + id() + "], whose largest buffers are ";
  for (std::size_t i = 0; i < std::min(most, holders.size()); ++i) {
    words += fmt::format("{}{} ({} bytes)", i == 0 ? "" : ", ", holders[i].second, holders[i].first);
  }
  return error.during(std::move(words));
}

void Incarnation::destroy_buffer(std::uint64_t id) noexcept {
  if (base::in_forked_child()) return;
  std::shared_ptr<Loan> loan;  // goes without the lock, which its end takes
  Worklist worklist;
  std::lock_guard lock(mutex_);
  auto record = buffers_.erase(id);
  if (!record) return;
  loan = record->loan.lock();
  if (loan == nullptr) return retire_memory(*record, worklist);
  loan->release_at_end([self = shared_from_this(), lent = std::move(*record)] {
    Worklist ended;
    std::lock_guard ending(self->mutex_);
    self->retire_memory(lent, ended);
  });
}

void Incarnation::retire_memory(const BufferRecord& record, Worklist& worklist) {
  retire(
      record.stamps,
      [self = shared_from_this(), memory = record.memory] {
        if (!self->is_lost()) self->device_->release(memory);
      },
      worklist);
}

/// The loan of a live buffer, when `lend(loan, memory)` has done with it what it is for.
template <class Lend>
Result<std::shared_ptr<Loan>> Incarnation::loan_of(std::uint64_t id, Lend lend) {
  PINTLE_TRY(usable(buffer_text(id)));
  Worklist worklist;
  std::shared_ptr<Loan> loan;  // goes without the lock, which its end takes
  std::lock_guard lock(mutex_);
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  loan = record->loan.lock();
  if (loan == nullptr) loan = std::make_shared<Loan>(shared_from_this(), record->memory);
  if (const Result<void> lent = lend(*loan, record->memory); !lent) return report_locked(lent.error(), worklist);
  record->loan = loan;
  return loan;
}

Result<std::shared_ptr<Loan>> Incarnation::lend(std::uint64_t id) {
  return loan_of(id, [](Loan& loan, backend::MemoryId) { return loan.map(); });
}

Result<std::shared_ptr<Loan>> Incarnation::share(std::uint64_t id, backend::Exported& exported) {
  return loan_of(id, [&](Loan&, backend::MemoryId memory) -> Result<void> {
    PINTLE_ASSIGN(handle, device_->export_memory(memory));
    exported = handle;
    return {};
  });
}

Result<backend::MemoryId> Incarnation::memory_of(std::uint64_t id) {
  PINTLE_TRY(usable(buffer_text(id)));
  std::lock_guard lock(mutex_);
  const BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  return record->memory;
}

std::string Incarnation::buffer_text(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  return buffer_text_locked(id);
}

std::string Incarnation::buffer_text_locked(std::uint64_t id) {
  const BufferRecord* const record = find_buffer(id);
  return object_text("Buffer", static_cast<std::uint32_t>(id),
                     record != nullptr ? std::string_view(record->label) : "");
}

Error Incarnation::stale_buffer(std::uint64_t id) const {
  return Error(Errc::stale,
               fmt::format("[Buffer {}] of [{}] has been destroyed.", static_cast<std::uint32_t>(id), this->id()));
}

Result<void> Incarnation::resolve(CommandList& list, std::optional<Stamp> use) {
  if (list.incarnation_ != 0 && list.incarnation_ != number_) {  // without the label, which lies behind another lock
    return check_owner(list.incarnation_,
                       list.first_kernel_ != nullptr
                           ? kernel_text(*list.first_kernel_)
                           : object_text("Buffer", static_cast<std::uint32_t>(list.first_buffer_), ""));
  }
  if (use) {
    const auto rules = slot_rules(list.commands_, list.arguments_, info_.limits);
    if (!rules.empty()) {
      return Error(Errc::invalid_argument,
                   fmt::format("The list has slot ({}), which only a recording can have: record it, then replay.",
                               rules[0].slot));
    }
  }
  std::uint64_t missing = 0;
  for (backend::Command& command : list.commands_) {
    PINTLE_TRY(check_feature(command.operation, info_));
    kit::for_each_range(command, std::span(list.arguments_), [&](backend::Range& range, Access) {
      if (range.slot != backend::no_slot || missing != 0) return;
      BufferRecord* const record = find_buffer(range.buffer);
      if (record == nullptr) {
        missing = range.buffer;
        return;
      }
      range.memory = record->memory;
      if (use) record->stamps.set(use->queue, use->serial);
    });
  }
  if (missing != 0) return stale_buffer(missing);
  return {};
}

}  // namespace pintle::core
