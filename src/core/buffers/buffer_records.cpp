#include "core/buffers/buffer_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/fork.h"
#include "core/door/describe.h"
#include "core/life/life.h"

namespace pintle::core {

BufferRecords::BufferRecords(Life& life, Dispatcher& queues)
    : life_(life),
      queues_(queues),
      records_(static_cast<std::uint32_t>(first_serial() >> 32)),
      clocks_(static_cast<std::uint32_t>(first_serial() >> 32)) {}

void BufferRecords::retire(std::uint64_t id, Worklist& worklist, const Locked& locked) noexcept {
  BufferRecord& record = *records_.find(id);
  if (record.is_lazy()) --lazy_;
  if (record.is_lazy() && is_free(record)) return records_.drop(id);
  record.is_retired = true;
  if (record.origin.pool != nullptr && !record.is_lent()) {
    record.origin.give_back(std::move(record.stamps), worklist, locked);
    return records_.drop(id);
  }
  if (!is_free(record)) {
    record.next_retired = std::exchange(retired_, id);
    return queues_.look_after(record.stamps, locked);
  }
  free(id, record);
  worklist.add(life_.keep(*this));
}

bool BufferRecords::is_free(const BufferRecord& record) const noexcept {
  return life_.is_lost() || (!record.is_lent() && clocks_.is_finished(record.stamps));
}

/// From now on nobody may begin to use the memory.
void BufferRecords::free(std::uint64_t id, BufferRecord& record) noexcept {
  std::erase_if(aliases_, [&](const Alias& alias) { return alias.buffer == id; });
  record.next_retired = std::exchange(free_, id);
}

void BufferRecords::dispose_finished(Worklist& worklist, const Locked&) noexcept {
  for (std::uint64_t* link = &retired_; *link != 0;) {
    const std::uint64_t id = *link;
    BufferRecord& record = *records_.find(id);
    if (!is_free(record)) {
      link = &record.next_retired;
      continue;
    }
    *link = record.next_retired;
    free(id, record);
  }
  if (free_ != 0) worklist.add(life_.keep(*this));
}

void BufferRecords::run_deferred(Worklist&) noexcept {
  while (give_back_one()) {
  }
}

/// The backend is called without the lock, and what the memory kept is destroyed without it.
bool BufferRecords::give_back_one() noexcept {
  Worklist worklist;
  BufferRecord freed;
  {
    const Locked locked = life_.lock();
    if (free_ == 0) return false;
    const std::uint64_t id = free_;
    BufferRecord& record = *records_.find(id);
    free_ = record.next_retired;
    freed = std::move(record);
    records_.drop(id);
    if (freed.is_lazy()) return true;
    if (freed.origin.pool != nullptr) {
      freed.origin.give_back({}, worklist, locked);
      return true;
    }
  }
  if (!life_.is_lost()) life_.device().release(freed.memory);
  return true;
}

/// A lost device uses nothing any more.
void BufferRecords::lose(Worklist& worklist, const Locked&) noexcept {
  while (retired_ != 0) {
    const std::uint64_t id = retired_;
    BufferRecord& record = *records_.find(id);
    retired_ = record.next_retired;
    free(id, record);
  }
  if (free_ != 0) worklist.add(life_.keep(*this));
}

void BufferRecords::end_loan() noexcept {
  Worklist worklist;
  const Locked locked = life_.lock();
  dispose_finished(worklist, locked);
}

std::string BufferRecords::text(std::uint64_t id) {
  const Locked locked = life_.lock();
  return text(id, locked);
}

std::string BufferRecords::text(std::uint64_t id, const Locked& locked) {
  const BufferRecord* const record = find(id, locked);
  return record != nullptr ? record->text(id) : BufferRecord().text(id);
}

Error BufferRecords::stale(std::uint64_t id) const {
  const BufferRecord* const retired = records_.find(id);
  const std::string_view kind = retired == nullptr ? gone_kind_ : retired->is_image ? "Image" : "Buffer";
  return Error(Errc::stale, fmt::format("{} of {} has been destroyed.",
                                        object_text(kind, static_cast<std::uint32_t>(id), {}), life_.text()));
}

Error BufferRecords::sealed_refusal(std::uint64_t id, const Locked& locked) {
  return invalid(fmt::format("{} is sealed: nothing may write it.", text(id, locked)));
}

std::vector<ResourceHolder> BufferRecords::holders(const PoolState* pool, const Locked&) const {
  std::vector<ResourceHolder> all;
  records_.for_each([&](std::uint64_t id, const BufferRecord& record) {
    const bool counts = pool == nullptr || record.origin.pool == pool;
    if (counts && !record.is_lazy() && !record.is_retired) all.push_back({record.text(id), record.size});
  });
  std::ranges::sort(all, [](const ResourceHolder& a, const ResourceHolder& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.buffer < b.buffer;
  });
  return all;
}

std::string BufferRecords::largest_holders(const PoolState* pool, const Locked& locked) const {
  constexpr std::size_t most = 3;
  std::string words;
  for (const auto& [buffer, bytes] : holders(pool, locked) | std::views::take(most))
    words += fmt::format("{}{} ({} bytes)", words.empty() ? "" : ", ", buffer, bytes);
  return words;
}

Loan::~Loan() {
  if (base::in_forked_child()) return;
  Life& life = lender_->life();
  if (!bytes_.empty() && !life.is_lost()) life.device().unmap(place_.memory);
  use_.reset();
  lender_->end_loan();
}

// The backend counts maps, so the second of two simultaneous maps is undone.
Result<void> Loan::map() {
  {
    const std::lock_guard lock(mutex_);
    if (!bytes_.empty()) return {};
  }
  PINTLE_ASSIGN(bytes, lender_->life().device().map(place_.memory));
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = bytes_.empty();
    bytes_ = bytes.subspan(place_.offset, place_.size);
  }
  if (!is_first) lender_->life().device().unmap(place_.memory);
  return {};
}

}  // namespace pintle::core
