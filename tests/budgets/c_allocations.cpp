// Allocations of one submission or replay through the C interface, on any thread: there are none.
#include <cstdio>

#include "budgets/all_allocations.h"
#include "budgets/c_path.h"

int main(int count, char** arguments) {
  budgets::CPath path(budgets::is_recording(count, arguments));
  const int found = allocations_of(path);
  std::printf("%d allocations in %d rounds; the budget is 0\n", found, budgets::measured);
  return counts() && found == 0 ? 0 : 1;
}
