#include "core/buffers/buffer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "base/timeout.h"
#include "core/door/describe.h"
#include "core/life/life.h"

namespace pintle::core {
namespace {

constexpr std::uint64_t max_alignment = 4096;

Result<void> check_options(const BufferOptions& options) {
  PINTLE_TRY(base::check(options.timeout));
  if (!base::is_power_of_two(options.alignment) || options.alignment > max_alignment) {
    return invalid(
        fmt::format("Alignment ({}) is not a power of two of at most ({}).", options.alignment, max_alignment));
  }
  if (options.placement != Placement::device && options.placement != Placement::host)
    return invalid(fmt::format("Placement ({}) does not exist.", static_cast<int>(options.placement)));
  if (options.allocation != Allocation::eager && options.allocation != Allocation::lazy)
    return invalid(fmt::format("Allocation ({}) does not exist.", static_cast<int>(options.allocation)));
  return {};
}

BufferRecord record_of(const backend::MemoryRequest& request) {
  BufferRecord record;
  record.size = request.size;
  record.alignment = static_cast<std::uint32_t>(request.alignment);
  record.placement = request.placement;
  record.label = request.label;
  return record;
}

}  // namespace

std::string buffer_text(std::uint64_t incarnation, std::uint64_t id) {
  const auto table = BufferTable::find_table(incarnation);
  return table ? table->text(id) : BufferRecord().text(id);
}

std::shared_ptr<BufferTable> BufferTable::find_table(std::uint64_t number) {
  const auto owner = find_owner(number);
  return owner ? std::static_pointer_cast<BufferTable>(owner->table.lock()) : nullptr;
}

Result<std::uint64_t> BufferTable::check_request(DType dtype, const Shape& shape, const BufferOptions& options) const {
  if (!is_dtype(dtype))
    return invalid(fmt::format("DType ({}) is none of {}.", static_cast<int>(dtype), dtype_names()));
  const auto bytes = shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
  if (!bytes) {
    return invalid(shape.is_valid()
                       ? fmt::format("Shape {} of {} has more bytes than 64 bits count.", shape.text(), name(dtype))
                       : fmt::format("Rank ({}) is larger than the limit ({}).", shape.rank(), Shape::max_rank));
  }
  if (*bytes == 0) return invalid(fmt::format("Shape {} has size (0); the least is (1).", shape.text()));
  const std::uint64_t most = life_.info().limits.max_allocation;
  if (*bytes > most) {
    return invalid(
        fmt::format("Size ({}) is larger than the largest allocation ({}) of {}.", *bytes, most, life_.text()));
  }
  PINTLE_TRY(check_options(options));
  return *bytes;
}

Result<void> BufferTable::check_import(const HostImport& import, std::uint64_t size) const {
  const auto& [bytes, offset, access, dtype, shape, label, keeper] = import;
  if (access != Access::read && access != Access::write && access != Access::read_write)
    return invalid(fmt::format("Access ({}) does not exist.", static_cast<int>(access)));
  if (bytes.data() == nullptr) return null_memory(size);
  if (!base::range_fits(offset, size, bytes.size())) {
    return invalid(fmt::format("Shape {} of {} has size ({}), and the memory has ({}) from ({}).", shape.text(),
                               name(dtype), size, bytes.size(), offset));
  }
  // Kernels reach the elements through pointers to their type; a complex number is two floats to them.
  const std::uint64_t element = dtype == DType::complex64 ? bytes_of(DType::f32) : bytes_of(dtype);
  if (const auto address = reinterpret_cast<std::uintptr_t>(bytes.data() + offset); address % element != 0) {
    return invalid(fmt::format(
        "Address ({:#x}) of the host memory is no multiple of the size ({}) of {}, which its elements need.", address,
        element, name(dtype)));
  }
  const std::uint64_t needed = life_.info().limits.offset_alignment;
  if (offset % std::max<std::uint64_t>(needed, bytes_of(dtype)) == 0) return {};
  return Error(Errc::unsupported,
               fmt::format("Offset ({}) is no multiple of ({}), which {} needs.", offset, needed, life_.text()));
}

Result<Buffer> BufferTable::allocate(DType dtype, const Shape& shape, const BufferOptions& options) {
  PINTLE_TRY(life_.usable());
  PINTLE_ASSIGN(size, check_request(dtype, shape, options));
  const backend::MemoryRequest request{size, options.alignment, options.placement, options.label};
  BufferRecord record = record_of(request);
  if (options.allocation == Allocation::lazy) {
    const Locked locked = life_.lock();
    const NewBuffer made = keep(std::move(record), dtype, shape, locked);
    ++lazy_;
    return made;
  }
  PINTLE_ASSIGN(memory, allocate_memory(request, options.timeout));
  Unowned unowned(life_, memory);
  record.memory = memory;
  const Locked locked = life_.lock();
  const NewBuffer made = keep(std::move(record), dtype, shape, locked);
  static_cast<void>(unowned.take());
  return made;
}

Result<BufferOptions> BufferTable::options_like(std::uint64_t id, std::string label) {
  const Locked locked = life_.lock();
  const BufferRecord* const record = find(id, locked);
  if (record == nullptr) return stale(id);
  return BufferOptions{.label = std::move(label), .placement = record->placement, .alignment = record->alignment};
}

Result<backend::MemoryId> BufferTable::allocate_memory(backend::MemoryRequest request, const Timeout& timeout) {
  request.deadline = timeout.deadline();
  auto memory = life_.device().allocate(request);
  if (!memory && memory.error().code() == Errc::out_of_memory) {
    bool may_help = false;
    {
      const Locked locked = life_.lock();
      may_help = has_retired(locked);
    }
    if (may_help) PINTLE_TRY(life_.body().poll());  // gives back what has been finished meanwhile
    if (may_help) memory = life_.device().allocate(request);
  }
  if (memory) return memory;
  const Error error = base::with_default(life_.report(memory.error()), timeout, request.deadline);
  return error.code() == Errc::out_of_memory ? exhausted(error) : error;
}

Result<Buffer> BufferTable::wrap_memory(const backend::NativeObject& memory, DType dtype, const Shape& shape,
                                        const std::string& label, std::shared_ptr<const void> keeper) {
  PINTLE_TRY(life_.usable());
  PINTLE_ASSIGN(size, check_request(dtype, shape, {}));
  BufferRecord record = record_of({size, 1, Placement::device, label});
  record.origin.keeper = std::move(keeper);
  return import(backend::NativeMemory{memory, size}, std::move(record), dtype, shape, "wrapping memory for");
}

Result<Buffer> BufferTable::import_memory(const backend::Exported& exported) {
  PINTLE_TRY(life_.usable());
  return import(exported, record_of({exported.size, 1, Placement::device, "another device's"}), DType::u8,
                Shape{exported.size}, "");
}

Result<Buffer> BufferTable::import_host(const HostImport& source) {
  PINTLE_TRY(life_.usable());
  PINTLE_ASSIGN(size, check_request(source.dtype, source.shape, {}));
  PINTLE_TRY(check_import(source, size));
  BufferRecord record = record_of({size, 1, Placement::device, source.label});
  record.base = source.offset;
  record.is_sealed = !writes(source.access);
  record.origin.keeper = source.keeper;
  return import(source.bytes, std::move(record), source.dtype, source.shape, "importing host memory to");
}

Result<Buffer> BufferTable::import(const backend::MemorySource& source, BufferRecord record, DType dtype,
                                   const Shape& shape, std::string_view doing) {
  const auto imported = life_.device().import_memory(source);
  if (!imported) {
    const Error error = life_.report(imported.error());
    return doing.empty() ? error : error.during(fmt::format("{} {}", doing, life_.text()));
  }
  Unowned unowned(life_, *imported);
  record.memory = *imported;
  const auto* const host = std::get_if<std::span<std::byte>>(&source);
  const bool is_sealed = record.is_sealed;
  const Locked locked = life_.lock();
  aliases_.reserve(aliases_.size() + 1);
  const NewBuffer made = keep(std::move(record), dtype, shape, locked);
  aliases_.push_back({unowned.take(), host != nullptr ? *host : std::span<std::byte>(), made.id, is_sealed});
  return made;
}

NewBuffer BufferTable::keep(BufferRecord record, DType dtype, const Shape& shape, const Locked& locked) {
  const std::uint64_t size = record.size;
  return hand_out(records_.insert(std::move(record)), size, dtype, shape, locked);
}

// The error names the buffers that hold the memory.
Error BufferTable::exhausted(const Error& error) {
  const Locked locked = life_.lock();
  const std::string largest = largest_holders(nullptr, locked);
  return error.during("allocating from " + life_.text() +
                      (largest.empty() ? ", where no buffer is alive" : ", whose largest buffers are " + largest));
}

void BufferTable::destroy(std::uint64_t id) noexcept {
  if (base::in_forked_child()) return;
  // These are destroyed after the lock is dropped, the lease last.
  std::shared_ptr<void> last;
  std::shared_ptr<const void> kept;
  Worklist worklist;
  Locked locked = life_.lock();
  BufferRecord* record = find(id, locked);
  if (record != nullptr && record->maps != 0) {
    locked.unlock();
    while (end_map(id)) {
    }
    locked.lock();
    record = find(id, locked);
  }
  if (record == nullptr) return;
  last = count_gone(locked);
  kept = std::move(record->kept);
  retire(id, worklist, locked);
}

Result<void> BufferTable::usable(std::uint64_t id) {
  return life_.is_usable() ? Result<void>() : life_.usable(text(id));
}

Result<void> BufferTable::seal(std::uint64_t id) {
  PINTLE_TRY(usable(id));
  const Locked locked = life_.lock();
  BufferRecord* const record = find(id, locked);
  if (record == nullptr) return stale(id);
  record->is_sealed = true;
  return {};
}

bool BufferTable::is_sealed(std::uint64_t id) {
  const Locked locked = life_.lock();
  const BufferRecord* const record = find(id, locked);
  return record != nullptr && record->is_sealed;
}

void BufferTable::keep(std::uint64_t id, std::shared_ptr<const void> kept) {
  struct Chain {
    std::shared_ptr<const void> later;
    std::shared_ptr<const void> earlier;  // goes first, since it is the last member
  };
  auto chain = std::make_shared<Chain>();
  const Locked locked = life_.lock();
  BufferRecord& record = *find(id, locked);
  if (record.kept.use_count() == 0) {  // `kept` may be there for its deleter alone and point nowhere
    record.kept = std::move(kept);
    return;
  }
  chain->later = std::move(kept);
  chain->earlier = std::move(record.kept);
  record.kept = std::move(chain);
}

Result<void> BufferTable::check_access(std::uint64_t id, Access access) {
  const Locked locked = life_.lock();
  const BufferRecord* const record = find(id, locked);
  if (record == nullptr) return stale(id);
  return record->is_sealed && writes(access) ? Result<void>(sealed_refusal(id, locked)) : Result<void>();
}

void BufferTable::add_map(std::uint64_t id) noexcept {
  const Locked locked = life_.lock();
  if (BufferRecord* const record = find(id, locked)) ++record->maps;
}

bool BufferTable::end_map(std::uint64_t id) noexcept {
  backend::MemoryId memory = backend::MemoryId::none;
  {
    const Locked locked = life_.lock();
    BufferRecord* const record = life_.is_lost() ? nullptr : find(id, locked);
    if (record == nullptr || record->maps == 0) return false;
    --record->maps;
    memory = record->memory;
  }
  life_.device().unmap(memory);
  return true;
}

Result<void> BufferTable::materialize(std::uint64_t id) {
  backend::MemoryRequest request;
  std::string label;
  {
    const Locked locked = life_.lock();
    const BufferRecord* const record = find(id, locked);
    if (record == nullptr) return stale(id);
    if (!record->is_lazy()) return {};
    label = record->label;
    request = {record->size, record->alignment, record->placement, label};
  }
  PINTLE_ASSIGN(memory, allocate_memory(request, {}));
  Unowned unowned(life_, memory);
  const Locked locked = life_.lock();
  BufferRecord* const record = find(id, locked);
  if (record == nullptr) return stale(id);
  if (!record->is_lazy()) return {};
  record->memory = unowned.take();
  --lazy_;
  return {};
}

Result<backend::Range> BufferTable::place_of(std::uint64_t id, Access access) {
  PINTLE_TRY(usable(id));
  PINTLE_TRY(materialize(id));
  const Locked locked = life_.lock();
  BufferRecord* const record = find(id, locked);
  if (record == nullptr) return stale(id);
  if (record->is_sealed && writes(access)) return sealed_refusal(id, locked);
  return backend::Range{record->memory, id, record->base, record->size, backend::no_slot};
}

Stamps BufferTable::uses_before(std::uint64_t id) {
  const Locked locked = life_.lock();
  const BufferRecord* const record = find(id, locked);
  if (record == nullptr || record->origin.chunk == nullptr) return {};
  return record->origin.chunk->stamps;
}

Result<void> BufferTable::await_memory(std::uint64_t id, Deadline deadline) {
  const Stamps before = uses_before(id);
  return before.empty() ? Result<void>() : queues_.wait_for(before, deadline);
}

/// The loan of a live buffer, after `lend(loan, memory)` has mapped or exported the memory for it.
template <class Lend>
Result<std::shared_ptr<Loan>> BufferTable::loan_of(std::uint64_t id, Access access, Lend lend) {
  PINTLE_ASSIGN(place, place_of(id, access));
  std::shared_ptr<Loan> loan;
  {
    const Locked locked = life_.lock();
    BufferRecord* const record = find(id, locked);
    if (record == nullptr) return stale(id);
    loan = record->loan.lock();
    if (loan == nullptr) {
      auto use = record->use_of_loan.lock();  // of an earlier loan that is still unmapping
      if (use == nullptr) use = std::make_shared<char>();
      loan = std::make_shared<Loan>(life_.keep(*this), place, use);
      record->loan = loan;
      record->use_of_loan = use;
    }
  }
  if (const Result<void> lent = lend(*loan, place); !lent) return life_.report(lent.error());
  return loan;
}

std::optional<Point> BufferTable::formed(std::uint64_t id) {
  const Locked locked = life_.lock();
  const BufferRecord* const record = find(id, locked);
  return record != nullptr ? record->formed : std::nullopt;
}

void BufferTable::note_formed(std::uint64_t id, const Point& formed) {
  const Locked locked = life_.lock();
  if (BufferRecord* const record = find(id, locked)) record->formed = formed;
}

Result<std::shared_ptr<Loan>> BufferTable::lend(std::uint64_t id, Access access) {
  return loan_of(id, access, [](Loan& loan, const backend::Range&) { return loan.map(); });
}

Result<std::shared_ptr<Loan>> BufferTable::share(std::uint64_t id, Access access, backend::Exported& exported) {
  return loan_of(id, access, [&](Loan&, const backend::Range& place) -> Result<void> {
    PINTLE_ASSIGN(handle, life_.device().export_memory(place.memory));
    exported = handle;
    exported.offset += place.offset;
    exported.size = place.size;
    return {};
  });
}

Result<void> BufferTable::check_texel_places(std::span<const backend::Argument> arguments, const Locked& locked) {
  const Limits& limits = life_.info().limits;
  const auto found = std::ranges::find_if(arguments, [&](const backend::Argument& argument) {
    return argument.kind == backend::Argument::Kind::texel_buffer &&
           argument.range.offset % limits.texel_alignment != 0;
  });
  if (found == arguments.end()) return {};
  return Error(
      Errc::unsupported,
      fmt::format("{} lies at ({}) in its memory, and texel buffers of {} begin at multiples of ({}).",
                  text(found->range.buffer, locked), found->range.offset, life_.text(), limits.texel_alignment));
}

}  // namespace pintle::core
