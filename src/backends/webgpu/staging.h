// Buffers of the backend's own, for one submission at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "backends/webgpu/context.h"

namespace pintle::webgpu {

/// What a buffer is for. WebGPU fixes that when it is made.
enum class Use : std::uint8_t {
  upload,    ///< The host writes it, kernels and copies read it.
  scratch,   ///< Copies and kernels write and read it.
  uniform,   ///< The host writes it, kernels read it as a uniform block.
  download,  ///< Copies write it, the host maps it.
  indirect,  ///< A kernel writes it, a launch takes its grid from it.
  query      ///< Timestamps come there.
};

struct PooledBuffer {
  Use use = Use::upload;
  std::uint64_t size = 0;
  Owned<wg::Buffer> buffer;
};

/// Thread-safe.
class BufferPool {
 public:
  static constexpr std::uint64_t smallest = 64 << 10;

  explicit BufferPool(Context& context) noexcept : context_(context) {}
  /// At least `size` bytes, of any contents. The caller has a Catch.
  [[nodiscard]] Result<PooledBuffer> take(Use use, std::uint64_t size);
  void give_back(PooledBuffer buffer) noexcept;

 private:
  static constexpr std::uint64_t most_kept = 256 << 20;

  Context& context_;
  std::mutex mutex_;
  std::vector<PooledBuffer> free_;
  std::uint64_t kept_ = 0;
};

/// A place in one of the backend's buffers.
struct Staged {
  wg::Buffer buffer = nullptr;
  std::uint64_t offset = 0;
};

/// Bytes of the host that go into a buffer before the submission's commands.
struct Write {
  Staged to;
  const std::byte* data = nullptr;
  std::uint64_t size = 0;  ///< A multiple of four.
};

/// What one submission has staged.
class Staging {
 public:
  explicit Staging(BufferPool& pool) noexcept : pool_(pool) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { reset(); }

  [[nodiscard]] Result<Staged> take(Use use, std::uint64_t size, std::uint64_t alignment);
  /// Notes a write. The last bytes of a word that is not whole are padded; `data` is read when the list is submitted.
  void write(const Staged& to, const std::byte* data, std::uint64_t size);
  /// The same for bytes that are copied here.
  void write_copy(const Staged& to, std::span<const std::byte> bytes);
  [[nodiscard]] std::span<const Write> writes() const noexcept { return writes_; }
  /// Everything taken goes back to the pool.
  void reset() noexcept;

 private:
  struct Chunk {
    PooledBuffer buffer;
    std::uint64_t used = 0;
  };

  BufferPool& pool_;
  std::vector<Chunk> chunks_;
  std::vector<Write> writes_;
  std::deque<std::vector<std::byte>> copies_;
};

}  // namespace pintle::webgpu
