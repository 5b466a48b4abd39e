// Allocations of one submission, on any thread. A recording's replay makes none. A list has allocated while it was
// built; submitting it makes none either.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "budgets/hot_path.h"

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void count() noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// Every allocation of the process comes through here: operator new calls malloc.
extern "C" void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t number, std::size_t size) {
  count();
  return __libc_calloc(number, size);
}
extern "C" void* realloc(void* pointer, std::size_t size) {
  count();
  return __libc_realloc(pointer, size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  count();
  *out = __libc_memalign(alignment, size);
  return *out == nullptr;
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
  std::printf("%d allocations in %d submissions; the budget is 0\n", found, budgets::measured);
  if (one_allocation() != 1) {
    std::printf("the counter does not see an allocation\n");
    return 1;
  }
  return found == 0 ? 0 : 1;
}
