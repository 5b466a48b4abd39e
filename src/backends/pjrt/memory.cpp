#include "backends/pjrt/memory.h"

#include <algorithm>
#include <cstring>

#include "kit/host_cpus.h"
#include "kit/memory_source.h"

namespace pintle::pjrt {
namespace {

/// From so many bytes on, the allocation first asks how much memory there is: the system promises more than it has.
constexpr std::uint64_t large = 64 << 20;
/// Plug-ins on the host's processor want their bytes so aligned, and core wants at most a page.
constexpr std::uint64_t line = 4096;

/// Repeats a pattern whose first byte belongs to an offset that is a multiple of its size.
void repeat(std::span<std::byte> bytes, std::span<const std::byte> pattern) noexcept {
  if (std::ranges::all_of(pattern, [&](std::byte one) { return one == pattern.front(); })) {
    std::memset(bytes.data(), std::to_integer<int>(pattern.front()), bytes.size());
    return;
  }
  std::size_t done = std::min(bytes.size(), pattern.size());
  std::memcpy(bytes.data(), pattern.data(), done);
  while (done < bytes.size()) {
    const std::size_t more = std::min(done, bytes.size() - done);
    std::memcpy(bytes.data() + done, bytes.data(), more);
    done += more;
  }
}

}  // namespace

/// The first piece that may reach behind `offset`.
Block::Pieces::iterator Block::first_in(std::uint64_t offset) {
  auto place = pieces_.upper_bound(offset);
  if (place != pieces_.begin()) {
    const auto before = std::prev(place);
    if (before->first + before->second.size() > offset) return before;
  }
  return place;
}

Result<void> Block::bring_home(std::uint64_t offset, Piece& piece) {
  if (!piece.is_newer) return {};
  PINTLE_TRY(client_.read(*piece.tensor, std::span(bytes_.get() + offset, piece.size())));
  moved_.to_host.fetch_add(piece.size(), std::memory_order_relaxed);
  piece.is_newer = false;
  return {};
}

Result<void> Block::bring_home(std::uint64_t offset, std::uint64_t size) {
  for (auto place = first_in(offset); place != pieces_.end() && place->first < offset + size; ++place)
    PINTLE_TRY(bring_home(place->first, place->second));
  return {};
}

/// Forgets the tensors of a range that is about to be written. What reaches out of it comes home first.
Result<void> Block::clear(std::uint64_t offset, std::uint64_t size) {
  for (auto place = first_in(offset); place != pieces_.end() && place->first < offset + size;) {
    const bool is_inside = place->first >= offset && place->first + place->second.size() <= offset + size;
    if (!is_inside) PINTLE_TRY(bring_home(place->first, place->second));
    place = pieces_.erase(place);
  }
  return {};
}

Result<SharedTensor> Block::find_or_make(std::uint64_t offset, const TensorType& type) {
  const auto found = pieces_.find(offset);
  if (found != pieces_.end() && found->second.tensor->type() == type) return found->second.tensor;
  const std::uint64_t size = type.bytes();
  PINTLE_TRY(bring_home(offset, size));
  PINTLE_ASSIGN(made, client_.upload(type, bytes_.get() + offset));
  moved_.to_device.fetch_add(size, std::memory_order_relaxed);
  if (size == 0) return made;  // no bytes are anybody's
  PINTLE_TRY(clear(offset, size));
  return pieces_.insert_or_assign(offset, Piece{std::move(made), false}).first->second.tensor;
}

Result<SharedTensor> Block::tensor(std::uint64_t offset, const TensorType& type) {
  const std::lock_guard lock(mutex_);
  return find_or_make(offset, type);
}

Result<SharedTensor> Block::take(std::uint64_t offset, const TensorType& type) {
  const std::lock_guard lock(mutex_);
  PINTLE_ASSIGN(found, find_or_make(offset, type));
  if (found->size() == 0) return found;
  spare_ = pieces_.extract(offset);
  spare_.mapped() = {};
  return found;
}

SharedTensor Block::find(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find(offset);
  return found != pieces_.end() ? found->second.tensor : nullptr;
}

Result<void> Block::put(std::uint64_t offset, SharedTensor tensor) {
  if (tensor->size() == 0) return {};
  const std::lock_guard lock(mutex_);
  PINTLE_TRY(clear(offset, tensor->size()));
  if (spare_.empty()) {
    pieces_.insert_or_assign(offset, Piece{std::move(tensor), true});
    return {};
  }
  spare_.key() = offset;
  spare_.mapped() = {std::move(tensor), true};
  pieces_.insert(std::move(spare_));
  return {};
}

Result<void> Block::write(std::uint64_t offset, std::span<const std::byte> from) {
  const std::lock_guard lock(mutex_);
  PINTLE_TRY(clear(offset, from.size()));
  std::memcpy(bytes_.get() + offset, from.data(), from.size());
  return {};
}

Result<void> Block::fill(const backend::Fill& fill) {
  const std::lock_guard lock(mutex_);
  PINTLE_TRY(clear(fill.to.offset, fill.to.size));
  repeat({bytes_.get() + fill.to.offset, fill.to.size}, std::span(fill.pattern.bytes).first(fill.pattern_size));
  return {};
}

/// A tensor that is exactly the range goes to its target without a stop.
Result<void> Block::read(std::uint64_t offset, std::span<std::byte> to) {
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find(offset);
  if (found != pieces_.end() && found->second.is_newer && found->second.size() == to.size()) {
    PINTLE_TRY(client_.read(*found->second.tensor, to));
    moved_.to_host.fetch_add(to.size(), std::memory_order_relaxed);
    return {};
  }
  PINTLE_TRY(bring_home(offset, to.size()));
  std::memcpy(to.data(), bytes_.get() + offset, to.size());
  return {};
}

Result<void> Block::copy(Block& to, std::uint64_t to_offset, Block& from, std::uint64_t from_offset,
                         std::uint64_t size) {
  std::unique_lock first(to.mutex_, std::defer_lock), second(from.mutex_, std::defer_lock);
  if (&to == &from) first.lock();
  else std::lock(first, second);
  PINTLE_TRY(to.clear(to_offset, size));
  std::vector<std::pair<std::uint64_t, Piece>> shared;
  std::uint64_t newer = 0;
  for (auto place = from.first_in(from_offset); place != from.pieces_.end() && place->first < from_offset + size;
       ++place) {
    auto& [offset, piece] = *place;
    const bool is_whole = offset >= from_offset && offset + piece.size() <= from_offset + size;
    if (!is_whole) PINTLE_TRY(from.bring_home(offset, piece));
    else if (piece.is_newer) newer += piece.size();
    if (is_whole) shared.emplace_back(offset - from_offset + to_offset, piece);
  }
  if (newer != size) std::memcpy(to.bytes_.get() + to_offset, from.bytes_.get() + from_offset, size);
  for (auto& [offset, piece] : shared) to.pieces_.insert_or_assign(offset, std::move(piece));
  return {};
}

Result<backend::MemoryId> MemoryTable::allocate(const backend::MemoryRequest& request) {
  const std::string holder = "the host's memory, where bytes wait for their type,";
  if (request.image != nullptr) return Error(Errc::unsupported, "PJRT has no images.");
  const kit::HostMemory memory = kit::host_memory("/");
  if (request.size >= large && memory.available && request.size > *memory.available)
    return kit::exhausted(request, holder, memory.available);
  const std::uint64_t whole = (request.size + line - 1) / line * line;
  Block::Bytes bytes(static_cast<std::byte*>(std::aligned_alloc(line, whole)));
  if (bytes == nullptr) return kit::exhausted(request, holder, memory.available);
  auto block = std::make_unique<Block>(client_, moved_, request.size, std::move(bytes));
  used_.fetch_add(request.size, std::memory_order_relaxed);
  return blocks_.add(std::move(block));
}

void MemoryTable::release(backend::MemoryId memory) noexcept {
  const auto gone = blocks_.remove(memory);
  if (gone != nullptr) used_.fetch_sub(gone->size(), std::memory_order_relaxed);
}

std::vector<Heap> MemoryTable::heaps() const {
  const std::uint64_t used = used_.load(std::memory_order_relaxed);
  if (const auto told = client_.memory()) return {{"device memory", told->total, told->available, used, "PJRT"}};
  const kit::HostMemory host = kit::host_memory("/");
  return {{"host memory", host.total, host.available, used, "/proc/meminfo, since the plug-in tells no sizes"}};
}

}  // namespace pintle::pjrt
