// The conformance suite as a library: one list of cases, run over any device.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/outcome.h"
#include "pintle/error.h"

namespace pintle::conformance {

struct ConformOptions {
  std::string device = "cpu";
  std::string filter{};  ///< Only cases whose name matches; `*` and `?` are wildcards. Empty: all.
  /// A skip for want of something on this machine is a failure. What the device itself declares absent may still be
  /// skipped.
  bool required = false;
  std::function<void(const ConformRow&)> on_row{};  ///< Told of each case as it ends.
};

struct ConformReport {
  std::string device;  ///< The canonical id.
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t gaps = 0;
  std::vector<ConformRow> rows;
  std::optional<Error>
      error;  ///< Why nothing could run: no such device, or a filter that matches no case. Then `failed` is 1.
};

/// Opens the device, runs the cases one after another and closes it.
[[nodiscard]] ConformReport run_conformance(const ConformOptions& options);

/// The name of every case, sorted.
[[nodiscard]] std::vector<std::string> conformance_cases();

}  // namespace pintle::conformance
