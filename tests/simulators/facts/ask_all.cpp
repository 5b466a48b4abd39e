// All rules, in processes that are watched: what ends one, or does not return, is its answer, and the others go on.
#include <algorithm>
#include <cstdio>

#include "facts/child.h"
#include "facts/code.h"
#include "facts/options.h"

namespace facts {
namespace {

using Clock = std::chrono::steady_clock;
using Rules = std::span<const Rule* const>;

class Asking {
 public:
  Asking(const Options& options, const std::string& code)
      : options_(options), code_(code), end_(Clock::now() + options.most) {}

  /// In one process, and where that ends before the last, in another one for those that are left.
  void ask(Rules rules) {
    while (!rules.empty() && left() > std::chrono::seconds(0)) {
      std::size_t answered = 0;
      const std::string how = run_again(arguments_for(rules), options_.deadline, [&](std::string_view line) {
        if (answered < rules.size() && line.starts_with(std::string(rules[answered]->name) + ": ")) {
          ++answered;
          print(std::string(line));
        }
      });
      rules = rules.subspan(answered);
      if (rules.empty()) return;
      say(*rules.front(), how);
      rules = rules.subspan(1);
    }
    for (const Rule* const rule : rules) say(*rule, "not asked (no time was left)");
  }
  void say(const Rule& rule, const std::string& answer) const { print(line_of(rule, options_.vendor, answer)); }

 private:
  static void print(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
  std::chrono::seconds left() const { return std::chrono::ceil<std::chrono::seconds>(end_ - Clock::now()); }
  std::vector<std::string> arguments_for(Rules rules) const {
    std::vector<std::string> arguments{"--code", code_, "--seconds", std::to_string(left().count())};
    if (options_.vendor == Vendor::hip) arguments.emplace_back("--hip");
    for (const Rule* const rule : rules) arguments.insert(arguments.end(), {"--rule", std::string(rule->name)});
    return arguments;
  }

  const Options& options_;
  const std::string& code_;
  Clock::time_point end_;
};

/// The kernels in the file, and the first line: what is asked.
std::string prepare(const Options& options, const std::string& code) {
  std::vector<std::string> arguments{"--write-code", code};
  if (options.vendor == Vendor::hip) arguments.emplace_back("--hip");
  return run_again(arguments, std::chrono::seconds(60),
                   [](std::string_view line) { std::printf("%.*s\n", static_cast<int>(line.size()), line.data()); });
}

}  // namespace

int ask_all(const Options& options) {
  const CodeFile code;
  const std::string how = prepare(options, code.path());
  if (how == "exit 77") return 77;
  if (how != "exit 0") std::printf("# the kernels are not compiled: %s\n", how.c_str());
  Asking asking(options, code.path());
  std::vector<const Rule*> together;
  for (const Rule* const rule : all_rules()) {
    const bool is_of_cuda = options.vendor == Vendor::hip && rule->of == Of::cuda;
    if (is_of_cuda) asking.say(*rule, "not asked (only of CUDA)");
    else if (rule->runs == Runs::together) together.push_back(rule);
  }
  asking.ask(together);
  for (const Rule* const rule : all_rules()) {
    const bool is_here = options.vendor == Vendor::cuda || rule->of == Of::both;
    if (is_here && rule->runs == Runs::alone) asking.ask({&rule, 1});
  }
  return 0;
}

}  // namespace facts
