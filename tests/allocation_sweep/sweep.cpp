#include "allocation_sweep/sweep.h"

#include <execinfo.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "allocation_sweep/frames.h"
#include "allocation_sweep/operations.h"
#include "conformance/recorder.h"
#include "conformance/sweep/answer.h"

namespace pintle::allocation_sweep {
namespace {

using conformance::Answer;
using conformance::Context;
using conformance::Scenario;

constexpr unsigned seconds_of_a_run = 90;  // longer than any bounded wait
constexpr std::uint64_t most_deaths = 8;   // of one subject

/// Where the window is open.
enum class Extent : unsigned char {
  scenario,   ///< Around all of it.
  operation,  ///< Where it opens one itself.
  first_use,  ///< From the opening of the device on, each time in a process that has used nothing yet.
};

/// What is swept.
struct Subject {
  Scenario scenario;
  Extent extent = Extent::scenario;
};

std::vector<Subject> subjects_of(const Options& options) {
  std::vector<Subject> all;
  const auto add = [&](std::span<const Scenario> some, std::string_view kind, Extent extent) {
    if (!options.of.empty() && options.of != kind) return;
    for (const Scenario& scenario : some)
      if (options.only.empty() || options.only == scenario.name) all.push_back({scenario, extent});
  };
  add(conformance::scenarios(), "scenarios", Extent::scenario);
  add(operations(), "operations", Extent::operation);
  add(conformance::scenarios().first(1), "first_use", Extent::first_use);
  return all;
}

/// Where the child is; the parent reads it when the child has died.
struct Progress {
  std::size_t subject = 0;
  std::uint64_t ordinal = 0, deaths = 0;
  std::uint64_t runs = 0, failed = 0, complaints = 0;
  bool is_done = false;
};

Progress& progress() noexcept {
  static void* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  static Progress& only = *new (shared) Progress;
  return only;
}

void complain(std::string_view subject, std::string_view what, bool traced = true) {
  ++progress().complaints;
  fmt::print("{}, allocation {}: {}\n", subject, progress().ordinal, what);
  if (traced && failed().happened) fmt::print("{}", text_of(failed().frames));
  std::fflush(stdout);
}

std::string_view running;

/// Tells of a run that ends the process. Not safe in a signal, and the process is lost either way.
void die(int signal) {
  std::array<void*, 64> frames{};
  const auto size = static_cast<std::size_t>(backtrace(frames.data(), static_cast<int>(frames.size())));
  std::signal(signal, SIG_DFL);
  complain(running, fmt::format("the process ends ({}); the allocation and where it ends:", strsignal(signal)));
  fmt::print("   --\n{}", text_of(std::span(frames).first(size)));
  std::fflush(stdout);
  _exit(EXIT_FAILURE);
}

class Sweep {
 public:
  explicit Sweep(const Options& options) : options_(options), subjects_(subjects_of(options)) {}

  void run() {
    for (; progress().subject < subjects_.size(); ++progress().subject) {
      subject_ = &subjects_[progress().subject];
      running = subject_->scenario.name;
      while (run_one())
        if (subject_->extent == Extent::first_use) return;
      progress().ordinal = 0;
      progress().deaths = 0;
    }
    progress().is_done = true;
  }

 private:
  /// False when nothing was left to fail.
  bool run_one() {
    if (progress().ordinal == 0) progress().ordinal = options_.first;
    ++progress().runs;
    alarm(seconds_of_a_run);
    if (!context_ && subject_->extent != Extent::first_use) open_context();
    plan({progress().ordinal, options_.mode});
    const bool is_whole = attempt();
    const Failed what = failed();
    const std::uint64_t complaints = progress().complaints;
    if (is_whole) clean();
    alarm(0);
    if (!is_whole || !options_.keeps_open || progress().complaints != complaints) context_.reset();
    if (!what.happened) return false;
    ++progress().failed;
    progress().ordinal = what.ordinal + options_.every;
    plan({});
    return true;
  }

  void open_context() {
    plan({});
    context_ = std::make_unique<Context>(conformance::need(open(options_.device)));
    conformance::need(context_->find_first());
  }

