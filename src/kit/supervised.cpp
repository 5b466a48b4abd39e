#include "kit/supervised.h"

#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "kit/capability_rows.h"

namespace pintle::kit {
namespace {

using backend::QueueId;

// How long a thread waits before it looks whether it must stop.
constexpr auto patience = std::chrono::milliseconds(100);

bool is_loss(Errc code) noexcept { return code == Errc::device_lost || code == Errc::process_poisoned; }

}  // namespace

Supervised::Supervised(std::string_view layer, std::unique_ptr<backend::Device> inner)
    : Forwarding(layer, std::move(inner)) {
  info_.progress = Progress::own;
  set_row(info_, {Feature::notification, Support::native, ""});
  set_row(info_, {Feature::recording, Support::emulated,
                  fmt::format("the layer {} looks at each launch: the list is submitted again", layer)});
}

Supervised::~Supervised() {
  stop();
  inner_.reset();
}

void Supervised::stop() noexcept {
  stopping_.store(true);
  std::map<QueueId, std::shared_ptr<Line>> lines;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(lines_);
  }
  for (const auto& [id, line] : lines) end(*line);
}

Result<QueueId> Supervised::create_queue(const backend::QueueRequest& request) {
  const std::lock_guard turn(turn_);
  backend::QueueRequest inner = request;
  inner.first_serial = 0;  // one submission here may be many inside
  return add(Forwarding::create_queue(inner), request.first_serial);
}

Result<QueueId> Supervised::wrap_queue(const backend::NativeObject& native, const backend::QueueRequest& request) {
  const std::lock_guard turn(turn_);
  backend::QueueRequest inner = request;
  inner.first_serial = 0;
  return add(Forwarding::wrap_queue(native, inner), request.first_serial);
}

Result<QueueId> Supervised::add(Result<QueueId> created, std::uint64_t first_serial) {
  if (!created) return created;
  const auto added = base::contain("adding a queue to a layer", [&]() -> Result<void> {
    auto line = std::make_shared<Line>(*created, first_serial);
    const std::lock_guard lock(mutex_);
    const auto place = lines_.emplace(*created, std::move(line)).first;
    place->second->courier = std::thread([this, made = place->second] { serve(*made); });
    return {};
  });
  if (added) return created;
  const std::lock_guard lock(mutex_);
  lines_.erase(*created);
  inner_->destroy_queue(*created);
  return added.error();
}

void Supervised::destroy_queue(QueueId queue) noexcept {
  const auto line = find(queue);
  if (line == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    lines_.erase(queue);
  }
  end(*line);
  const std::lock_guard turn(turn_);
  Forwarding::destroy_queue(queue);
}

void Supervised::end(Line& line) noexcept {
  {
    const std::lock_guard lock(line.mutex);
    line.is_ending = true;
  }
  line.changed.notify_all();
  if (!line.courier.joinable()) return;
  if (line.courier.get_id() == std::this_thread::get_id()) line.courier.detach();
  else line.courier.join();
}

std::shared_ptr<Supervised::Line> Supervised::find(QueueId queue) {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(queue);
  return found == lines_.end() ? nullptr : found->second;
}

Result<std::uint64_t> Supervised::submit(QueueId queue, std::span<const backend::QueuePoint> waits,
                                         const backend::Commands& commands) {
  return base::contain("submitting through a layer", [&]() -> Result<std::uint64_t> {
    PINTLE_TRY(before(Call::submit));
    const auto line = find(queue);
    PINTLE_TRY(line->timeline.reached());  // lost?
    const std::uint64_t serial = line->submitted + 1;
    {
      const std::lock_guard lock(line->mutex);
      line->held.push_back({serial, {waits.begin(), waits.end()}, commands});
    }
    line->submitted = serial;
    line->changed.notify_all();
    return serial;
  });
}

Result<std::uint64_t> Supervised::reached(QueueId queue) {
  PINTLE_TRY(before(Call::reached));
  return find(queue)->timeline.reached();
}

Result<void> Supervised::wait(QueueId queue, std::uint64_t serial, Deadline deadline) {
  PINTLE_TRY(before(Call::wait));
  const auto line = find(queue);
  return line->timeline.wait(serial, deadline);
}

Result<void> Supervised::notify(QueueId queue, std::uint64_t serial, backend::Notification notification) {
  PINTLE_TRY(before(Call::notify));
  return find(queue)->timeline.notify(serial, notification);
}

Result<backend::RecordingId> Supervised::record(const backend::Commands&) {
  return Error(Errc::unsupported, fmt::format("[{}] looks at each launch, so it records nothing.", info_.id));
}

Result<void> Supervised::native(std::string_view type, std::uint64_t object, void* out) {
  if (type != Verdict::native_type) return Forwarding::native(type, object, out);
  auto& verdict = *static_cast<Verdict*>(out);
  const auto line = find(verdict.queue);
  if (line == nullptr) return {};
  const std::lock_guard lock(line->mutex);
  auto found = line->verdicts.extract(verdict.serial);
  if (!found.empty()) verdict.error = std::move(found.mapped());
  return {};
}

void Supervised::serve(Line& line) noexcept {
  for (;;) {
    Held held;
    {
      std::unique_lock lock(line.mutex);
      line.changed.wait(lock, [&] { return line.is_ending || !line.held.empty(); });
      if (line.is_ending) return;
      held = std::move(line.held.front());
      line.held.pop_front();
    }
    if (!serve_one(line, held)) return;
  }
}

bool Supervised::serve_one(Line& line, const Held& held) noexcept {
  const auto ran = base::contain("running a submission in a layer", [&]() -> Result<void> {
    if (!await(held.waits)) return Error(Errc::cancelled, "The device ends.");
    return run(Lane(*this, line.id), held.commands);
  });
  if (stopping_) return false;
  if (!ran && is_loss(ran.error().code())) {
    lose(ran.error());
    return false;
  }
  if (!ran) {
    const auto kept = base::contain("keeping a verdict", [&]() -> Result<void> {
      const std::lock_guard lock(line.mutex);
      line.verdicts.emplace(held.serial, ran.error());
      return {};
    });
    if (!kept) {
      lose(Error(Errc::device_lost, "Memory for the error of a submission is exhausted."));
      return false;
    }
  }
  line.timeline.advance(held.serial);
  return true;
}

/// A queue that is no longer there had finished everything. False where the device ends.
bool Supervised::await(std::span<const backend::QueuePoint> waits) {
  for (const auto& [queue, serial] : waits) {
    const auto line = find(queue);
    while (line != nullptr && !stopping_) {
      const auto waited = line->timeline.wait(serial, Clock::now() + patience);
      if (waited || waited.error().code() != Errc::timeout) break;
    }
  }
  return !stopping_;
}

void Supervised::lose(const Error& error) noexcept {
  std::vector<std::shared_ptr<Line>> lines;
  static_cast<void>(base::contain("telling of a loss", [&]() -> Result<void> {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, line] : lines_) lines.push_back(line);
    return {};
  }));
  for (const auto& line : lines) line->timeline.fail(error);
}

Result<void> Supervised::Lane::run(const backend::Commands& commands) const {
  if (commands.commands.empty()) return {};
  std::unique_lock turn(device_.turn_);
  PINTLE_ASSIGN(serial, device_.inner_->submit(queue_, {}, commands));
  turn.unlock();
  for (;;) {
    auto waited = device_.inner_->wait(queue_, serial, Clock::now() + patience);
    if (waited || waited.error().code() != Errc::timeout) return waited;
    if (device_.stopping_) return Error(Errc::cancelled, "The device ends.");
  }
}

}  // namespace pintle::kit
