#include "cli/collective_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/parse.h"
#include "base/quote.h"
#include "cli/command.h"

namespace pintle::cli {
namespace {

constexpr std::uint32_t most_ranks = 1024;
constexpr std::string_view everything = "all";

/// "128M": powers of 1024.
Result<std::uint64_t> parse_size(std::string_view text) {
  struct Unit {
    std::string_view letters;
    unsigned shift;
  };
  constexpr std::array units{Unit{"", 0},     Unit{"B", 0},  Unit{"K", 10},  Unit{"k", 10},
                             Unit{"KiB", 10}, Unit{"M", 20}, Unit{"m", 20},  Unit{"MiB", 20},
                             Unit{"G", 30},   Unit{"g", 30}, Unit{"GiB", 30}};
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto unit = std::ranges::find(units, text.substr(digits), &Unit::letters);
  if (unit != units.end()) {
    const auto most = std::numeric_limits<std::uint64_t>::max() >> unit->shift;
    const auto count = base::parse_number<std::uint64_t>(text.substr(0, digits), 0, most);
    if (count) return *count << unit->shift;
  }
  return Error(Errc::invalid_argument,
               fmt::format("{} is no size; write a whole number of bytes, with K, M or G for powers of 1024: 32K.",
                           base::quote(text)));
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Result<double> parse_factor(std::string_view text) {
  const auto value = parse_real(text);
  if (value && *value > 1) return *value;
  return Error(Errc::invalid_argument, fmt::format("{} is no factor; it is a number above 1.", base::quote(text)));
}

Result<std::uint64_t> parse_step(std::string_view text) {
  PINTLE_ASSIGN(size, parse_size(text));
  if (size != 0) return size;
  return Error(Errc::invalid_argument, "A step (0) is at least one byte.");
}

Result<double> parse_seconds(std::string_view text) {
  const auto value = parse_real(text);
  if (value && *value > 0) return *value;
  return Error(Errc::invalid_argument,
               fmt::format("{} is no number of seconds; it is a number above 0.", base::quote(text)));
}

/// The values of an enumeration that counts from 1.
template <class Value>
std::vector<Value> values_of(Value last) {
  std::vector<Value> values;
  for (std::uint8_t i = 1; i <= static_cast<std::uint8_t>(last); ++i) values.push_back(static_cast<Value>(i));
  return values;
}
template <class Value>
std::string names_of(const std::vector<Value>& values) {
  std::string names;
  for (const Value value : values) names += std::string(names.empty() ? "" : ", ") + std::string(name(value));
  return names;
}

Error unknown(std::string_view text, std::string_view what, std::string_view names) {
  return {Errc::invalid_argument, fmt::format("{} is no {}; valid are {}.", base::quote(text), what, names)};
}

Result<std::vector<Operation>> parse_operations(std::string_view text) {
  if (const auto operation = parse_operation(text)) return std::vector{*operation};
  return unknown(text, "operation", operation_names());
}

Result<std::vector<DType>> parse_dtypes(std::string_view text) {
  if (text == everything) return values_of(DType::complex64);
  if (const auto dtype = parse_dtype(text)) return std::vector{*dtype};
  return unknown(text, "dtype", dtype_names() + ", all");
}

Result<std::vector<ReduceOp>> parse_reductions(std::string_view text) {
  const auto all = values_of(ReduceOp::logical_xor);
  if (text == everything) return all;
  if (const auto op = parse_reduce_op(text)) return std::vector{*op};
  return unknown(text, "reduction", names_of(all) + ", all");
}

Result<Algorithm> parse_algorithm_name(std::string_view text) {
  if (const auto algorithm = parse_algorithm(text)) return *algorithm;
  return unknown(text, "algorithm", names_of(values_of(Algorithm::native)));
}

Result<std::string> parse_transport(std::string_view text) {
  if (text == "threads" || text == "shm" || text == "mpi") return std::string(text);
  return unknown(text, "transport", "threads, shm, mpi");
}

/// Without -e, the largest size is at least that of -b.
Result<SizeRange> sizes_of(const CollectiveArguments& arguments) {
  PINTLE_ASSIGN(least, parse_size(arguments.least));
  PINTLE_ASSIGN(factor, parse_factor(arguments.factor));
  SizeRange sizes;
  sizes.least = least;
  sizes.factor = factor;
  sizes.most = std::max(sizes.most, least);
  if (!arguments.most.empty()) {
    PINTLE_ASSIGN(most, parse_size(arguments.most));
    sizes.most = most;
  }
  if (!arguments.step.empty()) {
    PINTLE_ASSIGN(step, parse_step(arguments.step));
    sizes.step = step;
  }
  if (sizes.least <= sizes.most) return sizes;
  return Error(Errc::invalid_argument, fmt::format("-b ({} bytes) is above -e ({} bytes).", sizes.least, sizes.most));
}

void declare_sizes(CLI::App& command, CollectiveArguments& arguments) {
  command.add_option("-b", arguments.least, "Smallest size in bytes: 8, 32K, 128M, 1G")
      ->check(checked_by(parse_size), "");
  command.add_option("-e", arguments.most, "Largest size")->check(checked_by(parse_size), "")->default_str("64M");
  auto* const factor = command.add_option("-f", arguments.factor, "From one size to the next: a factor")
                           ->check(checked_by(parse_factor), "");
  command.add_option("-i", arguments.step, "The same: a step in bytes")
      ->check(checked_by(parse_step), "")
      ->default_str("")
      ->excludes(factor);
}

void declare_work(CLI::App& command, CollectiveArguments& arguments) {
  whole(command.add_option("-w", arguments.warmups, "Iterations before the clock runs"), 0u, 1'000'000u);
  whole(command.add_option("-n", arguments.iterations, "Iterations that are measured"), 1u, 1'000'000u);
  whole(command.add_option("-c", arguments.checking, "1: check the results before and after; 0: do not"), 0u, 1u);
  command.add_option("-d", arguments.dtype, "Element type, or all")->check(checked_by(parse_dtypes), "");
  command.add_option("-o", arguments.reduction, "Reduction, or all")->check(checked_by(parse_reductions), "");
  whole<std::uint32_t>(command.add_option("-r", arguments.root, "Root rank"));
  command.add_option("--algorithm", arguments.algorithm, "Force an algorithm")
      ->check(checked_by(parse_algorithm_name), "");
  command.add_flag("--reproducible", arguments.is_reproducible, "Bitwise the same result whatever the ranks do");
  command.add_option("--timeout", arguments.timeout, "Seconds for each operation")
      ->check(checked_by(parse_seconds), "")
      ->default_str("");
}

}  // namespace

void declare_collective(CLI::App& command, CollectiveArguments& arguments) {
  command.add_option("OPERATION", arguments.operations, "What to measure: " + operation_names())
      ->check(checked_by(parse_operations), "");
  declare_sizes(command, arguments);
  declare_work(command, arguments);
  auto* const ranks =
      command.add_option("--ranks", arguments.ranks, "Ranks; in a group that was started, only its own number");
  whole(ranks, 1u, most_ranks)->default_str("2");
  command
      .add_option("--transport", arguments.transport,
                  "threads: ranks in this process; shm: processes that are started; mpi: under mpirun")
      ->check(checked_by(parse_transport), "")
      ->default_str("threads");
  command.add_flag("--csv", arguments.is_csv, "Print the rows as CSV");
  command.add_option("--svg", arguments.svg, "Draw busbw over size into this file")->default_str("");
  command.parse_complete_callback([&arguments] {
    const auto request = request_of(arguments);
    if (!request) throw CLI::ValidationError(std::string(request.error().message()));
  });
}

Result<CollectiveRequest> request_of(const CollectiveArguments& arguments) {
  CollectiveRequest request;
  request.operations.clear();
  for (const std::string& text : arguments.operations) {
    PINTLE_ASSIGN(operations, parse_operations(text));
    request.operations.push_back(operations.front());
  }
  PINTLE_ASSIGN(dtypes, parse_dtypes(arguments.dtype));
  PINTLE_ASSIGN(reductions, parse_reductions(arguments.reduction));
  PINTLE_ASSIGN(sizes, sizes_of(arguments));
  PINTLE_ASSIGN(algorithm, parse_algorithm_name(arguments.algorithm));
  request.dtypes = dtypes;
  request.reductions = reductions;
  request.sizes = sizes;
  request.warmups = arguments.warmups;
  request.iterations = arguments.iterations;
  request.checking = arguments.checking == 0 ? Checking::off : Checking::on;
  request.root = arguments.root;
  request.terms.algorithm = algorithm;
  request.terms.is_reproducible = arguments.is_reproducible;
  if (!arguments.timeout.empty()) {
    PINTLE_ASSIGN(seconds, parse_seconds(arguments.timeout));
    request.terms.timeout = std::chrono::duration<double>(seconds);
  }
  return request;
}

}  // namespace pintle::cli
