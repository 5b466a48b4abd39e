#include "backends/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "backends/cuda/find_devices.h"
#include "base/bytes.h"
#include "kit/host_cpus.h"
#include "kit/memory_source.h"

namespace pintle::cuda {
namespace {

constexpr std::uint64_t device_block = 32 << 20, pinned_block = 4 << 20;
/// The driver takes memory from the device in steps of so many bytes.
constexpr std::uint64_t granularity = 2 << 20;
/// What kernels may expect of every buffer, as they may of the driver's own allocations.
constexpr std::uint64_t least_alignment = 256;
constexpr std::uint64_t page = 4096;

}  // namespace

Arena::~Arena() {
  if (context_.is_left()) return;
  for (const auto& block : blocks_) free(*block);
}

void Arena::free(const Block& block) noexcept {
  static_cast<void>(kind_ == Kind::device ? context_.ask<&Calls::cuMemFree>(block.address)
                                          : context_.ask<&Calls::cuMemFreeHost>(block.host));
}

std::optional<Piece> Arena::find(std::uint64_t size, std::uint64_t alignment) {
  for (const auto& block : blocks_) {
    if (const auto offset = block->places.allocate(size, alignment)) return Piece{block.get(), *offset, size};
  }
  return std::nullopt;
}

/// The driver is asked without the lock, so that nobody who gives a piece back waits for it.
Result<Piece> Arena::take(const backend::MemoryRequest& request) {
  const std::uint64_t alignment = std::max(request.alignment, least_alignment);
  {
    const std::lock_guard lock(mutex_);
    if (const auto piece = find(request.size, alignment)) return *piece;
  }
  PINTLE_ASSIGN(block, create_for(request));
  const std::lock_guard lock(mutex_);
  blocks_.push_back(std::move(block));
  Block& made = *blocks_.back();
  const auto offset = made.places.allocate(request.size, alignment);
  if (offset) return Piece{&made, *offset, request.size};
  return Error(Errc::internal,
               fmt::format("A block of ({}) bytes has no room for ({}).", made.places.size(), request.size));
}

std::optional<Piece> Arena::try_take(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  return find(size, least_alignment);
}

/// A block with room for more, else one that is just large enough, else the same when empty blocks have gone.
Result<std::unique_ptr<Block>> Arena::create_for(const backend::MemoryRequest& request) {
  const auto least = base::align_up(request.size, granularity);
  if (!least) return kit::exhausted(request, "the address space", available());
  const std::uint64_t usual = std::max(*least, kind_ == Kind::device ? device_block : pinned_block);
  auto made = create(usual);
  const auto lacks_memory = [&] { return !made && made.error().code() == Errc::out_of_memory; };
  if (lacks_memory() && usual != *least) made = create(*least);
  if (lacks_memory() && free_empty()) made = create(*least);
  if (!lacks_memory()) return made;
  return kit::exhausted(request, kind_ == Kind::device ? "the device memory" : "the pinned memory of the host",
                        available());
}

Result<std::unique_ptr<Block>> Arena::create(std::uint64_t size) {
  auto block = std::make_unique<Block>(Block{0, nullptr, kit::Suballocator(size)});
  if (kind_ == Kind::device) {
    PINTLE_TRY(context_.call<&Calls::cuMemAlloc>(&block->address, size));
    return block;
  }
  void* host = nullptr;
  constexpr unsigned flags = vendor::cuda::host_memory_portable | vendor::cuda::host_memory_device_mapped;
  PINTLE_TRY(context_.call<&Calls::cuMemHostAlloc>(&host, size, flags));
  block->host = static_cast<std::byte*>(host);
  const auto mapped = context_.call<&Calls::cuMemHostGetDevicePointer>(&block->address, host, 0u);
  if (mapped) return block;
  free(*block);
  return mapped.error();
}

/// This waits for the kernels that run; there is no other memory.
bool Arena::free_empty() {
  std::vector<std::unique_ptr<Block>> gone;
  {
    const std::lock_guard lock(mutex_);
    const auto is_empty = [](const auto& block) { return block->places.used() == 0; };
    const auto kept =
        std::partition(blocks_.begin(), blocks_.end(), [&](const auto& block) { return !is_empty(block); });
    std::move(kept, blocks_.end(), std::back_inserter(gone));
    blocks_.erase(kept, blocks_.end());
  }
  for (const auto& block : gone) free(*block);
  return !gone.empty();
}

void Arena::give_back(const Piece& piece) noexcept {
  const std::lock_guard lock(mutex_);
  piece.block->places.release(piece.offset);
}

Arena::Sum Arena::sum() const {
  const std::lock_guard lock(mutex_);
  Sum sum;
  for (const auto& block : blocks_) {
    sum.held += block->places.size();
    sum.used += block->places.used();
  }
  return sum;
}

std::optional<std::uint64_t> Arena::available() const {
  if (kind_ == Kind::pinned) return kit::host_memory("/").available;
  std::size_t left = 0, total = 0;
  if (context_.ask<&Calls::cuMemGetInfo>(&left, &total) != Status::CUDA_SUCCESS) return std::nullopt;
  return left;
}

Result<backend::MemoryId> MemoryTable::allocate(const backend::MemoryRequest& request) {
  PINTLE_ASSIGN(piece, (request.placement == Placement::host ? pinned_ : device_).take(request));
  const auto id = all_.add(std::make_unique<Memory>(Memory{piece}));
  if (piece.host() != nullptr) host_used_ += piece.size;
  return id;
}

Result<backend::MemoryId> MemoryTable::import(Block block) {
  auto imported = std::make_unique<Block>(std::move(block));
  const Piece piece{imported.get(), 0, imported->places.size()};
  return all_.add(std::make_unique<Memory>(Memory{piece, std::move(imported)}));
}

/// The driver locks whole pages, so an import begins with one: two that do not overlap then have none in common. Pages
/// that nobody may write it takes under a flag of their own. What needs memory here comes before the driver is asked.
Result<backend::MemoryId> MemoryTable::import(std::span<std::byte> bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (address % page != 0)
    return Error(Errc::unsupported,
                 fmt::format("Host memory at ({:#x}) does not begin at a multiple of ({}), which [{}] needs to use it "
                             "in place.",
                             address, page, context_.id()));
  PINTLE_ASSIGN(id, import(Block{0, bytes.data(), kit::Suballocator(bytes.size())}));
  const auto registered = [&](unsigned flags) {
    return context_.ask<&Calls::cuMemHostRegister>(bytes.data(), bytes.size(), flags);
  };
  constexpr unsigned flags = vendor::cuda::register_portable | vendor::cuda::register_device_mapped;
  constexpr auto read_only = vendor::cuda::DeviceAttribute::read_only_registration;
  Status status = registered(flags);
  if (status == Status::CUDA_ERROR_INVALID_VALUE && number(context_.found(), read_only) != 0)
    status = registered(flags | vendor::cuda::register_read_only);
  Memory& memory = Memories::at(id);
  memory.is_registered = status == Status::CUDA_SUCCESS;
  auto taken = context_.check(status, "cuMemHostRegister");
  if (taken) taken = context_.call<&Calls::cuMemHostGetDevicePointer>(&memory.imported->address, bytes.data(), 0u);
  if (taken) return id;
  release(id);
  PINTLE_TRY(context_.loss()->check());
  return kit::refused_pages(bytes, context_.id(), taken.error());
}

void MemoryTable::release(backend::MemoryId memory) noexcept {
  const std::unique_ptr<Memory> gone = all_.remove(memory);
  if (gone == nullptr) return;
  if (gone->is_registered) unregister(*gone);
  if (gone->imported != nullptr) return;
  if (gone->host() != nullptr) host_used_ -= gone->size;
  (gone->host() != nullptr ? pinned_ : device_).give_back(*gone);
}

void MemoryTable::unregister(const Memory& memory) noexcept {
  if (!context_.is_left()) static_cast<void>(context_.ask<&Calls::cuMemHostUnregister>(memory.host()));
}

/// A driver without contexts of our own keeps what it is not asked to give back.
MemoryTable::~MemoryTable() {
  all_.for_each([&](const Memory& memory) {
    if (memory.is_registered) unregister(memory);
  });
}

Result<std::vector<Heap>> MemoryTable::heaps() {
  std::size_t left = 0, total = 0;
  PINTLE_TRY(context_.call<&Calls::cuMemGetInfo>(&left, &total));
  const Arena::Sum device = device_.sum();
  const auto system = kit::host_memory("/");
  return std::vector<Heap>{
      {"device memory", total, left + device.held - device.used, device.used,
       std::string(context_.platform().name_of("cuMemGetInfo"))},
      {"pinned memory of the host", system.total, system.available, host_used_.load(), "/proc/meminfo"}};
}

}  // namespace pintle::cuda
