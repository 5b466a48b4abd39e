#include "backends/opencl/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "backends/opencl/wrap.h"
#include "base/bytes.h"
#include "base/contain.h"
#include "kit/host_cpus.h"
#include "kit/memory_source.h"

namespace pintle::opencl {
namespace {

/// Sub-buffers of one memory, and images over it, that are kept for the next launch.
constexpr std::size_t most_parts = 64;
/// From so many bytes on, the allocation first asks how much memory there is: the system promises more than it has.
constexpr std::uint64_t large = 64 << 20;
/// Alignment and granularity of host memory that a device shares.
constexpr std::uint64_t page = 4096;

std::uint64_t next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// The bytes under a buffer that this backend has taken from a context's shared virtual memory or from the system.
struct Storage {
  Storage(cl_context context, std::uint64_t size)
      : context(context),
        bytes(context != nullptr ? api().clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0)
                                 : std::aligned_alloc(page, size)) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (context == nullptr) {
      std::free(bytes);
    } else if (bytes != nullptr) {
      api().clSVMFree(context, bytes);
    }
  }

  const cl_context context;
  void* const bytes;
};

void CL_CALLBACK free_storage(cl_mem, void* storage) { delete static_cast<Storage*>(storage); }

/// A buffer on the storage. The storage is freed when the driver has let the buffer go.
Owned<cl_mem> create_on(std::unique_ptr<Storage> storage, cl_context context, std::uint64_t size, cl_int& status) {
  constexpr cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
  Owned<cl_mem> object(api().clCreateBuffer(context, flags, size, storage->bytes, &status));
  if (status == CL_SUCCESS) {
    status = api().clSetMemObjectDestructorCallback(object.get(), &free_storage, storage.get());
  }
  if (status == CL_SUCCESS) static_cast<void>(storage.release());
  else object.reset();  // before its storage
  return object;
}

}  // namespace

Memory::Memory(Owned<cl_mem> object, std::uint64_t size, Addresses addresses, Owner owner, cl_mem stand_in)
    : whole_(std::make_shared<const Part>(Part{nullptr, next_number(), 0, size, std::move(object), stand_in})),
      addresses_(addresses),
      owner_(owner) {}

bool Memory::is(const Part& part, std::uint64_t offset, std::uint64_t size) const noexcept {
  if (part.memory != number() || part.texels) return false;
  if (is_all(offset, size)) return part.offset == 0;
  return part.offset == offset && part.size == size;
}

bool Memory::is(const Part& part, std::uint64_t offset, std::uint64_t size, Texels texels) const noexcept {
  return part.memory == number() && part.offset == offset && part.size == size && part.texels == texels;
}

template <class Has, class Make>
Result<std::shared_ptr<const Part>> Memory::kept(Has has, Make make) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(parts_, [&](const auto& part) { return has(*part); });
  if (found != parts_.end()) return *found;
  Result<Part> made = make();
  if (!made) return made.error();
  auto part = std::make_shared<const Part>(*std::move(made));
  const auto oldest = std::ranges::find(parts_, false, [](const auto& kept) { return kept->stays; });
  if (parts_.size() >= most_parts && oldest != parts_.end()) parts_.erase(oldest);
  parts_.push_back(part);
  return part;
}

