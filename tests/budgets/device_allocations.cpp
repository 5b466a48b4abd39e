// Allocations of our code in one submission of a recorded list to a device, on the thread that submits. The driver's
// are told apart by their caller: the first one outside the language's libraries.
#include <dlfcn.h>
#include <execinfo.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "budgets/counted_allocations.h"
#include "budgets/device_path.h"

namespace {

thread_local bool counting = false;
bool showing = false;
int ours = 0, others = 0;
const void* own_base = nullptr;

bool is_language_library(std::string_view path) {
  for (const std::string_view name : {"/libc.so", "/libstdc++.so", "/libgcc_s.so", "/ld-linux"}) {
    if (path.find(name) != std::string_view::npos) return true;
  }
  return false;
}

/// From the frame that called malloc on.
bool is_ours(void* const* frames, int count, const void* caller) {
  int i = 0;
  while (i < count && frames[i] != caller) ++i;
  for (; i < count; ++i) {
    Dl_info place{};
    if (dladdr(frames[i], &place) == 0 || place.dli_fname == nullptr) return false;
    if (place.dli_fbase == own_base || std::string_view(place.dli_fname).find("libpintle") != std::string_view::npos)
      return true;
    if (!is_language_library(place.dli_fname)) return false;
  }
  return false;
}

}  // namespace

static void count(const void* caller) noexcept {
  if (!counting) return;
  counting = false;  // what is called here may allocate
  std::array<void*, 32> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  const bool found = is_ours(frames.data(), depth, caller);
  if (found && showing && ours == 0) backtrace_symbols_fd(frames.data(), depth, 1);
  ++(found ? ours : others);
  counting = true;
}

namespace {

// That the counter sees our own.
bool sees_one() {
  ours = 0;
  counting = true;
  auto* volatile made = new int(1);
  counting = false;
  delete made;
  const bool sees = ours == 1;
  ours = others = 0;
  return sees;
}

}  // namespace

int main(int number, char** arguments) {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&sees_one), &own);
  own_base = own.dli_fbase;
  using Kind = budgets::DevicePath::Kind;
  const bool has_slots = number > 2 && std::string_view(arguments[2]) == "slots";
  budgets::DevicePath path(number > 1 ? arguments[1] : "", has_slots ? Kind::slots : Kind::launch);
  if (!sees_one()) {
    std::printf("the counter does not see an allocation\n");
    return 1;
  }
  showing = true;
  for (int i = 0; i < budgets::device_rounds; ++i) {
    counting = true;
    path.submit_ours();
    counting = false;
    path.wait_for_ours();
  }
  std::printf("%d allocations of ours and %d of others in %d submissions; the budget of ours is 0\n", ours, others,
              budgets::device_rounds);
  return ours == 0 ? 0 : 1;
}
