#include "interleaving/model/explorer.h"

#include <algorithm>
#include <charconv>

namespace pintle::interleaving {
namespace {

using Operations = std::vector<Operation>;

bool contains(const Operations& operations, const Operation& wanted) {
  return std::ranges::any_of(operations, [&](const Operation& o) { return o.is_same_step(wanted); });
}

/// A point of the search: what could run, what has been tried, and what needs no trying.
struct Node {
  Operations enabled;
  Operations asleep;  // tried before an equivalent point was reached on another way
  Operations tried;
  std::size_t taken = 0;

  [[nodiscard]] bool is_open(const Operation& operation) const {
    return !contains(asleep, operation) && !contains(tried, operation);
  }
  /// Takes the next open step, of the thread that ran last if it has one. False when there is none.
  bool advance(std::uint8_t preferred) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < enabled.size(); ++i) {
      if (!is_open(enabled[i])) continue;
      if (!found || (enabled[i].thread == preferred && enabled[*found].thread != preferred)) found = i;
    }
    taken = found.value_or(0);
    return found.has_value();
  }
};

class Search final : public Chooser {
 public:
  explicit Search(Reduction reduction) : reduction_(reduction) {}

  std::size_t choose(std::span<const Operation> enabled) override {
    if (is_redundant_) return 0;
    if (depth_ < path_.size()) return path_[depth_++].taken;
    if (push(enabled)) return path_[depth_++].taken;
    is_redundant_ = true;
    return 0;
  }

  void restart() {
    depth_ = 0;
    is_redundant_ = false;
  }
  /// False when everything has been tried.
  bool next() {
    while (!path_.empty()) {
      Node& node = path_.back();
      node.tried.push_back(node.enabled[node.taken]);
      if (node.advance(last_thread(path_.size() - 1))) return true;
      path_.pop_back();
    }
    return false;
  }
  [[nodiscard]] bool is_redundant() const noexcept { return is_redundant_; }

 private:
  bool push(std::span<const Operation> enabled) {
    Node node;
    node.enabled.assign(enabled.begin(), enabled.end());
    if (!path_.empty() && reduction_ == Reduction::sleep_sets) inherit(path_.back(), node.asleep);
    if (!node.advance(last_thread(path_.size()))) return false;
    path_.push_back(std::move(node));
    return true;
  }

  static void inherit(const Node& parent, Operations& asleep) {
    const Operation& taken = parent.enabled[parent.taken];
    const auto keep = [&](const Operations& from) {
      std::ranges::copy_if(from, std::back_inserter(asleep), [&](const Operation& o) { return !depend(o, taken); });
    };
    keep(parent.asleep);
    keep(parent.tried);
  }

  [[nodiscard]] std::uint8_t last_thread(std::size_t depth) const {
    return depth == 0 ? std::uint8_t{0} : path_[depth - 1].enabled[path_[depth - 1].taken].thread;
  }

  Reduction reduction_;
  std::vector<Node> path_;
  std::size_t depth_ = 0;
  bool is_redundant_ = false;
};

/// Follows "0 1 1.2 0": the thread, and the variant where it is not the first.
class Script final : public Chooser {
 public:
  explicit Script(std::string_view text) : text_(text) {}

  std::size_t choose(std::span<const Operation> enabled) override {
    const auto thread = number(' ');
    const auto variant = !text_.empty() && text_.front() == '.' ? number('.') : 0;
    const auto place = std::ranges::find_if(
        enabled, [&](const Operation& o) { return thread && variant && o.thread == *thread && code(o) == *variant; });
    fits_ = fits_ && place != enabled.end();
    return fits_ ? static_cast<std::size_t>(place - enabled.begin()) : 0;
  }
  [[nodiscard]] bool fits() const noexcept { return fits_ && text_.empty(); }

  [[nodiscard]] static std::string write(const std::vector<Operation>& trace) {
    std::string text;
    for (const Operation& operation : trace) {
      if (!text.empty()) text += ' ';
      text += std::to_string(operation.thread);
      if (code(operation) != 0) text += '.' + std::to_string(code(operation));
    }
    return text;
  }

 private:
  [[nodiscard]] static unsigned code(const Operation& operation) noexcept {
    return operation.action == Action::wake_for_nothing ? 255U : operation.variant;
  }

  [[nodiscard]] std::optional<unsigned> number(char before) {
    if (!text_.empty() && text_.front() == before) text_.remove_prefix(1);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  std::string_view text_;
  bool fits_ = true;
};

FiberPool& fibers() {
  static auto& pool = *new FiberPool;
  return pool;
}

void perform(const Scenario& scenario, Chooser& chooser, Report& report) {
  Execution execution(chooser, fibers());
  execution.allow_spurious_wakes(scenario.spurious_wakes);
  Stage stage(execution);
  scenario.set_up(stage);
  stage.run();
  if (!execution.violation()) return;
  report.violation = execution.violation();
  report.schedule = Script::write(execution.trace());
  for (const Operation& operation : execution.trace()) report.steps.push_back(execution.describe(operation));
}

}  // namespace

Report explore(const Scenario& scenario, Reduction reduction, std::uint64_t most_schedules) {
  Report report;
  Search search(reduction);
  do {
    search.restart();
    perform(scenario, search, report);
    ++(search.is_redundant() ? report.redundant : report.schedules);
    if (report.violation || report.schedules + report.redundant >= most_schedules) return report;
  } while (search.next());
  report.exhaustive = true;
  return report;
}

std::optional<Report> replay(const Scenario& scenario, std::string_view schedule) {
  Report report;
  Script script(schedule);
  perform(scenario, script, report);
  if (!script.fits()) return std::nullopt;
  report.schedules = 1;
  return report;
}

std::string Report::summary() const {
  return std::to_string(schedules) + " schedules, " + std::to_string(redundant) + " cut short as redundant, " +
         (exhaustive ? "exhaustive" : "not exhaustive");
}

std::string Report::story() const {
  if (!violation) return "No violation.";
  std::string text = std::string(name(violation->fault)) + ": " + violation->text + "\nschedule: " + schedule + "\n";
  for (const std::string& step : steps) text += "  " + step + "\n";
  return text;
}

}  // namespace pintle::interleaving
