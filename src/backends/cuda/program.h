// Loaded programs, and what a launch of each entry needs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/context.h"
#include "base/bytes.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

/// An entry point.
struct Kernel {
  vendor::cuda::Function function = nullptr;
  std::string name;
  Grid group;
  std::vector<std::uint32_t> sizes;  ///< Bytes of each argument, as the kernel takes it.
  std::uint32_t own_shared = 0;      ///< Bytes that the kernel declares itself.
  std::uint32_t shared = 0;          ///< Bytes of the signature that the kernel does not declare itself.
  std::uint32_t most_shared = 0;     ///< The device's limit.
  bool may_exceed = false;           ///< A launch may have more: it sizes local memory, or there is too much already.

  /// `invalid_argument` where the shared memory of a launch, with what the kernel declares, is more than the device
  /// has.
  [[nodiscard]] Result<void> check_shared(std::span<const backend::Argument> arguments) const;
};

/// Local memory begins at a multiple of this.
inline constexpr std::uint32_t shared_alignment = 16;
[[nodiscard]] constexpr std::uint64_t shared_bytes(std::uint64_t size) noexcept {
  return base::round_up<std::uint64_t>(size, shared_alignment);
}

/// A ProgramId is its address.
struct Program {
  vendor::cuda::Module module = nullptr;
  std::vector<Kernel> kernels;  ///< In the order of the image's entries.
};

using Programs = kit::OwnedTable<backend::ProgramId, Program>;

/// All programs of a device. Thread-safe. An unloaded module goes to the driver at the next load, which waits for every
/// kernel that runs in any case: cuModuleUnload waits for them, too.
class ProgramTable {
 public:
  explicit ProgramTable(Context& context) noexcept : context_(context) {}
  ProgramTable(const ProgramTable&) = delete;
  ProgramTable& operator=(const ProgramTable&) = delete;
  ~ProgramTable();

  Result<backend::ProgramId> load(const backend::ProgramImage& image);
  void unload(backend::ProgramId program) noexcept;

 private:
  [[nodiscard]] Result<Code> code_of(const backend::ProgramImage& image) const;
  [[nodiscard]] Result<vendor::cuda::Module> load_module(const backend::ProgramImage& image, const std::string& code);
  void unload_retired();
  void unload_module(const Program& program);

  Context& context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Program>> retired_;
  std::size_t loaded_ = 0;  // and not given to the driver again: the room of `retired_`
  Programs all_;
};

/// `Kernel::check_shared` of each launch of a list, before any of them starts.
[[nodiscard]] Result<void> check_shared(const backend::Commands& list);

}  // namespace pintle::cuda
