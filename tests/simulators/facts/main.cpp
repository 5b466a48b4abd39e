// cuda_facts: what a driver does, a line a rule. README.md.
#include <cstdio>

#include "facts/options.h"

namespace {

int list(facts::Vendor vendor) {
  for (const facts::Rule* const rule : facts::all_rules()) {
    const bool is_asked = vendor == facts::Vendor::cuda || rule->of == facts::Of::both;
    if (is_asked) std::printf("%s\n", facts::line_of(*rule, vendor, "...").c_str());
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const auto options = facts::read_options(count, arguments);
  if (!options) {
    std::fprintf(stderr,
                 "usage: cuda_facts [--hip] [--list] [--rule NAME]... [--deadline SECONDS] [--seconds SECONDS]\n");
    return 2;
  }
  if (options->lists) return list(options->vendor);
  if (!options->write_code.empty()) return facts::write_code(*options);
  if (!options->rules.empty()) facts::ask_here(*options);
  return facts::ask_all(*options);
}
