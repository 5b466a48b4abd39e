// Allocations of one submission, on any thread. A recording's replay makes none, nor does a pool that has what is asked
// for, nor a collective. A list has allocated while it was built; submitting it makes none either.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "budgets/counted_allocations.h"
#include "budgets/hot_path.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

}  // namespace

static void count(const void*) noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

namespace {

int measure(budgets::Kind kind) {
  budgets::HotPath path(kind);
  allocations = 0;
  for (int i = 0; i < budgets::measured; ++i) {
    path.prepare();
    counting = true;
    path.submit();
    counting = false;
  }
  return allocations;
}

// That the counter counts at all.
int one_allocation() {
  allocations = 0;
  counting = true;
  auto* volatile made = new int(1);
  counting = false;
  delete made;
  return allocations;
}

}  // namespace

int main(int count, char** arguments) {
  const int found = measure(budgets::parse_kind(count > 1 ? arguments[1] : ""));
  std::printf("%d allocations in %d rounds; the budget is 0\n", found, budgets::measured);
  if (one_allocation() != 1) {
    std::printf("the counter does not see an allocation\n");
    return 1;
  }
  return found == 0 ? 0 : 1;
}
