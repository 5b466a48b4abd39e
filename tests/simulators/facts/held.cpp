#include "facts/held.h"

namespace facts {

Held::Held(Session& session, Stream on, Function hold, unsigned groups, unsigned items)
    : session_(session), gate_(session.words(2)) {
  expect(session.finish(on), "the wait for the stream");
  end_ = session.create_event();
  auto* gate = const_cast<unsigned*>(gate_);
  std::array<void*, 1> pointers{static_cast<void*>(&gate)};
  expect(session.cuda.cuLaunchKernel(hold, groups, 1, 1, items, 1, 1, 0, on, pointers.data(), nullptr),
         "cuLaunchKernel");
  expect(session.cuda.cuEventRecord(end_, on), "cuEventRecord");
  if (comes([this] { return gate_[1] != 0; }, 30 * patience)) return;
  open();
  throw Unprepared("the kernel that is to be held does not begin");
}

/// The event's code is 709 where the rule has destroyed the context.
Held::~Held() {
  open();
  while (session_.cuda.cuEventQuery(end_) == Status::CUDA_ERROR_NOT_READY)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace facts
