// Loaded programs, and kernels with the arguments that were last set.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/memory.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// A kernel object of OpenCL's. One thread at a time sets its arguments. An argument that has not changed is not set
/// again.
class BoundKernel {
 public:
  BoundKernel(Owned<cl_kernel> kernel, std::size_t argument_count)
      : kernel_(std::move(kernel)), values_(argument_count) {}

  [[nodiscard]] cl_kernel get() const noexcept { return kernel_.get(); }
  [[nodiscard]] Result<void> set(std::uint32_t index, const backend::Range& range);
  [[nodiscard]] Result<void> set(std::uint32_t index, DType dtype, const backend::Scalar& scalar);
  [[nodiscard]] Result<void> set_local(std::uint32_t index, std::uint32_t bytes);
  /// `reach` names memory that the next launch reaches by address, one after the other; `set_reached` then says how
  /// many there were.
  void reach(std::size_t place, void* address);
  [[nodiscard]] Result<void> set_reached(std::size_t count);
  /// Stops holding the memory of this number.
  void let_go(std::uint64_t memory) noexcept;

 private:
  struct Value {
    bool is_set = false;
    std::shared_ptr<const Part> part;  ///< For a buffer.
    std::array<std::byte, 8> bytes{};  ///< For a scalar.
  };

  Owned<cl_kernel> kernel_;
  std::vector<Value> values_;
  std::vector<void*> reached_;
  bool is_reached_set_ = true;
};

/// An entry point: as many kernel objects as queues have launched it at one time. Thread-safe.
class Kernel {
 public:
  Kernel(const Entry& entry, cl_program program);

  /// A kernel object for one launch. It goes back when the launch has been enqueued.
  class Use {
   public:
    Use(Kernel& owner, std::unique_ptr<BoundKernel> bound) noexcept : owner_(&owner), bound_(std::move(bound)) {}
    Use(Use&& other) noexcept = default;
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (bound_ != nullptr) owner_->give_back(std::move(bound_));
    }
    BoundKernel& operator*() const noexcept { return *bound_; }

   private:
    Kernel* owner_;
    std::unique_ptr<BoundKernel> bound_;
  };

  [[nodiscard]] const Grid& group() const noexcept { return group_; }
  /// Scratch memory that the last argument takes; zero where the kernel declares its own.
  [[nodiscard]] std::uint32_t local_argument_bytes() const noexcept { return local_argument_bytes_; }
  [[nodiscard]] Result<Use> use();
  /// A kernel object for one caller alone.
  [[nodiscard]] Result<std::unique_ptr<BoundKernel>> create() const;
  void let_go(std::uint64_t memory) noexcept;

  /// Makes the first kernel object and checks it against the declaration.
  [[nodiscard]] Result<void> examine(const Entry& entry, const FoundDevice& found);

 private:
  void give_back(std::unique_ptr<BoundKernel> bound) noexcept;

  const cl_program program_;
  const std::string name_;
  const Grid group_;
  const std::size_t parameter_count_;
  std::uint32_t local_argument_bytes_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BoundKernel>> idle_;
  std::size_t made_ = 0;
};

/// A ProgramId is its address.
struct Program {
  Owned<cl_program> program;
  std::vector<std::unique_ptr<Kernel>> kernels;  ///< In the order of the image's entries.
};

using Programs = kit::OwnedTable<backend::ProgramId, Program>;

/// All programs of a device. Thread-safe.
class ProgramTable {
 public:
  ProgramTable(const FoundDevice& found, cl_context context) noexcept : found_(found), context_(context) {}

  Result<backend::ProgramId> load(const backend::ProgramImage& image);
  void unload(backend::ProgramId program) noexcept { all_.remove(program); }
  /// Makes every kernel stop holding the memory of this number.
  void let_go(std::uint64_t memory) noexcept;

 private:
  const FoundDevice& found_;
  const cl_context context_;
  Programs all_;
};

/// A built program, from the cache of compiled programs where the cache has it.
[[nodiscard]] Result<Owned<cl_program>> compile(const backend::ProgramImage& image, const FoundDevice& found,
                                                cl_context context);

/// "[Program "blur"]".
[[nodiscard]] std::string name_of(const backend::ProgramImage& image);

}  // namespace pintle::opencl
