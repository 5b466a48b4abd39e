// Which call fails, with what, and how often.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "pintle/backend/driver.h"
#include "pintle/native/faulty.h"

namespace pintle::layers {

struct Fault {
  std::size_t call = faulty_calls.size();  // none
  std::uint64_t ordinal = 1;
  std::uint64_t times = 1;  // 0: for ever
  Errc code = Errc::internal;
};

/// `invalid_argument` unless the call exists and may answer with the code.
[[nodiscard]] Result<Fault> fault_of(std::string_view call, std::uint64_t ordinal, std::uint64_t times, Errc code);

/// A fault, and how often it has fired. Generations of a device share it, so that a recovered device does not fail
/// again. Thread-safe.
class Plan {
 public:
  explicit Plan(const Fault& fault) noexcept : fault_(fault) {}

  [[nodiscard]] Errc code() const noexcept { return fault_.code; }
  [[nodiscard]] bool is_for_open() const noexcept { return fault_.call == faulty_index("open"); }
  /// Whether the call that was made for the `ordinal`th time fails; true counts as fired.
  [[nodiscard]] bool fires(std::size_t call, std::uint64_t ordinal) noexcept;
  /// Counts an opening and says whether it fails. No incarnation can count openings.
  [[nodiscard]] bool fires_on_open() noexcept;

 private:
  const Fault fault_;
  std::mutex mutex_;
  std::uint64_t fired_ = 0;
  std::uint64_t opened_ = 0;
};

/// The plans of all ids. A plan lives as long as a device that has it, so an id that is opened again later gets a new
/// plan. A plan with a name, or for opening itself, lives for ever. Thread-safe.
class Plans {
 public:
  /// The plan that the options of a device describe. A later opening with equal options gets it while it lives.
  [[nodiscard]] Result<std::shared_ptr<Plan>> find(const std::string& device, std::span<const backend::Option> options);

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Plan>> plans_;
  std::vector<std::shared_ptr<Plan>> kept_;
};

}  // namespace pintle::layers
