// Memory, and what moves its bytes.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "driver/state.h"
#include "exports.h"

namespace pintle::simulator {
namespace {

constexpr std::size_t guard = 64 << 10;  // of each side
constexpr std::size_t page = 4096;
/// Up to here the source of a pageable upload is captured at the call (lines 343 to 345); 16 MiB block (line 338).
constexpr std::size_t most_captured = 1 << 20;

/// More than the machine has is never pinned (line 925).
std::size_t most_pinned() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Forgets what was unregistered there: the bytes are known again.
void know_again(std::uintptr_t address, std::size_t size) {
  std::erase_if(process().unregistered,
                [&](const auto& gone) { return gone.first < address + size && address < gone.first + gone.second; });
}

/// Memory between guards; null where the system has none.
void* allocate(Context context, std::size_t size, bool is_host) {
  Allocation made{size, is_host, context, nullptr, (size + page - 1) / page * page + 2 * guard};
  made.mapping = ::mmap(nullptr, made.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made.mapping == MAP_FAILED) return nullptr;
  auto* const bytes = static_cast<std::byte*>(made.mapping) + guard;
  if (::mprotect(bytes, made.mapped - 2 * guard, PROT_READ | PROT_WRITE) != 0) return nullptr;
  process().allocations.emplace(reinterpret_cast<std::uintptr_t>(bytes), made);
  know_again(reinterpret_cast<std::uintptr_t>(made.mapping), made.mapped);
  if (!is_host) process().used += size;
  return bytes;
}

/// `invalid value` for what is no allocation of this kind (lines 233, 234, 236, 268, 1123).
Status free_allocation(Lock& lock, std::uintptr_t address, bool is_host) {
  auto& all = process().allocations;
  if (!all.contains(address) || all.at(address).is_host != is_host || all.at(address).is_registered())
    return Status::CUDA_ERROR_INVALID_VALUE;
  wait_for_kernels(lock);
  const auto found = all.find(address);
  if (found == all.end()) return Status::CUDA_ERROR_INVALID_VALUE;
  if (!is_host) process().used -= found->second.size;
  ::munmap(found->second.mapping, found->second.mapped);
  all.erase(found);
  return Status::CUDA_SUCCESS;
}

constexpr std::uintptr_t page_of(std::uintptr_t address) { return address / page * page; }

/// Whether the process has each page of the range, and may write it where that `is_written` (lines 267 to 278).
bool is_open(std::uintptr_t begin, std::uintptr_t end, bool is_written) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; begin < end && std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    std::array<char, 5> rights{};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, rights.data()) != 3 || to <= begin) continue;
    if (from > begin || rights[0] != 'r' || (is_written && rights[1] != 'w')) return false;
    begin = to;
  }
  return begin >= end;
}

/// The pages are locked whole; assumed: no two ranges may have one in common.
bool is_locked(std::uintptr_t begin, std::uintptr_t end) {
  return std::ranges::any_of(process().allocations, [&](const auto& each) {
    const auto& [address, allocation] = each;
    return allocation.is_host && page_of(address) < end && begin < address + allocation.size;
  });
}

Status copy_pinned(DevicePointer to, const void* from, std::size_t size, std::uint64_t sum) {
  check_unchanged(from, size, sum);
  std::memcpy(pointer(to), from, size);
  return Status::CUDA_SUCCESS;
}

/// What copies and fills ask first; the stream, or null with the answer in `status`.
Stream entered(const Lock& lock, const char* call, Stream given, Status& status) {
  status = gate(lock);
  if (status != Status::CUDA_SUCCESS) return nullptr;
  const Stream stream = stream_of(call, given);
  if (stream == nullptr) status = Status::CUDA_ERROR_INVALID_CONTEXT;  // line 158
  return stream;
}

template <class Word>
Status fill(const char* call, DevicePointer to, Word value, std::size_t count, Stream given) {
  Lock lock(process().mutex);
  Status status = Status::CUDA_SUCCESS;
  const Stream stream = entered(lock, call, given, status);
  if (stream == nullptr || count == 0) return status;                                               // line 245
  const bool is_aligned = to % sizeof(Word) == 0;                                                   // line 250
  if (!is_aligned || !is_known(to, count * sizeof(Word))) return Status::CUDA_ERROR_INVALID_VALUE;  // line 242
  return enqueue(lock, stream, {[=] {
                   std::fill_n(static_cast<Word*>(pointer(to)), count, value);
                   return Status::CUDA_SUCCESS;
                 }});
}

}  // namespace

