// `pintle plan`: lays out values of a CSV file, and draws the plan.
#include "pintle/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/parse.h"
#include "base/quote.h"
#include "cli/command.h"
#include "cli/table.h"
#include "io/plan_csv.h"

namespace pintle::cli {
namespace {

struct PlanOptions {
  std::string file;
  std::string capacity;
  std::string budget = "0s";
  std::uint64_t nodes = 0;
  std::string largest_chunk;
  std::string svg;
  std::string output;
};

constexpr std::size_t most_rows = 40;

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  struct UnitOfTime {
    std::string_view suffix;
    std::uint64_t nanoseconds;
  };
  constexpr std::array units{UnitOfTime{"ns", 1}, UnitOfTime{"us", 1'000}, UnitOfTime{"ms", 1'000'000},
                             UnitOfTime{"s", 1'000'000'000}};
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto unit = std::ranges::find(units, text.substr(digits), &UnitOfTime::suffix);
  constexpr auto most = static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count());
  const auto count = unit == units.end()
                         ? std::nullopt
                         : base::parse_number<std::uint64_t>(text.substr(0, digits), 0, most / unit->nanoseconds);
  if (count) return std::chrono::nanoseconds(*count * unit->nanoseconds);
  return Error(Errc::invalid_argument,
               fmt::format("{} is no duration; write a whole number and ns, us, ms or s: 10s.", base::quote(text)));
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = base::parse_number<std::uint64_t>(text);
  if (bytes) return *bytes;
  return Error(Errc::invalid_argument, fmt::format("{} is no whole number of bytes.", base::quote(text)));
}

void declare(CLI::App& command, PlanOptions& options) {
  command.add_option("FILE", options.file, "CSV with the columns id, lower, upper, size and perhaps alignment")
      ->required();
  command
      .add_option("--capacity", options.capacity,
                  "What is enough for the search; exit with 1 where the plan needs more")
      ->check(checked_by(parse_bytes))
      ->default_str("");
  command.add_option("--budget", options.budget, "Time for the exact search (10s, 500ms); 0s: greedy alone")
      ->check(checked_by(parse_duration));
  whole<std::uint64_t>(
      command.add_option("--nodes", options.nodes, "Nodes for the exact search; the plan is then always the same"));
  command.add_option("--largest-chunk", options.largest_chunk, "Split the arena into chunks of at most these bytes")
      ->check(checked_by(parse_bytes))
      ->default_str("");
  command.add_option("--svg", options.svg, "Draw lifetimes against offsets into this file")->default_str("");
  command.add_option("-o,--output", options.output, "Write the plan as text into this file")->default_str("");
}

std::string as_text(const Plan& plan) {
  std::string text = fmt::format("peak {}, lower bound {}, gap {}, {}\n", plan.total(), plan.lower_bound(), plan.gap(),
                                 plan.is_optimal() ? "optimal" : "not proven optimal");
  if (plan.chunks().size() > 1) text += fmt::format("{} chunks\n", plan.chunks().size());
  std::vector<std::vector<std::string>> rows;
  for (const PlannedValue& value : plan.values().first(std::min(most_rows, plan.values().size()))) {
    const auto chunk = plan.chunks().size() > 1 ? fmt::format("chunk {} ", value.chunk) : "";
    rows.push_back(
        {"  " + value.name, fmt::format("{}offset {}", chunk, value.offset), fmt::format("size {}", value.size)});
  }
  text += table(rows);
  if (plan.values().size() > most_rows) text += fmt::format("  and {} more\n", plan.values().size() - most_rows);
  return text;
}

Json as_json(const Plan& plan) {
  Json json{
      {"peak", plan.total()}, {"lower_bound", plan.lower_bound()}, {"gap", plan.gap()}, {"optimal", plan.is_optimal()}};
  if (plan.chunks().size() > 1) json["chunks"] = plan.chunks();
  json["values"] = Json::array();
  for (const PlannedValue& value : plan.values()) {
    json["values"].push_back({{"id", value.name}, {"offset", value.offset}});
    if (plan.chunks().size() > 1) json["values"].back()["chunk"] = value.chunk;
  }
  return json;
}

Result<PlanBudget> budget_of(const PlanOptions& options) {
  PINTLE_ASSIGN(time, parse_duration(options.budget));
  if (options.capacity.empty()) return PlanBudget{time, options.nodes, 0};
  PINTLE_ASSIGN(capacity, parse_bytes(options.capacity));
  return PlanBudget{time, options.nodes, capacity};
}

Result<Plan> planned(const PlanOptions& options, const PlanProblem& problem, const PlanBudget& budget) {
  auto plan = lay_out(problem, budget);
  if (!plan) return plan.error().during(fmt::format("laying out {}", base::quote(options.file)));
  return plan;
}

/// How a search has ended, and in words why.
struct End {
  std::string_view name;
  std::string why;
};

/// Whether `lay_out` searches for a better plan: where one chunk has room for all values, and they are not too many.
bool is_searchable(const PlanProblem& problem) noexcept {
  std::uint64_t all = 0;  // fits, or there would be no plan
  for (const PlanValue& value : problem.values) all += value.size + value.alignment - 1;
  return all <= problem.largest_chunk && problem.values.size() <= PlanBudget::most_values;
}

/// The problem and the plan decide it, but for what of the budget was spent.
End end_of(const PlanProblem& problem, const PlanBudget& budget, const Plan& plan, std::chrono::nanoseconds elapsed) {
  if (plan.is_optimal()) return {"optimal", fmt::format("no plan is smaller than {} bytes", plan.lower_bound())};
  if (budget.enough != 0 && plan.total() <= budget.enough)
    return {"enough",
            fmt::format("a peak of {} bytes is not larger than the capacity ({})", plan.total(), budget.enough)};
  if (!is_searchable(problem))
    return {"not_searched", fmt::format("a search takes one chunk and at most {} values", PlanBudget::most_values)};
  if (budget.time.count() != 0 && elapsed >= budget.time) return {"time", "the budget's time is over"};
  return {"nodes", fmt::format("all {} nodes are spent", budget.nodes)};
}

/// A search seldom needs all of its budget: whoever waits for less than that is told why.
void tell_end(const Output& output, const End& end, const PlanOptions& options, std::chrono::nanoseconds elapsed) {
  const std::string given = options.budget == "0s" ? fmt::format("{} nodes", options.nodes) : options.budget;
  output.words(fmt::format("The search ended after {:.3f} s (the budget is {}): {}.",
                           std::chrono::duration<double>(elapsed).count(), given, end.why));
}

Result<void> write_files(const PlanOptions& options, const PlanProblem& problem, const Plan& plan) {
  if (!options.svg.empty()) {
    PINTLE_ASSIGN(svg, picture(problem, plan));
    PINTLE_TRY(base::write_file(options.svg, base::bytes_in(svg)));
  }
  if (options.output.empty()) return {};
  return base::write_file(options.output, base::bytes_in(plan.text()));
}

Result<ExitCode> run(const PlanOptions& options, const Output& output) {
  PINTLE_ASSIGN(problem, io::read_plan_csv(options.file));
  if (!options.largest_chunk.empty()) {
    PINTLE_ASSIGN(bytes, parse_bytes(options.largest_chunk));
    problem.largest_chunk = bytes;
  }
  PINTLE_ASSIGN(budget, budget_of(options));
  const auto begin = std::chrono::steady_clock::now();
  PINTLE_ASSIGN(plan, planned(options, problem, budget));
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
  PINTLE_TRY(write_files(options, problem, plan));
  Json json = as_json(plan);
  if (budget.time.count() != 0 || budget.nodes != 0) {
    const End end = end_of(problem, budget, plan, elapsed);
    json["search_ended"] = end.name;
    tell_end(output, end, options, elapsed);
  }
  output.is_json() ? output.json(json) : output.text(as_text(plan));
  if (options.capacity.empty()) return ExitCode::ok;
  PINTLE_ASSIGN(capacity, parse_bytes(options.capacity));
  if (plan.total() <= capacity) return ExitCode::ok;
  output.words(fmt::format("The peak ({}) exceeds the capacity ({}); {}.", plan.total(), capacity,
                           plan.lower_bound() > capacity ? "no plan has less than the lower bound"
                                                         : "a larger budget may find a smaller one"));
  return ExitCode::failed;
}

}  // namespace

void add_plan(CLI::App& app, Chosen& chosen) {
  add_command(app, chosen, "plan", "Lay out values of a CSV file in memory, and draw the plan", declare, run);
}

}  // namespace pintle::cli
