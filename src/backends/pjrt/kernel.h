// One entry of a program: an executable of the plug-in for each set of sizes.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/pjrt/executable.h"
#include "pintle/backend/driver.h"
#include "stablehlo/module.h"

namespace pintle::pjrt {

/// What a call of submit may take for one launch.
inline constexpr std::chrono::nanoseconds short_run = std::chrono::microseconds(20);

/// What the last runs of an executable took in the call that starts them. Thread-safe.
class RunTime {
 public:
  static constexpr std::chrono::nanoseconds unknown = std::chrono::nanoseconds::max();

  /// The less of the last two that were timed: a thread that was interrupted says nothing of the work. `unknown` before
  /// the first run.
  [[nodiscard]] std::chrono::nanoseconds least() const noexcept {
    return std::min(last_.load(std::memory_order_relaxed), before_.load(std::memory_order_relaxed));
  }
  /// Whether the next run is to be timed. Asking the clock takes a good part of what a short run takes.
  [[nodiscard]] bool is_due() noexcept {
    return least() >= short_run || runs_.fetch_add(1, std::memory_order_relaxed) % 8 == 0;
  }
  void note(std::chrono::nanoseconds took) noexcept {
    before_.store(last_.exchange(took, std::memory_order_relaxed), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::chrono::nanoseconds> last_{unknown};
  std::atomic<std::chrono::nanoseconds> before_{unknown};
  std::atomic<std::uint32_t> runs_{0};
};

/// An entry for certain sizes.
struct Variant {
  std::shared_ptr<const Executable> executable;
  std::vector<TensorType> parameters;  ///< By parameter of the entry.
  std::vector<bool> is_given_up;  ///< By parameter: an argument whose result has its type, and may take its memory.
  mutable RunTime took;
};

using SharedVariant = std::shared_ptr<const Variant>;

/// Where a parameter is among the arguments and the results of the function.
struct Use {
  std::optional<std::uint32_t> argument;
  std::optional<std::uint32_t> result;
};

/// One entry.
class Kernel {
 public:
  /// The function of `image`'s text for the entry. `invalid_argument` where they do not agree.
  [[nodiscard]] static Result<std::unique_ptr<Kernel>> match(const backend::ProgramImage& image, const Entry& entry,
                                                             std::shared_ptr<const stablehlo::Module> module);
  /// Code that tells nothing of its parameters: portable bytecode, or the plug-in's own executable. Their shapes are
  /// the signature's.
  [[nodiscard]] static Result<std::unique_ptr<Kernel>> opaque(const backend::ProgramImage& image, const Entry& entry,
                                                              Code::Kind kind);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const std::string& parameter_name(std::size_t index) const noexcept {
    return entry_.parameters[index].name;
  }
  [[nodiscard]] std::span<const Use> uses() const noexcept { return uses_; }
  /// Whether every launch has the same sizes, so that the code can be compiled when it is loaded.
  [[nodiscard]] bool is_fixed() const noexcept { return is_fixed_; }

  /// The variant for these arguments, compiled where it is not there yet: that takes as long as compiling.
  [[nodiscard]] Result<SharedVariant> variant(const Client& client, std::span<const backend::Argument> arguments);
  /// Null where it would have to be compiled.
  [[nodiscard]] SharedVariant find(std::span<const backend::Argument> arguments);
  /// Compiles the variant of a fixed kernel.
  [[nodiscard]] Result<void> compile(const Client& client);
  /// The value of a scalar parameter as a tensor. The last value is kept.
  [[nodiscard]] Result<SharedTensor> scalar(const Client& client, std::size_t parameter,
                                            const backend::Argument& argument, const TensorType& type);

 private:
  using Key = std::vector<std::uint64_t>;
  struct Scalar {
    pintle::Scalar value;
    SharedTensor tensor;
  };

  template <class Each>
  void for_each_side(const Parameter& parameter, std::span<const backend::Argument> arguments, Each each) const;
  template <class Each>
  void for_each_size(std::span<const backend::Argument> arguments, Each each) const;
  [[nodiscard]] Key key_of(std::span<const backend::Argument> arguments) const;
  [[nodiscard]] bool is_key(const Key& key, std::span<const backend::Argument> arguments) const;
  [[nodiscard]] std::vector<std::uint64_t> sides_of(const Parameter& parameter,
                                                    std::span<const backend::Argument> arguments) const;
  [[nodiscard]] Result<SharedVariant> make(const Client& client, std::span<const backend::Argument> arguments) const;
  [[nodiscard]] Result<SharedVariant> make_text(const Client& client,
                                                std::span<const backend::Argument> arguments) const;
  [[nodiscard]] Result<SharedVariant> make_opaque(const Client& client,
                                                  std::span<const backend::Argument> arguments) const;

  std::string text_;  // "Entry "x" of [Program "y"]"
  Entry entry_;
  std::vector<Use> uses_;
  bool is_fixed_ = false;
  std::shared_ptr<const stablehlo::Module> module_;  // null: the code is opaque
  Code code_;
  std::mutex mutex_;  // of the next three
  std::map<Key, SharedVariant> variants_;
  decltype(variants_)::iterator last_ = variants_.end();  // what was found last
  std::vector<Scalar> scalars_;
};

}  // namespace pintle::pjrt
