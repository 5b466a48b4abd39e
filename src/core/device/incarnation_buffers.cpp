// Buffers of an incarnation: made, found, freed when their last use is finished.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/fork.h"
#include "core/buffers/loan.h"
#include "core/buffers/pool_state.h"
#include "core/device/incarnation.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/list/slot_rules.h"
#include "kit/accesses.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t max_alignment = 4096;

BufferRecord record_of(const backend::MemoryRequest& request) {
  BufferRecord record;
  record.size = request.size;
  record.alignment = static_cast<std::uint32_t>(request.alignment);
  record.placement = request.placement;
  record.label = request.label;
  return record;
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

Result<std::uint64_t> Incarnation::check_request(DType dtype, const Shape& shape, std::uint64_t alignment) const {
  if (!is_dtype(dtype))
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
  if (*bytes > info_.limits.max_allocation) {
    return Error(Errc::invalid_argument, fmt::format("Size ({}) is larger than the largest allocation ({}) of [{}].",
                                                     *bytes, info_.limits.max_allocation, info_.id));
  }
  if (!base::is_power_of_two(alignment) || alignment > max_alignment) {
    return Error(Errc::invalid_argument,
                 fmt::format("Alignment ({}) is not a power of two of at most ({}).", alignment, max_alignment));
  }
  return *bytes;
}

Result<Buffer> Incarnation::allocate(DType dtype, const Shape& shape, const BufferOptions& options) {
  PINTLE_TRY(usable("[" + id() + "]"));
  PINTLE_ASSIGN(size, check_request(dtype, shape, options.alignment));
  const backend::MemoryRequest request{size, options.alignment, options.placement, options.label};
  BufferRecord record = record_of(request);
  if (options.allocation == Allocation::eager) {
    auto memory = device_->allocate(request);
    if (!memory && memory.error().code() == Errc::out_of_memory && has_retired()) {
      PINTLE_TRY(poll());  // frees destroyed buffers whose last use has been finished meanwhile
      memory = device_->allocate(request);
    }
    if (!memory) return describe_exhaustion(report(memory.error()));
    record.memory = *memory;
  }
  std::lock_guard lock(mutex_);
  has_specials_ |= record.is_lazy();
  return keep_buffer(std::move(record), dtype, shape);
}

Result<Buffer> Incarnation::wrap_memory(const backend::NativeObject& memory, DType dtype, const Shape& shape,
                                        const std::string& label) {
  PINTLE_TRY(usable("[" + id() + "]"));
  PINTLE_ASSIGN(size, check_request(dtype, shape, 1));
  auto wrapped = device_->import_memory(backend::NativeMemory{memory, size});
  if (!wrapped) return report(wrapped.error()).during(fmt::format("wrapping memory for [{}]", id()));
  return keep_import(*wrapped, record_of({size, 1, Placement::device, label}), dtype, shape);
}

Result<Buffer> Incarnation::import_memory(const backend::Exported& exported) {
  PINTLE_TRY(usable("[" + id() + "]"));
  const auto imported = device_->import_memory(exported);
  if (!imported) return report(imported.error());
  return keep_import(*imported, record_of({exported.size, 1, Placement::device, "another device's"}), DType::u8,
                     {exported.size});
}

Result<Buffer> Incarnation::import_host(std::span<std::byte> bytes, std::uint64_t offset, DType dtype,
                                        const Shape& shape, const std::string& label,
                                        std::shared_ptr<const void> keeper) {
  PINTLE_TRY(usable("[" + id() + "]"));
  PINTLE_ASSIGN(size, check_request(dtype, shape, 1));
  if (!base::range_fits(offset, size, bytes.size())) {
    return Error(Errc::invalid_argument, fmt::format("Shape {} of {} has size ({}), and the memory has ({}) from ({}).",
                                                     shape.text(), name(dtype), size, bytes.size(), offset));
  }
  if (offset % std::max<std::uint64_t>(info_.limits.offset_alignment, bytes_of(dtype)) != 0) {
    return Error(Errc::unsupported, fmt::format("Offset ({}) is no multiple of ({}), which [{}] needs.", offset,
                                                info_.limits.offset_alignment, id()));
  }
  const auto imported = device_->import_memory(bytes);
  if (!imported) return report(imported.error()).during(fmt::format("importing host memory to [{}]", id()));
  BufferRecord record = record_of({size, 1, Placement::device, label});
  record.base = offset;
  record.origin.keeper = std::move(keeper);
  return keep_import(*imported, std::move(record), dtype, shape);
}

/// Its bytes are known outside, so they stay where they are.
NewBuffer Incarnation::keep_import(backend::MemoryId imported, BufferRecord record, DType dtype, const Shape& shape) {
  record.memory = imported;
  record.is_pinned = true;
  std::lock_guard lock(mutex_);
  return keep_buffer(std::move(record), dtype, shape);
}

NewBuffer Incarnation::keep_buffer(BufferRecord record, DType dtype, const Shape& shape) {
  const std::uint64_t size = record.size;
  return hand_out_buffer(buffers_.insert(std::move(record)), size, dtype, shape);
}

/// With the lock held. Waits for nothing, so what is about to be free does not count.
Result<backend::MemoryId> Incarnation::allocate_memory(const backend::MemoryRequest& request) {
  auto memory = device_->allocate(request);
  if (!memory && memory.error().code() == Errc::out_of_memory) return exhausted_locked(memory.error());
  return memory;
}

bool Incarnation::has_retired() {
  std::lock_guard lock(mutex_);
  return !retired_.empty();
}

// Says who holds the memory.
Error Incarnation::describe_exhaustion(const Error& error) {
  std::lock_guard lock(mutex_);
  return error.code() == Errc::out_of_memory ? exhausted_locked(error) : error;
}

Error Incarnation::exhausted_locked(const Error& error) const {
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::uint64_t, std::string>> holders;
  buffers_.for_each([&](std::uint64_t id, const BufferRecord& record) {
    if (!record.is_lazy())
      holders.emplace_back(record.size, object_text("Buffer", static_cast<std::uint32_t>(id), record.label));
  });
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
  // These go without the lock, the lease last.
  std::shared_ptr<Incarnation> last;
  std::shared_ptr<const void> kept;
  std::shared_ptr<Loan> loan;
  Worklist worklist;
  std::lock_guard lock(mutex_);
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return;
  last = count_gone();
  kept = std::move(record->kept);
  loan = record->loan.lock();
  if (loan == nullptr) {
    retire_memory(*record, worklist);
    return buffers_.drop(id);
  }
  loan->release_at_end([self = shared_from_this(), lent = std::make_shared<BufferRecord>(*buffers_.erase(id))] {
    Worklist ended;
    std::lock_guard ending(self->mutex_);
    self->retire_memory(*lent, ended);
  });
}

void Incarnation::keep(std::uint64_t id, std::shared_ptr<const void> kept) {
  struct Chain {
    std::shared_ptr<const void> later;
    std::shared_ptr<const void> earlier;  // goes first, since it is the last member
  };
  std::lock_guard lock(mutex_);
  BufferRecord& record = *find_buffer(id);
  if (record.kept.use_count() == 0) {  // who is kept for its deleter may point nowhere
    record.kept = std::move(kept);
    return;
  }
  auto chain = std::make_shared<Chain>();
  chain->later = std::move(kept);
  chain->earlier = std::move(record.kept);
  record.kept = std::move(chain);
}

/// The record is about to go.
void Incarnation::retire_memory(BufferRecord& record, Worklist& worklist) {
  if (record.is_lazy()) return;
  if (record.origin.pool != nullptr)
    return record.origin.pool->give_back(*record.origin.chunk, record.stamps, worklist);
  if (record.shared == nullptr)
    return give_back(std::move(record.origin), record.memory, std::move(record.stamps), worklist);
  SharedBytes& shared = *record.shared;
  shared.before.merge(record.stamps);
  if (--shared.owners == 0) give_back(std::move(shared.origin), record.memory, std::move(shared.before), worklist);
}

void Incarnation::give_back(Origin&& origin, backend::MemoryId memory, Stamps&& stamps, Worklist& worklist) {
  if (origin.pool != nullptr) return origin.pool->give_back(*origin.chunk, stamps, worklist);
  retire(
      std::move(stamps),
      [self = shared_from_this(), memory, keeper = std::move(origin.keeper)] {
        if (!self->is_lost()) self->device_->release(memory);
      },
      worklist);
}

/// The loan of a live buffer, when `lend(loan, memory)` has done with it what it is for.
template <class Lend>
Result<std::shared_ptr<Loan>> Incarnation::loan_of(std::uint64_t id, Access access, Lend lend) {
  if (is_shared(id)) return Error(Errc::unsupported, "Bytes that a fork shares cannot be lent: they may move.");
  PINTLE_ASSIGN(place, pin(id, access));
  Worklist worklist;
  std::shared_ptr<Loan> loan;  // goes without the lock, which its end takes
  std::lock_guard lock(mutex_);
  BufferRecord* const record = find_buffer(id);
  if (record == nullptr) return stale_buffer(id);
  loan = record->loan.lock();
  if (loan == nullptr) loan = std::make_shared<Loan>(shared_from_this(), place);
  if (const Result<void> lent = lend(*loan, place); !lent) return report_locked(lent.error(), worklist);
  record->loan = loan;
  return loan;
}

Result<std::shared_ptr<Loan>> Incarnation::lend(std::uint64_t id, Access access) {
  return loan_of(id, access, [](Loan& loan, const backend::Range&) { return loan.map(); });
}

Result<std::shared_ptr<Loan>> Incarnation::share(std::uint64_t id, Access access, backend::Exported& exported) {
  return loan_of(id, access, [&](Loan&, const backend::Range& place) -> Result<void> {
    PINTLE_ASSIGN(handle, device_->export_memory(place.memory));
    exported = handle;
    exported.offset += place.offset;
    exported.size = place.size;
    return {};
  });
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

Result<void> Incarnation::resolve(CommandList& list, Use* use) {
  if (list.incarnation_ != 0 && list.incarnation_ != number_) {  // without the label, which lies behind another lock
    return check_owner(list.incarnation_,
                       list.first_kernel_ != nullptr
                           ? kernel_text(*list.first_kernel_)
                           : object_text("Buffer", static_cast<std::uint32_t>(list.first_buffer_), ""));
  }
  if (use != nullptr) {
    const auto rules = slot_rules(list.commands_, list.arguments_, info_.limits);
    if (!rules.empty()) {
      return Error(Errc::invalid_argument,
                   fmt::format("The list has slot ({}), which only a recording can have: record it, then replay.",
                               rules[0].slot));
    }
  }
  PINTLE_TRY(prepare(list, use));
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
      range.offset += record->base;
      if (use != nullptr) record->stamps.set(use->stamp.queue, use->stamp.serial);
      else record->is_pinned = true;
    });
  }
  if (missing != 0) return stale_buffer(missing);
  return {};
}

}  // namespace pintle::core
