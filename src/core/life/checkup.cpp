// Whether a device answers, asked with a deadline.
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/contain.h"
#include "core/life/life.h"
#include "kit/give_up.h"

namespace pintle::core {
namespace {

using namespace std::chrono_literals;

constexpr Duration moment = 1s;  // for a backend to take note

/// What a thread is told that may have gone on meanwhile.
struct Answer {
  std::mutex mutex;
  std::condition_variable told;
  std::optional<Result<void>> result;
};

/// Runs `ask(device)` on a thread of its own. Empty where that thread is left behind at the end of `limit`.
template <class Ask>
std::optional<Result<void>> ask_for(Duration limit, const std::shared_ptr<Life>& life, Ask ask) {
  const auto answer = std::make_shared<Answer>();
  life->checkups().begin_asking();
  try {
    std::thread([life = life, answer, ask = std::move(ask)]() mutable {
      auto result = base::contain("asking a device", [&]() -> Result<void> {
        return life->is_lost() ? Result<void>(life->loss()) : ask(life->device());
      });
      life->checkups().end_asking();
      life.reset();  // first: whoever waits for the answer has it, and the device does not end on this thread
      const std::lock_guard lock(answer->mutex);
      answer->result = std::move(result);
      answer->told.notify_all();
    }).detach();
  } catch (...) {  // no thread, no answer
    life->checkups().end_asking();
    throw;
  }
  std::unique_lock lock(answer->mutex);
  answer->told.wait_for(lock, limit, [&] { return answer->result.has_value(); });
  return answer->result;
}

/// The backend hears of it too, so that its waits end.
Error give_up(const std::shared_ptr<Life>& life) {
  kit::GiveUp given_up{Error(Errc::device_lost, fmt::format("{} does not answer: a tiny piece of work is not done "
                                                            "after some seconds.",
                                                            life->text()))
                           .with_device(life->id(), life->generation())};
  static_cast<void>(ask_for(moment, life, [given_up](backend::Device& device) mutable {
    return device.native(kit::GiveUp::native_type, 0, &given_up);
  }));
  return life->report(given_up.cause);
}

}  // namespace

Result<void> check_up(const std::shared_ptr<Life>& life, Duration patience) {
  if (life->is_lost()) return life->loss();
  const auto ask = [](backend::Device& device) { return device.probe(); };
  const auto answer = life->is_driven() ? std::optional(ask(life->device())) : ask_for(patience, life, ask);
  if (!answer || (!*answer && answer->error().code() == Errc::timeout)) return give_up(life);
  if (*answer || answer->error().code() == Errc::unsupported) return {};
  return life->report(answer->error());
}

}  // namespace pintle::core
