// What a case works with: the device under test, waits that never hang, and bytes back and forth.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "conformance/check.h"
#include "conformance/kernels.h"
#include "pintle/pintle.h"

namespace pintle::conformance {

using namespace std::chrono_literals;

/// No wait of a case is longer. A case that needs so long has failed.
inline constexpr Duration patience = 20s;
/// For a wait that must not be answered.
inline constexpr Duration moment = 20ms;

class Context {
 public:
  explicit Context(Device device);

  /// Asks a fresh queue where counters start. Once, before the first case.
  Result<void> find_first();

  [[nodiscard]] const Device& device() const noexcept { return device_; }
  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] std::string_view id() const noexcept { return device_.id(); }

  /// Work runs only in submit, poll and wait, on the thread that calls them.
  [[nodiscard]] bool is_driven() const noexcept { return info_.progress == Progress::driven; }
  /// Bytes are really moved and computed.
  [[nodiscard]] bool executes() const { return has(Feature::execution); }
  [[nodiscard]] bool has(Feature feature) const { return info_.capability(feature).support != Support::absent; }
  /// Skips the case where the device declares the feature absent.
  void require(Feature feature) const;
  /// A launch may have several groups.
  [[nodiscard]] bool has_groups() const noexcept { return info_.limits.max_grid != Grid{1, 1, 1}; }
  /// Skips the case where a launch has one group.
  void require_groups() const;
  /// Skips the case where there are no bytes to compare.
  void require_bytes() const;
  [[noreturn]] void not_applicable(std::string reason) const {
    throw Skip{Skip::Why::not_applicable, std::move(reason)};
  }
  [[noreturn]] void missing(std::string reason) const { throw Skip{Skip::Why::missing, std::move(reason)}; }

  [[nodiscard]] Queue queue(std::string label = {}) const;
  /// Where counters start in this run: near 2^64 with PINTLE_FIRST_SERIAL.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// A signal at the first value, and its points counted from there.
  [[nodiscard]] Signal signal(std::string label = {}) const;
  [[nodiscard]] Point at(const Signal& signal, std::uint64_t steps) const { return signal.at(first_ + steps); }
  [[nodiscard]] Result<void> raise(Signal& signal, std::uint64_t steps) const { return signal.set(first_ + steps); }
  [[nodiscard]] std::uint64_t steps(const Signal& signal) const { return signal.value() - first_; }

  /// Waits without blocking where the device is driven, and never for ever.
  [[nodiscard]] Result<void> wait(const Point& point, Duration limit = patience) const;
  /// Waits and ends the case where that fails.
  void finish(const Point& point, std::source_location where = std::source_location::current()) const;
  /// Polls the device until the condition holds; false when that takes too long.
  [[nodiscard]] bool eventually(const std::function<bool()>& holds) const;

  [[nodiscard]] Buffer allocate(DType dtype, std::uint64_t count, std::string label = {}) const;
  /// A buffer with these elements in it.
  template <Element T>
  [[nodiscard]] Buffer buffer(const std::vector<T>& values, std::string label = {}) const {
    Buffer made = allocate(dtype_of<T>(), values.size(), std::move(label));
    write(made, std::as_bytes(std::span(values)));
    return made;
  }
  void write(const BufferView& to, std::span<const std::byte> bytes) const;
  /// The bytes of a view once everything on `queue` is done.
  [[nodiscard]] std::vector<std::byte> bytes(Queue& queue, const BufferView& from) const;
  template <Element T>
  [[nodiscard]] std::vector<T> read(Queue& queue, const BufferView& from) const {
    const std::vector<std::byte> raw = bytes(queue, from);
    std::vector<T> values(raw.size() / sizeof(T));
    if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  template <Element T>
  [[nodiscard]] std::vector<T> read(const BufferView& from) const {
    Queue reader = queue("reader");
    return read<T>(reader, from);
  }

  /// An entry of the suite's program (kernels.c), which is loaded once for each device. Skips the case where the entry
  /// is about groups and a launch has one.
  [[nodiscard]] Kernel kernel(std::string_view entry) const;

  /// A name that no other call in the process gives.
  [[nodiscard]] static std::string unique();

 private:
  Device device_;
  DeviceInfo info_;
  std::uint64_t first_ = 0;
  std::shared_ptr<LoadedKernels> kernels_;
};

}  // namespace pintle::conformance
