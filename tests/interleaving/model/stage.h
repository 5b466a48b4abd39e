// What a scenario is written with.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interleaving/model/execution.h"

namespace pintle::interleaving {

/// Things, threads and the final check of one run. Memory of things stays until the end of the run, even when they are
/// destroyed early: so a late access is seen by the model instead of being undefined.
class Stage {
 public:
  explicit Stage(Execution& execution) : execution_(execution) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  /// After a violation the things stay as they are: threads that never ended may be inside them.
  ~Stage();

  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    void* const memory = ::operator new(sizeof(T), std::align_val_t(alignof(T)));
    things_.push_back({memory, &end<T>, &free<T>});
    execution_.begin_thing();
    return *new (memory) T(std::forward<Arguments>(arguments)...);
  }
  /// Destroys a thing now.
  template <class T>
  void destroy(T& thing) {
    for (Thing& candidate : things_) {
      if (candidate.memory == &thing) std::exchange(candidate.end, nullptr)(&thing);
    }
  }

  void thread(std::string name, std::function<void()> body) { execution_.add_thread(std::move(name), std::move(body)); }
  /// A moment, chosen by the explorer, at which every finite deadline passes.
  void deadlines_pass() {
    thread("clock", [this] { execution_.tick(); });
  }
  /// Checked once all threads have ended.
  void finally(std::function<void()> check) { final_checks_.push_back(std::move(check)); }
  void run();

  void check(bool holds, Fault fault, std::string_view text) {
    if (!holds) execution_.violate(fault, std::string(text));
  }

 private:
  struct Thing {
    void* memory;
    void (*end)(void*);
    void (*free)(void*);
  };
  template <class T>
  static void end(void* memory) {
    static_cast<T*>(memory)->~T();
  }
  template <class T>
  static void free(void* memory) {
    ::operator delete(memory, std::align_val_t(alignof(T)));
  }

  Execution& execution_;
  std::vector<Thing> things_;
  std::vector<std::function<void()>> final_checks_;
};

struct Scenario {
  std::string_view name;
  void (*set_up)(Stage& stage);
  std::uint8_t spurious_wakes = 0;  ///< How many sleeps may end for no reason.
};

/// GoogleTest names parameters with it.
inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

/// Every scenario of the files that are linked.
[[nodiscard]] const std::vector<Scenario>& scenarios();

/// Adds scenarios before main begins.
struct Registration {
  Registration(std::initializer_list<Scenario> scenarios);
};

}  // namespace pintle::interleaving
