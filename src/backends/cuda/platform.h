// What CUDA and HIP have of their own. All else of this folder is written once, in CUDA's names.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/found_device.h"
#include "kit/loss.h"
#include "pintle/backend/driver.h"
#include "pintle/error.h"
#include "vendor/cuda/driver.h"
#include "vendor/cuda/status.h"

namespace pintle::cuda {

using Calls = vendor::cuda::Driver;
using vendor::cuda::DevicePointer;
using vendor::cuda::Status;

/// What a kernel's fault does to the process: the driver answers its code in every context, those made later too.
class Poison {
 public:
  void add(const std::shared_ptr<kit::Loss>& loss);
  [[nodiscard]] std::optional<Error> cause();
  /// Loses every device that was added.
  void spread(const Error& cause);

 private:
  std::mutex mutex_;
  std::optional<Error> cause_;
  std::vector<std::weak_ptr<kit::Loss>> devices_;
};

/// What the driver loads.
struct Code {
  struct Kernel {
    std::string name;
    std::vector<std::uint32_t> sizes;  ///< The size of each parameter; empty where the driver tells them.
    std::string refusal{};             ///< Why the driver cannot launch it: "takes an image"; empty where it can.
  };
  std::string image;
  std::vector<Kernel> kernels;
  bool tells_kernels = true;  ///< Machine code of CUDA's is not read here: the driver alone knows its kernels.
};

/// One for CUDA and one for HIP, each for the process. Thread-safe.
class Platform {
 public:
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  /// What users read.
  struct Names {
    std::string_view backend;                ///< "cuda".
    std::span<const std::string_view> code;  ///< The formats of what the driver loads: "ptx".
    std::string_view source;                 ///< The format of what the run-time compiler takes: "cuda_c".
    std::span<const char* const> masks;      ///< Variables that hide devices.
    bool has_contexts;                       ///< There are contexts of our own, beside the device's.
  };
  [[nodiscard]] const Names& names() const noexcept { return names_; }

  /// The driver's table, opened at first use and never closed: the driver has threads of its own. HIP's functions stand
  /// under the names of CUDA's; one that HIP has no counterpart for is null.
  [[nodiscard]] virtual Result<const vendor::cuda::Driver*> loaded() const = 0;
  /// The library behind the table, which is there.
  [[nodiscard]] virtual const std::string& library() const noexcept = 0;
  /// What a status is called, and what it means.
  [[nodiscard]] virtual vendor::cuda::StatusRow row_of(Status status) const noexcept = 0;
  /// The name of a function of the table in this platform's own words: "hipMalloc" for "cuMemAlloc".
  [[nodiscard]] virtual std::string_view name_of(std::string_view call) const noexcept { return call; }

  /// Why a driver of this version cannot be used; empty where it can.
  [[nodiscard]] virtual std::string refusal_of(int version) const = 0;
  /// What to do where there is no device; `status` is the answer of a driver that is there.
  [[nodiscard]] virtual std::string next_step(std::optional<Status> status) const = 0;
  /// Adds what only this platform knows of a device: its driver, its targets, its limits of parameters.
  virtual void describe(FoundDevice& found, int version) const = 0;

  /// Why sources cannot be compiled; empty where they can.
  [[nodiscard]] virtual std::string compiler_absence() const = 0;
  /// What the driver loads, of a source in `names().source`. `build_failed` has the compiler's words.
  [[nodiscard]] virtual Result<std::string> compile(const backend::ProgramImage& image,
                                                    const FoundDevice& found) const = 0;
  /// The same of an image in one of `names().code`, or of what `compile` has made.
  [[nodiscard]] virtual Result<Code> read(std::string image, const FoundDevice& found) const = 0;
  /// Why the driver refuses code.
  [[nodiscard]] virtual std::string_view meaning_of(Status status) const noexcept = 0;

  /// The table, for code that has an object: every object was made through the table.
  [[nodiscard]] const vendor::cuda::Driver& api() const { return **loaded(); }
  /// What a refused call of the driver means for the caller. `message` is a whole sentence.
  [[nodiscard]] Error failure(Status status, std::string message) const;
  [[nodiscard]] Poison& poison() noexcept { return poison_; }

 protected:
  explicit Platform(Names names) noexcept : names_(names) {}
  ~Platform() = default;

 private:
  const Names names_;
  Poison poison_;
};

[[nodiscard]] Platform& cuda_platform();
[[nodiscard]] Platform& hip_platform();

}  // namespace pintle::cuda
