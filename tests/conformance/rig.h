// One open device and the cases that run on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case.h"
#include "conformance/context.h"
#include "conformance/gaps.h"
#include "conformance/outcome.h"

namespace pintle::conformance {

/// What a skip for want of something on this machine counts as.
enum class Missing : unsigned char { skipped, failed };

class Rig {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Rig>> open(std::string_view device);
  /// The same with gaps of one's own.
  Rig(Device device, std::vector<Gap> gaps) : id_(device.id()), context_(std::move(device)), gaps_(std::move(gaps)) {}

  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  /// Runs one case and leaves the device idle and healthy for the next.
  [[nodiscard]] ConformRow run(const Case& tested, Missing missing = Missing::skipped);

 private:
  [[nodiscard]] ConformRow run_plain(const Case& tested, Missing missing);
  [[nodiscard]] ConformRow judge_gap(const Gap& gap, ConformRow row);
  [[nodiscard]] Result<void> settle();
  [[nodiscard]] Result<void> reopen();

  std::string id_;
  std::optional<Context> context_;  // empty after a device that did not come to rest
  std::vector<Gap> gaps_;
};

}  // namespace pintle::conformance
