#include "backends/pjrt/device.h"

#include <array>
#include <chrono>

#include "base/contain.h"
#include "kit/guarded.h"
#include "kit/native_types.h"
#include "kit/verdict.h"
#include "pintle/native/pjrt.h"

namespace pintle::pjrt {

Result<std::unique_ptr<backend::Device>> Device::open(FoundDevice found, std::uint32_t index) {
  std::string id = found.info.id;
  std::unique_ptr<Device> inner(new Device(std::move(found.info), Client(*found.session, index, std::move(id))));
  auto loss = inner->queues_.loss;
  kit::StepQueues& queues = inner->queues_.steps;
  return std::make_unique<kit::Guarded>(std::move(inner), std::move(loss), queues);
}

Result<void> Device::native(std::string_view type, std::uint64_t object, void* out) {
  if (type == kit::Verdict::native_type) {
    auto& verdict = *static_cast<kit::Verdict*>(out);
    verdict.any_failed = queues_.any_failed.get();
    if (const auto queue = queues_.table.find(verdict.queue)) verdict.error = queue->take_verdict(verdict.serial);
    return {};
  }
  return base::contain("asking for native access", [&]() -> Result<void> {
    const Moved& moved = memory_.moved();
    return kit::answer_native({type, object, out}, "pjrt",
                              kit::native_device(PjrtDevice{client_.session().client, client_.device()}),
                              kit::native_device(PjrtTransfers{moved.to_device.load(), moved.to_host.load()}));
  });
}

/// A few bytes there and back, on a queue's thread. Where that does not end, the queue stays: its thread is in the
/// plug-in.
Result<void> Device::probe() {
  struct Trial {
    const Client& client;
    std::optional<Error> failed{};
    static void run(void* state) {
      auto& self = *static_cast<Trial*>(state);
      const auto ran = base::contain("probing", [&]() -> Result<void> {
        std::array<std::byte, 4> bytes{};
        PINTLE_ASSIGN(tensor, self.client.upload({pj::ElementType::u32, {}}, bytes.data()));
        return self.client.read(*tensor, bytes);
      });
      if (!ran) self.failed = ran.error();
    }
  };
  const auto trial = std::make_shared<Trial>(client_);
  const backend::QueueId id = Queue::create(queues_, 0);
  const auto command =
      std::make_shared<backend::Command>(backend::Command{backend::HostCall{&Trial::run, trial.get()}});
  const auto answered = queues_.table.with(id, [&](Queue& queue) -> Result<void> {
    PINTLE_ASSIGN(serial, queue.submit({}, {std::span(command.get(), 1), {}}));
    return queue.wait(serial, Clock::now() + std::chrono::seconds(4));
  });
  if (!answered && answered.error().code() == Errc::timeout) {
    static_cast<void>(new auto(trial));  // the thread may still come back
    static_cast<void>(new auto(command));
    return answered;
  }
  queues_.table.remove(id);
  PINTLE_TRY(answered);
  if (trial->failed) return *trial->failed;
  return {};
}

}  // namespace pintle::pjrt
