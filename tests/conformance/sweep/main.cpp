// The fault sweep: every scenario again for every call that it makes of the seam and every code that the call may
// answer, with that call failing. Afterwards nothing hangs, every wait has been answered with the first cause, and the
// next clean run gives the right bytes. AddressSanitizer's build sees the leaks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "conformance/recorder.h"
#include "conformance/sweep/answer.h"
#include "conformance/sweep/scenario.h"
#include "pintle/native/faulty.h"

namespace pintle::conformance {
namespace {

using layers::FaultyCounts;

/// How often something looks is a matter of timing, and not part of what a scenario asks for.
constexpr std::array<std::string_view, 2> polls{"reached", "wait"};

struct Fault {
  std::string_view call;
  std::uint64_t ordinal = 1;
  Errc code = Errc::internal;
};

std::string text_of(const Fault& fault) {
  return fmt::format("{} {} answers {}", fault.call, fault.ordinal, name(fault.code));
}

/// The device of a sweep, opened afresh for each run.
class Sweep {
 public:
  explicit Sweep(std::string device) : id_(std::move(device)) {}

  void run(const Scenario& scenario) {
    scenario_ = &scenario;
    for (const Fault& fault : faults()) {
      ++runs_;
      with_fault(fault);
    }
  }
  void run_opening() {
    for (const Errc code : layers::legal_codes("open")) {
      ++runs_;
      with_refused_opening(code);
    }
  }

