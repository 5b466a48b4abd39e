// Loaded programs, and kernels with the arguments that were last set.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/comparison.h"
#include "backends/opencl/found_device.h"
#include "backends/opencl/images.h"
#include "backends/opencl/memory.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

/// A kernel object of OpenCL's. One thread at a time sets its arguments. An argument that has not changed is not set
/// again.
class BoundKernel {
 public:
  /// `sizes`: the bytes of each argument by value, and 0 for any other.
  BoundKernel(Owned<cl_kernel> kernel, std::span<const std::uint32_t> sizes);

  [[nodiscard]] cl_kernel get() const noexcept { return kernel_.get(); }
  [[nodiscard]] Result<void> set(std::uint32_t index, const backend::Range& range);
  [[nodiscard]] Result<void> set(std::uint32_t index, const backend::Range& range, Texels texels, Images& images);
  /// A null pointer for a buffer.
  [[nodiscard]] Result<void> set_null(std::uint32_t index);
  /// What the argument has beyond `bytes` is zero.
  [[nodiscard]] Result<void> set(std::uint32_t index, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> set_local(std::uint32_t index, std::uint64_t bytes);
  /// `reach` names memory that the next launch reaches by address, one after the other; `set_reached` then says how
  /// many there were.
  void reach(std::size_t place, void* address);
  [[nodiscard]] Result<void> set_reached(std::size_t count);
  /// Stops holding the memory of this number.
  void let_go(std::uint64_t memory) noexcept;

 private:
  [[nodiscard]] Result<void> set(std::uint32_t index, std::shared_ptr<const Part> part);

  struct Value {
    bool is_set = false;               ///< To the bytes, or to a null pointer.
    std::shared_ptr<const Part> part;  ///< For a buffer, an image and texels.
    std::vector<std::byte> bytes;      ///< For an argument by value.
    std::uint64_t local_bytes = 0;     ///< For local memory.
  };

  std::vector<Value> values_;
  Owned<cl_kernel> kernel_;  // behind its arguments, so that it goes first
  std::vector<void*> reached_;
  bool is_reached_set_ = true;
};

/// An entry point: as many kernel objects as queues have launched it at one time. Thread-safe.
class Kernel {
 public:
  Kernel(const Entry& entry, cl_program program, Images& images);

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
  [[nodiscard]] Images& images() const noexcept { return images_; }
  /// Scratch memory that the last argument takes; zero where the kernel declares its own.
  [[nodiscard]] std::uint32_t local_argument_bytes() const noexcept { return local_argument_bytes_; }
  [[nodiscard]] Result<Use> use();
  /// A kernel object for one caller alone.
  [[nodiscard]] Result<std::unique_ptr<BoundKernel>> create() const;
  void let_go(std::uint64_t memory) noexcept;

  /// Makes the first kernel object and checks it against the declaration.
  [[nodiscard]] Result<Comparison> examine(const Entry& entry, const FoundDevice& found);
  /// `invalid_argument` where the local memory of a launch, with what the kernel declares itself, is more than the
  /// device has.
  [[nodiscard]] Result<void> check_local(std::span<const backend::Argument> arguments) const;

 private:
  void give_back(std::unique_ptr<BoundKernel> bound) noexcept;

  const cl_program program_;
  Images& images_;
  const std::string name_;
  const Grid group_;
  std::vector<std::uint32_t> sizes_;  // of the arguments by value, and 0 for the others
  std::uint32_t local_argument_bytes_ = 0;
  std::uint64_t own_local_bytes_ = 0;  // that the kernel declares itself, where arguments add to them
  std::uint32_t max_local_bytes_ = 0;  // of the device
  std::mutex mutex_;
  std::vector<std::unique_ptr<BoundKernel>> idle_;
  std::size_t made_ = 0;
};

/// `Kernel::check_local` of each launch of a list, before any of them starts.
[[nodiscard]] Result<void> check_local(const backend::Commands& list);

/// A ProgramId is its address.
struct Program {
  Owned<cl_program> program;
  std::vector<std::unique_ptr<Kernel>> kernels;  ///< In the order of the image's entries.
};

using Programs = kit::OwnedTable<backend::ProgramId, Program>;

/// All programs of a device. Thread-safe.
class ProgramTable {
 public:
  ProgramTable(const FoundDevice& found, cl_context context, Images& images) noexcept
      : found_(found), context_(context), images_(images) {}

  Result<backend::ProgramId> load(const backend::ProgramImage& image);
  void unload(backend::ProgramId program) noexcept { all_.remove(program); }
  /// Makes every kernel stop holding the memory of this number.
  void let_go(std::uint64_t memory) noexcept;

 private:
  const FoundDevice& found_;
  const cl_context context_;
  Images& images_;
  Programs all_;
};

/// A built program, from the cache of compiled programs where the cache has it.
[[nodiscard]] Result<Owned<cl_program>> compile(const backend::ProgramImage& image, const FoundDevice& found,
                                                cl_context context);

/// Compiles the source once more, so that structs of another size than declared are errors. `invalid_argument` then.
[[nodiscard]] Result<void> check_struct_sizes(const backend::ProgramImage& image, const FoundDevice& found,
                                              cl_context context, std::span<const UntoldSize> sizes);

/// Compares the declarations with what clang reads in the source, where a clang is there that can read it.
[[nodiscard]] Result<void> check_by_clang(const backend::ProgramImage& image, const FoundDevice& found);

/// Notes that the declarations of a program were compared with its code and hold.
void remember_comparison(const backend::ProgramImage& image, const FoundDevice& found);

}  // namespace pintle::opencl
