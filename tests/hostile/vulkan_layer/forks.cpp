// A child after fork has none of the driver's threads, and any of its locks may be held there: a call in a child ends
// the process, by the call's name.
#include <pthread.h>

#include <atomic>

#include "habit.h"

namespace pintle::hostile {
namespace {

Functions next;
std::atomic<bool> is_child{false};

template <auto Entry>
struct InParent;
template <class Returned, class... Arguments, Returned (VKAPI_PTR* Functions::*Entry)(Arguments...)>
struct InParent<Entry> {
  static inline const char* name = "";
  static VKAPI_ATTR Returned VKAPI_CALL call(Arguments... arguments) {
    if (is_child.load()) end_process(std::string(name) + " is called in a forked child");
    return (next.*Entry)(arguments...);
  }
};

template <auto Entry>
void stand_before(Functions& table, const char* name) {
  if (table.*Entry == nullptr) return;
  InParent<Entry>::name = name;
  table.*Entry = &InParent<Entry>::call;
}

}  // namespace

void install_forks(Functions& table) {
  static const int watched = ::pthread_atfork(nullptr, nullptr, [] { is_child.store(true); });
  static_cast<void>(watched);
  next = table;
#define HOSTILE_STAND(name) stand_before<&Functions::name>(table, "vk" #name);
  HOSTILE_INSTANCE_FUNCTIONS(HOSTILE_STAND)
  HOSTILE_DEVICE_FUNCTIONS(HOSTILE_STAND)
#undef HOSTILE_STAND
}

}  // namespace pintle::hostile