/// FNV-1a.
std::uint64_t digest(const void* bytes, std::size_t size) {
  std::uint64_t sum = 14695981039346656037u;
  for (const unsigned char* at = static_cast<const unsigned char*>(bytes); size > 0; --size, ++at)
    sum = (sum ^ *at) * 1099511628211u;
  return sum;
}

/// A copy reads its pinned source when it runs. A program that writes the source before then has a race on every card.
/// The process ends here, so that the program learns of it.
void check_unchanged(const void* from, std::size_t size, std::uint64_t sum) {
  if (digest(from, size) == sum) return;
  std::fprintf(stderr, "simulated %s: the source of a copy (%zu bytes) has changed in flight.\n", card::library, size);
  std::abort();
}

bool is_known(DevicePointer address, std::size_t size) {
  return find_allocation(static_cast<std::uintptr_t>(address), size) != nullptr;
}

const Allocation* find_allocation(std::uintptr_t address, std::size_t size) {
  const auto& all = process().allocations;
  auto place = all.upper_bound(address);
  if (place == all.begin()) return nullptr;
  --place;
  const std::size_t offset = address - place->first;
  return offset <= place->second.size && size <= place->second.size - offset ? &place->second : nullptr;
}

void free_memory_of(Context context) {
  std::erase_if(process().allocations, [&](const auto& each) {
    const Allocation& allocation = each.second;
    if (allocation.context != context) return false;
    if (!allocation.is_host) process().used -= allocation.size;
    if (!allocation.is_registered()) ::munmap(allocation.mapping, allocation.mapped);
    return true;
  });
}

}  // namespace pintle::simulator

using namespace pintle::simulator;
using pintle::vendor::cuda::PointerAttribute;

PINTLE_SIMULATED Status cuMemAlloc_v2(DevicePointer* address, std::size_t size) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 148
  if (size == 0) return Status::CUDA_ERROR_INVALID_VALUE;               // line 230
  if (size > memory_bytes - process().used) return Status::CUDA_ERROR_OUT_OF_MEMORY;
  void* const bytes = allocate(current(), size, false);
  *address = reinterpret_cast<std::uintptr_t>(bytes);
  return bytes == nullptr ? Status::CUDA_ERROR_OUT_OF_MEMORY : Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemFree_v2(DevicePointer address) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (address == 0) return Status::CUDA_SUCCESS;  // line 232
  return free_allocation(lock, static_cast<std::uintptr_t>(address), false);
}

/// Assumed: the base and the size of the allocation that has the address, also of pinned memory.
PINTLE_SIMULATED Status cuMemGetAddressRange_v2(DevicePointer* base, std::size_t* size, DevicePointer address) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  const auto& all = process().allocations;
  auto place = all.upper_bound(static_cast<std::uintptr_t>(address));
  if (place == all.begin()) return Status::CUDA_ERROR_NOT_FOUND;
  --place;
  if (address - place->first >= place->second.size) return Status::CUDA_ERROR_NOT_FOUND;
  *base = place->first;
  *size = place->second.size;
  return Status::CUDA_SUCCESS;
}

/// Assumed: memory that is known has the context in which it was allocated, whichever is current.
PINTLE_SIMULATED Status cuPointerGetAttribute(void* value, PointerAttribute attribute, DevicePointer address) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  const Allocation* const found = find_allocation(static_cast<std::uintptr_t>(address), 1);
  if (found == nullptr || attribute != PointerAttribute::context) return Status::CUDA_ERROR_INVALID_VALUE;
  *static_cast<Context*>(value) = found->context;
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemHostAlloc(void** bytes, std::size_t size, unsigned) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;  // line 166
  if (size > most_pinned()) return Status::CUDA_ERROR_OUT_OF_MEMORY;
  *bytes = size == 0 ? nullptr : allocate(current(), size, true);  // line 231
  return size != 0 && *bytes == nullptr ? Status::CUDA_ERROR_OUT_OF_MEMORY : Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemFreeHost(void* bytes) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  return free_allocation(lock, reinterpret_cast<std::uintptr_t>(bytes), true);
}

