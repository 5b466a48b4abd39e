// The rules that are named, in this process.
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "facts/code.h"
#include "facts/options.h"
#include "facts/session.h"

namespace facts {
namespace {

constexpr int cannot_run = 77;
using Clock = std::chrono::steady_clock;

[[noreturn]] void leave(int code) {
  std::fflush(stdout);
  std::_Exit(code);  // what a driver does at the end of a process is asked by rules
}

/// It ends with the process that began it, and leaves no picture of its memory where it is to crash.
void be_a_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

std::string code_for(const Options& options, const Api& api) {
  if (!options.code.empty()) return read_file(options.code);
  static_cast<void>(api.cuda.cuInit(0));
  const auto made = compile_kernels(api);
  if (made) return *made;
  std::fprintf(stderr, "nothing is compiled: %s\n", made.error().text().c_str());
  return {};
}

std::vector<std::string> options_for_again(const Options& options) {
  std::vector<std::string> again;
  if (options.vendor == Vendor::hip) again.emplace_back("--hip");
  if (!options.code.empty()) again.insert(again.end(), {"--code", options.code});
  return again;
}

std::string answer_of(const Rule& rule, Session& session) {
  try {
    return rule.ask(session);
  } catch (const NotAsked& reason) {
    return std::string("not asked (") + reason.what() + ")";
  } catch (const Unprepared& reason) {
    return std::string("cannot be prepared (") + reason.what() + ")";
  }
}

void say(const Options& options, const Rule& rule, const std::string& answer) {
  std::printf("%s\n", line_of(rule, options.vendor, answer).c_str());
  std::fflush(stdout);
}

void ask_each(const Options& options, Session& session) {
  const auto end = Clock::now() + options.most;
  for (const std::string& name : options.rules) {
    const Rule& rule = *find_rule(name);
    say(options, rule, Clock::now() < end ? answer_of(rule, session) : "not asked (no time was left)");
  }
}

}  // namespace

void ask_here(const Options& options) {
  be_a_child();
  const auto api = open_api(options.vendor);
  if (!api) {
    std::fprintf(stderr, "there is no driver: %s\n", api.error().text().c_str());
    leave(cannot_run);
  }
  try {
    Session session(*api, code_for(options, *api), options_for_again(options));
    ask_each(options, session);
  } catch (const Unprepared& reason) {
    for (const std::string& name : options.rules)
      say(options, *find_rule(name), std::string("cannot be prepared (") + reason.what() + ")");
  }
  leave(0);
}

int write_code(const Options& options) {
  be_a_child();
  const auto api = open_api(options.vendor);
  if (!api) std::fprintf(stderr, "there is no driver: %s\n", api.error().text().c_str());
  if (!api) return cannot_run;
  const Status status = api->cuda.cuInit(0);
  if (status != Status::CUDA_SUCCESS) std::fprintf(stderr, "the driver answers %s\n", text(status).c_str());
  if (status != Status::CUDA_SUCCESS) return cannot_run;
  std::array<char, 256> name{};
  int version = 0;
  static_cast<void>(api->cuda.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, 0));
  static_cast<void>(api->cuda.cuDriverGetVersion(&version));
  std::printf("# %s, driver %d\n", name.data(), version);
  std::ofstream(options.write_code, std::ios::binary) << code_for(options, *api);
  leave(0);
}

}  // namespace facts
