// A kernel that runs until it is let go, and what calls do beside it.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "facts/session.h"

namespace facts {

/// So many looks, of a millisecond each, are waited before something counts as waiting. What does not wait took at most
/// 3 ms on the card, but for the creation of a context. A busy machine makes each look longer.
inline constexpr int patience = 200;

/// Whether it is true within so many looks.
template <class Condition>
bool comes(Condition is_true, int looks = patience) {
  for (int look = 0; look < looks; ++look) {
    if (is_true()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return is_true();
}

class Held {
 public:
  /// In the first stream.
  explicit Held(Session& session) : Held(session, session.stream, session.function("hold")) {}
  /// Returns when the kernel runs; `hold` is one of the stream's context, which is current. Throws Unprepared.
  Held(Session& session, Stream on, Function hold, unsigned groups = 1, unsigned items = 1);
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  /// Lets it go, and waits for its end.
  ~Held();

  void open() noexcept { gate_[0] = 1; }

 private:
  const Session& session_;
  volatile unsigned* gate_;  // what it waits for, and that it has begun
  Event end_ = nullptr;
};

/// What the call answers and whether it waits for the kernel: "0, waits". The call is made by another thread, with the
/// first context.
template <class Call>
std::string beside(const Session& session, Held& held, Call call) {
  std::atomic<bool> has_returned{false};
  Status status = Status::CUDA_SUCCESS;
  std::thread caller([&] {
    const Current current(session, session.context);
    status = call();
    has_returned.store(true);
  });
  const bool waits = !comes([&] { return has_returned.load(); });
  held.open();
  caller.join();
  return text(status) + (waits ? ", waits" : ", does not wait");
}

/// The same beside a kernel in the first stream.
template <class Call>
std::string beside(Session& session, Call call) {
  Held held(session);
  return beside(session, held, call);
}

}  // namespace facts