/// It does not wait for kernels (line 292). Assumed: a flag that nobody knows, or no byte, is `invalid value`.
PINTLE_SIMULATED Status cuMemHostRegister_v2(void* bytes, std::size_t size, unsigned flags) {
  using namespace pintle::vendor::cuda;
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  if (current() == nullptr) return Status::CUDA_ERROR_INVALID_CONTEXT;
  constexpr unsigned known = register_portable | register_device_mapped | register_read_only;
  if (bytes == nullptr || size == 0 || (flags & ~known) != 0) return Status::CUDA_ERROR_INVALID_VALUE;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes);
  if (is_locked(page_of(begin), page_of(begin + size - 1) + page))
    return Status::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;  // lines 260, 261
  if (!is_open(page_of(begin), begin + size, (flags & register_read_only) == 0))
    return Status::CUDA_ERROR_INVALID_VALUE;
  process().allocations.emplace(begin, Allocation{size, true, current()});  // line 266: at any address
  know_again(begin, size);
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemHostUnregister(void* bytes) {
  Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  auto& all = process().allocations;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes);
  const Allocation* const around = find_allocation(begin, 1);
  if (around == nullptr || !around->is_registered()) return Status::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;  // line 265
  if (!all.contains(begin)) return Status::CUDA_ERROR_INVALID_VALUE;                                        // line 263
  wait_for_kernels(lock);                                                                                   // line 293
  const auto found = all.find(begin);
  if (found == all.end()) return Status::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  process().unregistered.emplace(begin, found->second.size);
  all.erase(found);
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemHostGetDevicePointer_v2(DevicePointer* address, void* bytes, unsigned) {
  const Lock lock(process().mutex);
  if (const Status status = gate(lock); status != Status::CUDA_SUCCESS) return status;
  const Allocation* const found = find_allocation(reinterpret_cast<std::uintptr_t>(bytes), 1);
  if (found == nullptr || !found->is_host) return Status::CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<std::uintptr_t>(bytes);  // lines 262, 506
  return Status::CUDA_SUCCESS;
}

PINTLE_SIMULATED Status cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t size, Stream given) {
  Lock lock(process().mutex);
  Status status = Status::CUDA_SUCCESS;
  const Stream stream = entered(lock, "cuMemcpyHtoDAsync", given, status);
  if (stream == nullptr || size == 0) return status;                                    // line 244
  if (from == nullptr || !is_known(to, size)) return Status::CUDA_ERROR_INVALID_VALUE;  // lines 237 to 239, 248
  if (find_allocation(reinterpret_cast<std::uintptr_t>(from), size) != nullptr) {
    const std::uint64_t sum = digest(from, size);
    return enqueue(lock, stream, {[=] { return copy_pinned(to, from, size, sum); }});
  }
  if (size > most_captured) {
    status = enqueue(lock, stream, {[=] { return std::memcpy(pointer(to), from, size), Status::CUDA_SUCCESS; }});
    return status == Status::CUDA_SUCCESS ? wait_for_stream(lock, stream) : status;
  }
  const auto* const first = static_cast<const std::byte*>(from);
  const auto captured = std::make_shared<std::vector<std::byte>>(first, first + size);
  return enqueue(lock, stream,
                 {[=] { return std::memcpy(pointer(to), captured->data(), size), Status::CUDA_SUCCESS; }});
}

PINTLE_SIMULATED Status cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t size, Stream given) {
  Lock lock(process().mutex);
  Status status = Status::CUDA_SUCCESS;
  const Stream stream = entered(lock, "cuMemcpyDtoHAsync", given, status);
  if (stream == nullptr || size == 0) return status;
  if (to == nullptr || !is_known(from, size)) return Status::CUDA_ERROR_INVALID_VALUE;  // line 240
  const bool is_pinned = find_allocation(reinterpret_cast<std::uintptr_t>(to), size) != nullptr;
  status = enqueue(lock, stream, {[=] { return std::memcpy(to, pointer(from), size), Status::CUDA_SUCCESS; }});
  if (status != Status::CUDA_SUCCESS || is_pinned) return status;  // line 322
  return wait_for_stream(lock, stream);                            // lines 320, 325, 330, 335, 340
}

PINTLE_SIMULATED Status cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t size, Stream given) {
  Lock lock(process().mutex);
  Status status = Status::CUDA_SUCCESS;
  const Stream stream = entered(lock, "cuMemcpyDtoDAsync", given, status);
  if (stream == nullptr || size == 0) return status;
  if (!is_known(to, size) || !is_known(from, size)) return Status::CUDA_ERROR_INVALID_VALUE;  // line 241
  return enqueue(lock, stream, {[=] { return std::memmove(pointer(to), pointer(from), size), Status::CUDA_SUCCESS; }});
}

PINTLE_SIMULATED Status cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, Stream stream) {
  return fill("cuMemsetD8Async", to, value, count, stream);
}

PINTLE_SIMULATED Status cuMemsetD16Async(DevicePointer to, unsigned short value, std::size_t count, Stream stream) {
  return fill("cuMemsetD16Async", to, value, count, stream);
}

PINTLE_SIMULATED Status cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, Stream stream) {
  return fill("cuMemsetD32Async", to, value, count, stream);
}