  /// No incarnation may stay when nobody has it. A thread of the library's may hold the last pointer for a moment more;
  /// a process that ended meanwhile would leave the device's threads unjoined.
  void wait_until_closed() {
    const Deadline deadline = deadline_after(Clock::now(), patience);
    const auto is_open = [](const auto& presence) { return !presence.expired(); };
    while (std::ranges::any_of(opened_, is_open) && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
    if (const auto open = std::ranges::count_if(opened_, is_open); open != 0)
      complain("the end", fmt::format("({}) incarnations that nobody has are open", open));
  }

  [[nodiscard]] std::size_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::size_t fired() const noexcept { return fired_; }
  [[nodiscard]] std::size_t failures() const noexcept { return failures_; }

 private:
  [[nodiscard]] std::unique_ptr<Context> open_context() {
    auto context = std::make_unique<Context>(need(open(id_)));
    note(context->device());
    need(context->find_first());
    return context;
  }

  void note(const Device& device) {
    std::erase_if(opened_, [](const auto& presence) { return presence.expired(); });
    opened_.push_back(need(device.native<layers::FaultyControl>()).presence);
  }

  /// Every call that a clean run makes, with every code that the call may answer.
  [[nodiscard]] std::vector<Fault> faults() {
    const auto context = open_context();
    const FaultyCounts before = need(context->device().native<FaultyCounts>());
    const Answer answer = execute(scenario_->run, *context);
    const FaultyCounts after = need(context->device().native<FaultyCounts>());
    check_clean("the first run", answer, *context);
    std::vector<Fault> all;
    for (std::size_t call = 0; call < layers::faulty_calls.size(); ++call) {
      const auto& [name, codes] = layers::faulty_calls[call];
      if (name == "open" || std::ranges::find(polls, name) != polls.end()) continue;
      for (std::uint64_t ordinal = 1; ordinal <= after.counts[call] - before.counts[call]; ++ordinal) {
        for (const Errc code : codes) all.push_back({name, ordinal, code});
      }
    }
    return all;
  }

  void with_fault(const Fault& fault) {
    std::unique_ptr<Context> context = open_context();
    arm(*context, fault);
    const Answer answer = execute(scenario_->run, *context);
    judge(fault, answer);
    const std::string when = "the run after " + text_of(fault);
    if (const auto health = context->device().health(); !health) {
      if (health.error().code() == Errc::process_poisoned) {
        context.reset();
        context = open_context();
      } else if (const auto recovered = context->device().recover(); !recovered) {
        return complain(when, "recover fails: " + recovered.error().text());
      } else {
        note(context->device());
      }
      need(context->find_first());
    } else {
      disarm(*context);
    }
    clean(when, *context);
  }

  // The ordinal counts from the first call of the scenario; opening and looking made some before.
  static void arm(const Context& context, const Fault& fault) {
    const auto counts = need(context.device().native<FaultyCounts>());
    const auto control = need(context.device().native<layers::FaultyControl>());
    need(control.arm(control.self, fault.call, counts.of(fault.call) + fault.ordinal, fault.code));
  }

  static void disarm(const Context& context) {
    const auto control = need(context.device().native<layers::FaultyControl>());
    need(control.arm(control.self, "submit", 0, Errc::internal));
  }

  /// Whatever failed, failed with the fault's code, as one error; nothing timed out; what did not fail is right.
  void judge(const Fault& fault, const Answer& answer) {
    std::vector<Error> errors = answer.errors;
    if (!answer.result) errors.push_back(answer.result.error());
    fired_ += errors.empty() ? 0U : 1U;
    if (errors.empty() && !may_be_silent(fault)) complain(text_of(fault), "nobody hears of it");
    for (const Error& error : errors) {
      if (!explains(fault, error)) complain(text_of(fault), "an answer is not the fault: " + error.text());
      if (!error.same_origin(errors.front())) {
        complain(text_of(fault), fmt::format("two causes:\n{}\n{}", errors.front().text(), error.text()));
      }
    }
    if (answer.wrong) complain(text_of(fault), "bytes are wrong though nothing failed");
    if (!answer.callbacks) complain(text_of(fault), "a callback does not come exactly once");
  }

  // What core has another way for: an optional call, and an allocation that it tries again once destroyed buffers are
  // freed.
  static bool may_be_silent(const Fault& fault) {
    return fault.code == Errc::unsupported || fault.call == "notify" ||
           (fault.call == "allocate" && fault.code == Errc::out_of_memory);
  }

  // A program that no variant of loads is build_failed, with the reason of each.
  static bool explains(const Fault& fault, const Error& error) {
    if (error.code() == fault.code) return true;
    return fault.call == "load" && error.code() == Errc::build_failed &&
           error.text().find(name(fault.code)) != std::string::npos;
  }

  void clean(const std::string& when, Context& context) {
    check_clean(when, execute(scenario_->run, context), context);
  }

  void check_clean(const std::string& when, const Answer& answer, Context& context) {
    for (const std::string& trouble : troubles_of_clean_run(answer, context)) complain(when, trouble);
  }

  void with_refused_opening(Errc code) {
    const std::string id = fmt::format("{}?call=open&code={}&plan={}", id_, name(code), Context::unique());
    const auto refused = open(id);
    if (refused || refused.error().code() != code) complain("opening", fmt::format("does not answer {}", name(code)));
    if (const auto again = open(id); !again) complain("opening again", again.error().text());
  }

  void complain(const std::string& when, const std::string& what) {
    ++failures_;
    fmt::print("{} on {}, {}:\n  {}\n", scenario_ != nullptr ? scenario_->name : "open", id_, when, what);
  }

  std::string id_;
  const Scenario* scenario_ = nullptr;
  std::vector<std::weak_ptr<const void>> opened_;
  std::size_t runs_ = 0, fired_ = 0, failures_ = 0;
};

int sweep(std::string_view device) {
  Sweep sweep{std::string(device)};
  sweep.run_opening();
  for (const Scenario& scenario : scenarios()) sweep.run(scenario);
  sweep.wait_until_closed();
  const std::string recorded = Recorder::current().take();
  if (!recorded.empty()) fmt::print("{}\n", recorded);
  fmt::print("fault sweep of {}: {} runs, {} of them failed somewhere as planned, {} complaints\n", device,
             sweep.runs(), sweep.fired(), sweep.failures());
  return sweep.failures() == 0 && recorded.empty() && sweep.fired() > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace pintle::conformance

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: fault_sweep 'faulty(DEVICE)'\n");
    return 2;
  }
  try {
    return pintle::conformance::sweep(arguments[1]);
  } catch (const pintle::conformance::Stop&) {
    fmt::print(stderr, "{}\n", pintle::conformance::Recorder::current().take());
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return EXIT_FAILURE;
}