  /// Whether the run came to its end.
  bool attempt() {
    try {
      judge(answer());
      return true;
    } catch (const std::exception& error) {
      complain(running, fmt::format("an exception gets out: {}", error.what()));
    } catch (...) {
      complain(running, "an exception gets out");
    }
    return false;
  }

  Answer answer() {
    const auto run = subject_->scenario.run;
    if (subject_->extent == Extent::operation) return conformance::execute(run, *context_);
    if (subject_->extent == Extent::first_use) {
      auto device = during([&] { return open(options_.device); });
      if (!device) return {device.error(), {}};
      context_ = std::make_unique<Context>(*std::move(device));
    }
    return conformance::execute([run](conformance::Run& of) { return during([&] { return run(of); }); }, *context_);
  }

  void judge(const Answer& answer) {
    std::vector<Error> errors = answer.errors;
    if (!answer.result) errors.push_back(answer.result.error());
    for (const Error& error : errors)
      if (!explains(error)) complain(running, "an answer is not that memory ran out: " + error.text());
    if (answer.wrong) complain(running, "what it leaves is wrong");
    if (!answer.callbacks) complain(running, "a callback does not come exactly once");
  }

  // A program that no variant of loads is build_failed, with the reason of each.
  static bool explains(const Error& error) {
    if (!failed().happened) return false;
    if (error.code() == Errc::out_of_memory) return true;
    return error.code() == Errc::build_failed && error.text().find("out_of_memory") != std::string::npos;
  }

  void clean() {
    if (!context_) open_context();
    if (const auto health = context_->device().health(); !health) {
      complain(running, "the device is lost: " + health.error().text());
      return;
    }
    const std::vector<void*> frames(failed().frames.begin(), failed().frames.end());
    plan({});
    try {
      const Answer answer = conformance::execute(subject_->scenario.run, *context_);
      for (const std::string& trouble : conformance::troubles_of_clean_run(answer, *context_)) {
        complain(running, "the next run: " + trouble);
        fmt::print("{}", text_of(frames));
      }
    } catch (...) {
      complain(running, "the next run throws");
    }
    const std::string recorded = conformance::Recorder::current().take();
    if (!recorded.empty()) complain(running, recorded);
  }

  const Options& options_;
  std::vector<Subject> subjects_;
  const Subject* subject_ = nullptr;
  std::unique_ptr<Context> context_;
};

void prepare() {
  setenv("PINTLE_TIMEOUT_MS", "5000", 0);
  std::array<void*, 2> frames{};
  backtrace(frames.data(), 2);  // loads what it needs
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGALRM}) std::signal(signal, die);
}

[[noreturn]] void child(const Options& options) {
  prepare();
  try {
    Sweep(options).run();
  } catch (...) {
    complain(running, "the sweep cannot go on: " + conformance::Recorder::current().take());
    std::exit(EXIT_FAILURE);
  }
  std::exit(EXIT_SUCCESS);
}

/// What the end of a child leaves to the next one: the allocation after, or the next subject.
void go_on(const Options& options) {
  Progress& now = progress();
  now.ordinal += options.every;
  if (++now.deaths < most_deaths) return;
  fmt::print("{} dies too often\n", now.subject);
  ++now.subject;
  now.ordinal = 0;
  now.deaths = 0;
}

}  // namespace

int sweep(const Options& options) {
  const std::size_t count = subjects_of(options).size();
  int status = 0;
  while (!progress().is_done && progress().subject < count) {
    std::fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) child(options);
    waitpid(pid, &status, 0);
    if (!progress().is_done && status != 0) go_on(options);
  }
  const Progress& all = progress();
  const bool ends_well = all.complaints == 0 && all.failed > 0 && status == 0;
  fmt::print("allocation sweep of {}: {} runs of {} subjects, {} allocations failed, {} complaints{}\n", options.device,
             all.runs, count, all.failed, all.complaints, status == 0 ? "" : "; the last process ends badly");
  return ends_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace pintle::allocation_sweep
