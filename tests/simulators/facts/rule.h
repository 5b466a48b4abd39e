// A rule of a driver: its name, where a card was seen to follow it, and how it is asked.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace facts {

class Session;

enum class Of : std::uint8_t {
  both,
  cuda,  ///< HIP has nothing like it.
};

/// A rule that ends or poisons its process has one to itself. So has one whose process has to be untouched.
enum class Runs : std::uint8_t { together, alone };

struct Rule {
  std::string_view name;
  std::string_view where;  ///< "line 349": of the raw output of an H200, tests/simulators/cuda/README.md.
  /// The answer, which is the same on drivers that behave alike: codes, counts, words; no time, no address.
  std::string (*ask)(Session& session);
  Of of = Of::both;
  Runs runs = Runs::together;
};

/// A rule with a process to itself.
constexpr Rule alone(std::string_view name, std::string_view where, std::string (*ask)(Session&), Of of = Of::both) {
  return {name, where, ask, of, Runs::alone};
}

/// The rule cannot be asked here: the driver lacks a function, or the source a kernel.
class NotAsked : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call that comes before the question was refused.
class Unprepared : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All rules, those that were never measured first: time may end before the last.
[[nodiscard]] std::span<const Rule* const> all_rules();
/// Null where no rule has the name.
[[nodiscard]] const Rule* find_rule(std::string_view name);

// Those of one subject, each in a file of its name.
[[nodiscard]] std::span<const Rule> depth_rules();
[[nodiscard]] std::span<const Rule> device_rules();
[[nodiscard]] std::span<const Rule> context_rules();
[[nodiscard]] std::span<const Rule> launch_rules();
[[nodiscard]] std::span<const Rule> argument_rules();
[[nodiscard]] std::span<const Rule> event_rules();
[[nodiscard]] std::span<const Rule> memory_rules();
[[nodiscard]] std::span<const Rule> registration_rules();
[[nodiscard]] std::span<const Rule> source_rules();
[[nodiscard]] std::span<const Rule> module_rules();
[[nodiscard]] std::span<const Rule> graph_rules();
[[nodiscard]] std::span<const Rule> graph_node_rules();
[[nodiscard]] std::span<const Rule> waiting_rules();
[[nodiscard]] std::span<const Rule> copy_waiting_rules();
[[nodiscard]] std::span<const Rule> ended_rules();
[[nodiscard]] std::span<const Rule> fork_rules();
[[nodiscard]] std::span<const Rule> fault_rules();
[[nodiscard]] std::span<const Rule> endless_rules();

}  // namespace facts