Result<std::shared_ptr<const Part>> Memory::part(std::uint64_t offset, std::uint64_t size) {
  if (is_all(offset, size)) return whole_;
  const auto make = [&]() -> Result<Part> {
    const cl_buffer_region region{offset, size};
    cl_int status = CL_SUCCESS;
    Owned<cl_mem> object(
        api().clCreateSubBuffer(this->object(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    if (status == CL_SUCCESS) return Part{whole_, number(), offset, size, std::move(object)};
    return failure(status, fmt::format("OpenCL makes no sub-buffer at offset ({}) with size ({}) of a buffer of ({}).",
                                       offset, size, this->size()));
  };
  return kept([&](const Part& part) { return is(part, offset, size); }, make);
}

Result<std::shared_ptr<const Part>> Memory::part(std::uint64_t offset, std::uint64_t size, Texels texels,
                                                 Images& images) {
  PINTLE_ASSIGN(bytes, part(offset, size));
  const auto make = [&]() -> Result<Part> {
    PINTLE_ASSIGN(stand_in, images.stand_in(1));
    PINTLE_ASSIGN(image, images.over(bytes->object.get(), size, texels.texel, texels.access));
    return Part{bytes, number(), offset, size, std::move(image), stand_in, texels, images.stay()};
  };
  return kept([&](const Part& part) { return is(part, offset, size, texels); }, make);
}

/// Bytes that an allocation takes from the heap before it asks the driver, and gives back where the driver fails.
class MemoryTable::Share {
 public:
  Share(MemoryTable& table, std::uint64_t size) : table_(table), size_(size) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() {
    if (!is_taken_) return;
    const std::lock_guard lock(table_.mutex_);
    table_.used_ -= size_;
  }

  /// The bytes that are left when there are not enough.
  [[nodiscard]] std::optional<std::uint64_t> take() {
    const std::lock_guard lock(table_.mutex_);
    const std::uint64_t left = table_.found_.memory_bytes - std::min(table_.used_, table_.found_.memory_bytes);
    if (size_ > left) return left;
    table_.used_ += size_;
    is_taken_ = true;
    return std::nullopt;
  }
  void keep() noexcept { is_taken_ = false; }

 private:
  MemoryTable& table_;
  const std::uint64_t size_;
  bool is_taken_ = false;
};

/// Drivers on the host's processor take memory when it is touched, and the system then ends the process.
Result<void> MemoryTable::check_host_memory(const backend::MemoryRequest& request) const {
  if (!found_.is_host_run || request.size < large) return {};
  const auto available = kit::host_memory("/").available;
  if (available && request.size > *available) return kit::exhausted(request, "the system memory", *available);
  return {};
}

/// Where the host's processor runs the kernels, this backend takes mapped and specially aligned memory itself, and the
/// device uses it in place; all other memory is shared virtual memory where the device has it. Elsewhere the driver
/// takes a buffer on the host, which is fast to copy from and to.
Result<Owned<cl_mem>> MemoryTable::create(const backend::MemoryRequest& request, Memory::Addresses& addresses) {
  const bool is_on_host = request.placement == Placement::host;
  const bool is_special = is_on_host || request.alignment > found_.info.limits.offset_alignment;
  const auto size = base::align_up(request.size, page);
  if (!size) return kit::exhausted(request, "the address space", found_.memory_bytes);
  cl_int status = CL_SUCCESS;
  Owned<cl_mem> object;
  if (found_.has_svm || (found_.is_host_run && is_special)) {
    auto storage = std::make_unique<Storage>(is_special ? nullptr : context_, *size);
    if (storage->bytes == nullptr) {
      return kit::exhausted(request, "the system memory", kit::host_memory("/").available);
    }
    if (is_special) addresses.host = static_cast<std::byte*>(storage->bytes);
    else addresses.shared = storage->bytes;
    object = create_on(std::move(storage), context_, request.size, status);
  } else {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (is_on_host ? CL_MEM_ALLOC_HOST_PTR : 0);
    object.reset(api().clCreateBuffer(context_, flags, request.size, nullptr, &status));
  }
  if (status == CL_SUCCESS) return object;
  return failure(status, fmt::format("OpenCL allocates no buffer of the requested size ({} bytes) for [Buffer \"{}\"]; "
                                     "({} bytes) are available.",
                                     request.size, request.label, found_.memory_bytes - heap().used));
}

Result<backend::MemoryId> MemoryTable::allocate(const backend::MemoryRequest& request) {
  if (request.size > found_.info.limits.max_allocation) {
    return kit::exhausted(request, "the largest allocation of the device", found_.info.limits.max_allocation);
  }
  Share share(*this, request.size);
  if (const auto left = share.take()) return kit::exhausted(request, "the device memory", *left);
  PINTLE_TRY(check_host_memory(request));
  Memory::Addresses addresses;
  cl_mem stand_in = nullptr;
  if (request.image != nullptr) {
    PINTLE_ASSIGN(found, images_.stand_in(request.image->extent.dimensions()));
    stand_in = found;
  }
  PINTLE_ASSIGN(object, request.image != nullptr ? images_.create(request) : create(request, addresses));
  const auto id =
      all_.add(std::make_unique<Memory>(std::move(object), request.size, addresses, Memory::Owner::device, stand_in));
  share.keep();
  return id;
}

Result<backend::MemoryId> MemoryTable::import(const backend::MemorySource& source) {
  if (const auto* const bytes = std::get_if<std::span<std::byte>>(&source)) return import_host(*bytes);
  const auto* const native = std::get_if<backend::NativeMemory>(&source);
  if (native == nullptr || native->object.type != OpenClMemory::native_type)
    return kit::refused_source(source, found_.info.id);
  PINTLE_ASSIGN(object, retain_buffer(*static_cast<const OpenClMemory*>(native->object.value), context_, native->size));
  const Memory::Addresses addresses{nullptr, shared_address(object.get())};
  return all_.add(std::make_unique<Memory>(std::move(object), native->size, addresses, Memory::Owner::user));
}

/// A kernel may load whole vectors from where its argument begins, so an import is aligned as any buffer is.
Result<backend::MemoryId> MemoryTable::import_host(std::span<std::byte> bytes) {
  const std::uint32_t alignment = found_.info.limits.offset_alignment;
  if (!found_.is_host_run) {
    return Error(Errc::unsupported, "Host memory is not this device's: OpenCL would copy it back and forth.");
  }
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
    return Error(Errc::unsupported, fmt::format("Address ({}) of the host memory is not a multiple of ({}).",
                                                static_cast<const void*>(bytes.data()), alignment));
  }
  cl_int status = CL_SUCCESS;
  Owned<cl_mem> object(
      api().clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes.size(), bytes.data(), &status));
  if (status != CL_SUCCESS) {
    return failure(status, fmt::format("OpenCL takes no host memory of size ({}).", bytes.size()));
  }
  return all_.add(std::make_unique<Memory>(std::move(object), bytes.size(), Memory::Addresses{.host = bytes.data()},
                                           Memory::Owner::user));
}

void MemoryTable::release(backend::MemoryId memory) noexcept {
  const std::unique_ptr<Memory> gone = all_.remove(memory);  // released without a lock: the driver may take its time
  if (gone == nullptr || gone->owner() != Memory::Owner::device) return;
  const std::lock_guard lock(mutex_);
  used_ -= gone->size();
}

Heap MemoryTable::heap() const {
  std::unique_lock lock(mutex_);
  Heap heap{"global memory", found_.memory_bytes, std::nullopt, used_, "CL_DEVICE_GLOBAL_MEM_SIZE"};
  lock.unlock();
  if (!found_.is_host_run) return heap;  // others may hold the rest
  const std::uint64_t left = heap.total - std::min(heap.total, heap.used);
  heap.available = std::min(left, kit::host_memory("/").available.value_or(left));
  return heap;
}

}  // namespace pintle::opencl
