// Device memory: buffers of OpenCL, and their parts as kernels need them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/images.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// What a kernel reads and writes texels of.
struct Texels {
  Texel texel = Texel::rgba8;
  Access access = Access::read;
  friend bool operator==(const Texels&, const Texels&) = default;
};

/// A buffer, a sub-buffer, or an image over one of them. A kernel keeps the argument that it was given last, so parts
/// are shared. What a part lies in is released after it: not every driver keeps a parent for its parts.
struct Part {
  std::shared_ptr<const Part> in;  ///< Null for a whole buffer; before `object`, so that it goes after that.
  std::uint64_t memory = 0;        ///< The number of the memory that it belongs to, never used again.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  Owned<cl_mem> object;
  cl_mem stand_in = nullptr;       ///< What a kernel is given instead when an image goes.
  std::optional<Texels> texels{};  ///< Those of an image over a buffer.
  bool stays = false;              ///< As long as its memory.
};

/// One allocation; a MemoryId is its address. Thread-safe.
class Memory {
 public:
  enum class Owner : std::uint8_t { device, user };
  /// Null where the bytes have no such address.
  struct Addresses {
    std::byte* host = nullptr;
    void* shared = nullptr;  ///< In shared virtual memory.
  };

  /// `stand_in`: of an image.
  Memory(Owned<cl_mem> object, std::uint64_t size, Addresses addresses, Owner owner, cl_mem stand_in = nullptr);

  [[nodiscard]] cl_mem object() const noexcept { return whole_->object.get(); }
  [[nodiscard]] std::uint64_t number() const noexcept { return whole_->memory; }
  [[nodiscard]] std::uint64_t size() const noexcept { return whole_->size; }
  [[nodiscard]] Owner owner() const noexcept { return owner_; }
  /// Where the bytes are, for as long as the memory lives; null where the host has no address.
  [[nodiscard]] std::byte* host() const noexcept { return addresses_.host; }
  /// Where kernels that are given addresses reach the bytes; null where they do not.
  [[nodiscard]] void* shared() const noexcept { return addresses_.shared; }

  /// True when `part` is what a kernel gets for the range.
  [[nodiscard]] bool is(const Part& part, std::uint64_t offset, std::uint64_t size) const noexcept;
  [[nodiscard]] bool is(const Part& part, std::uint64_t offset, std::uint64_t size, Texels texels) const noexcept;
  /// What a kernel gets for the range: the whole buffer where the range begins at the start, since a kernel knows no
  /// end.
  [[nodiscard]] Result<std::shared_ptr<const Part>> part(std::uint64_t offset, std::uint64_t size);
  /// The range as texels, of which a kernel may ask the number.
  [[nodiscard]] Result<std::shared_ptr<const Part>> part(std::uint64_t offset, std::uint64_t size, Texels texels,
                                                         Images& images);

 private:
  /// The part that `has` tells of, else what `make` makes.
  template <class Has, class Make>
  [[nodiscard]] Result<std::shared_ptr<const Part>> kept(Has has, Make make);
  [[nodiscard]] bool is_all(std::uint64_t offset, std::uint64_t size) const noexcept {
    return offset == 0 || size == 0;
  }

  const std::shared_ptr<const Part> whole_;
  const Addresses addresses_;
  const Owner owner_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Part>> parts_;  // the oldest first
};

using Memories = kit::OwnedTable<backend::MemoryId, Memory>;

/// All memory of a device. Thread-safe.
class MemoryTable {
 public:
  MemoryTable(const FoundDevice& found, cl_context context, Images& images) noexcept
      : found_(found), context_(context), images_(images) {}

  /// `import` takes host memory only on a device that the host's processor runs.
  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  Result<backend::MemoryId> import(const backend::MemorySource& source);
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] Heap heap() const;
  /// Null where `memory` is no id of a memory.
  [[nodiscard]] const Memory* find(backend::MemoryId memory) noexcept { return all_.find(memory); }

 private:
  class Share;

  [[nodiscard]] Result<Owned<cl_mem>> create(const backend::MemoryRequest& request, Memory::Addresses& addresses);
  [[nodiscard]] Result<backend::MemoryId> import_host(std::span<std::byte> bytes);
  [[nodiscard]] Result<void> check_host_memory(const backend::MemoryRequest& request) const;

  const FoundDevice& found_;
  const cl_context context_;
  Images& images_;
  mutable std::mutex mutex_;
  std::uint64_t used_ = 0;
  Memories all_;
};

}  // namespace pintle::opencl
