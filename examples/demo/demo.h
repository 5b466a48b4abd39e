// A picture's edges on every device, each compared with an oracle in double precision: what `./dev demo` and `pintle
// demo` show.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examples/demo/comparison.h"
#include "examples/demo/picture.h"
#include "pintle/error.h"

namespace demo {

struct Options {
  std::string picture{};               ///< A PNG; empty: a kernel draws 1920 x 1080 pixels.
  std::string edges = "edges.png";     ///< Where the edges go.
  std::string drawing{};               ///< Where a drawn picture goes; empty: nowhere.
  std::string pack{};                  ///< A pack file or folder; empty: the demo's own kernels.
  std::vector<std::string> devices{};  ///< Empty: every device that executes, and cpu?inline.
  std::string software{};  ///< What brings a device in software; empty: what the backend says of its absence.
};

/// A row of the table: a kernel on a device, all of them together, or why nothing ran there.
struct Row {
  enum class Kind { kernel, all, skipped, failed, absent };

  Kind kind = Kind::kernel;
  std::string device;
  std::string kernel{};
  std::optional<double> milliseconds{};  ///< The median. Empty where the device has no clock.
  std::optional<double> gigabytes_per_second{};
  std::optional<Comparison> comparison{};  ///< A kernel's.
  std::string reason{};                    ///< Why nothing ran, and for an absent device what would bring it.
};

/// Called with each row as soon as it is there.
using Tell = std::function<void(const Row& row)>;

/// The picture that is asked for; one that a kernel draws has no pixels yet.
[[nodiscard]] pintle::Result<Picture> picture_for(const Options& options);

/// Runs on each device and writes the edges that the first of them found. True where a device ran, none failed, and all
/// are within their tolerances.
[[nodiscard]] pintle::Result<bool> run(const Options& options, const Picture& picture, const Tell& tell);

/// The table as text: its head, and a row of it.
[[nodiscard]] std::string heading(const Picture& picture);
[[nodiscard]] std::string line(const Row& row);

}  // namespace demo
