// Counts every allocation of the process, on any thread, while it is told to. For one source of a program.
#pragma once

#include <atomic>
#include <cstdio>

#include "budgets/counted_allocations.h"
#include "budgets/rounds.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

}  // namespace

static void count(const void*) noexcept {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

namespace {

// That the counter counts at all; says so where it does not.
bool counts() {
  allocations = 0;
  counting = true;
  auto* volatile made = new int(1);
  counting = false;
  delete made;
  if (allocations != 1) std::printf("the counter does not see an allocation\n");
  return allocations == 1;
}

// Allocations while a path submits, in all measured rounds.
template <class Path>
int allocations_of(Path& path) {
  allocations = 0;
  for (int i = 0; i < budgets::measured; ++i) {
    path.prepare();
    counting = true;
    path.submit();
    counting = false;
  }
  return allocations;
}

}  // namespace
