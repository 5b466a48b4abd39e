#include "backends/webgpu/staging.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pintle::webgpu {
namespace {

constexpr std::uint64_t unit = 4;  // bytes of a word

wg::Flags usage_of(Use use) noexcept {
  namespace usage = wg::buffer_usage;
  switch (use) {
    case Use::upload:
    case Use::scratch: return usage::copy_source | usage::copy_target | usage::storage;
    case Use::uniform: return usage::copy_target | usage::uniform;
    case Use::download: return usage::copy_target | usage::map_read;
    case Use::indirect: return usage::storage | usage::indirect;
    case Use::query: return usage::query_resolve | usage::copy_source;
  }
  return 0;
}

}  // namespace

Result<PooledBuffer> BufferPool::take(Use use, std::uint64_t size) {
  size = std::max(smallest, std::bit_ceil(size));
  size = std::min(size, context_.abilities().limits.max_buffer_size / unit * unit);
  {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const PooledBuffer& one) { return one.use == use && one.size == size; };
    const auto found = std::ranges::find_if(free_, fits);
    if (found != free_.end()) {
      PooledBuffer taken = std::move(*found);
      free_.erase(found);
      kept_ -= taken.size;
      return taken;
    }
    free_.reserve(free_.size() + 64);  // so that giving back needs no memory as a rule
  }
  wg::BufferDescriptor wanted;
  wanted.usage = usage_of(use);
  wanted.size = size;
  Owned<wg::Buffer> buffer(context_.api, context_.api.DeviceCreateBuffer(context_.device(), &wanted));
  if (buffer) return PooledBuffer{use, size, std::move(buffer)};
  return Error(Errc::out_of_memory, "The device has no memory for the bytes on their way.");
}

void BufferPool::give_back(PooledBuffer buffer) noexcept {
  const std::lock_guard lock(mutex_);
  if (kept_ + buffer.size > most_kept || free_.size() == free_.capacity()) return;
  kept_ += buffer.size;
  free_.push_back(std::move(buffer));
}

void Staging::reset() noexcept {
  for (Chunk& chunk : chunks_) pool_.give_back(std::move(chunk.buffer));
  chunks_.clear();
  writes_.clear();
  copies_.clear();
}

Result<Staged> Staging::take(Use use, std::uint64_t size, std::uint64_t alignment) {
  for (Chunk& chunk : chunks_) {
    const std::uint64_t offset = (chunk.used + alignment - 1) / alignment * alignment;
    if (chunk.buffer.use != use || offset > chunk.buffer.size || size > chunk.buffer.size - offset) continue;
    chunk.used = offset + size;
    return Staged{chunk.buffer.buffer.get(), offset};
  }
  PINTLE_ASSIGN(buffer, pool_.take(use, size));
  chunks_.push_back({std::move(buffer), size});
  return Staged{chunks_.back().buffer.buffer.get(), 0};
}

void Staging::write(const Staged& to, const std::byte* data, std::uint64_t size) {
  const std::uint64_t whole = size / unit * unit;
  if (whole != 0) writes_.push_back({to, data, whole});
  if (whole == size) return;
  std::vector<std::byte> last(unit);
  std::memcpy(last.data(), data + whole, size - whole);
  write_copy({to.buffer, to.offset + whole}, last);
}

void Staging::write_copy(const Staged& to, std::span<const std::byte> bytes) {
  auto& kept = copies_.emplace_back((bytes.size() + unit - 1) / unit * unit);
  std::ranges::copy(bytes, kept.begin());
  writes_.push_back({to, kept.data(), kept.size()});
}

}  // namespace pintle::webgpu
