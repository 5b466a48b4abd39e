// Allocations of one submission, on any thread. A recording's replay makes none, nor does a pool that has what is asked
// for, nor a collective. A list has allocated while it was built; submitting it makes none either.
#include <cstdio>

#include "budgets/all_allocations.h"
#include "budgets/hot_path.h"

namespace {

int measure(budgets::Kind kind) {
  budgets::HotPath path(kind);
  return allocations_of(path);
}

}  // namespace

int main(int count, char** arguments) {
  const int found = measure(budgets::parse_kind(count > 1 ? arguments[1] : ""));
  std::printf("%d allocations in %d rounds; the budget is 0\n", found, budgets::measured);
  return counts() && found == 0 ? 0 : 1;
}
