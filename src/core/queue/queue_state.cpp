#include "core/queue/queue_state.h"

#include <fmt/format.h>

#include "base/inside.h"
#include "core/door/describe.h"

namespace pintle::core {
namespace {

/// The words of a timeout: what the first pending point waits for.
std::string describe_lack(std::span<const Point> waits) {
  for (const Point& point : waits) {
    const SignalState& signal = *Inside::signal(point).get();
    if (signal.timeline().status(point.value()) != PointStatus::pending) continue;
    const std::vector<NativePoint> promised = signal.promised(point.value());
    return fmt::format("value ({}) of {} is reached; the value reached there is ({}), and {}", point.value(),
                       signal.text(), signal.timeline().value(),
                       promised.empty() ? std::string("nobody has submitted or set it")
                                        : promised.front().queue->text() + " has a submission that is to bring it");
  }
  return "what it waits for is reached";
}

}  // namespace

Result<void> QueueState::check(const BufferView& view, Access access) {
  PINTLE_TRY(life().usable(text()));
  const std::uint64_t incarnation = Inside::incarnation(view);
  if (incarnation != life().number())
    return life().check_owner(incarnation, buffer_text(incarnation, Inside::buffer(view)));
  if (view.size_bytes() == 0) return empty_window(table().text(Inside::buffer(view)), view.offset_bytes());
  PINTLE_TRY(table().check_access(Inside::buffer(view), access));
  return check_open();
}

Result<void> QueueState::touch(std::uint64_t buffer) {
  PINTLE_TRY(life().usable(text()));
  const Locked locked = life().lock();
  BufferRecord* const record = table().find(buffer, locked);
  if (record == nullptr) return table().stale(buffer);
  Preparation(table(), number(), locked).stamp(record->stamps, flights().last());
  return {};
}

std::string QueueState::describe_oldest() {
  std::vector<Point> waits;
  std::string words = describe_oldest(waits);
  if (!waits.empty()) words += ", which is held until " + describe_lack(waits);  // with no lock held
  return words;
}

/// Where the oldest submission is held, `waits` gets the points that it waits for.
std::string QueueState::describe_oldest(std::vector<Point>& waits) {
  const Locked locked = life().lock();
  if (flights().count() == 0)
    return fmt::format("{} of {} has nothing submitted that is unfinished", text(), life().text());
  const Flight& oldest = flights()[flights().reached() + 1];
  const backend::Commands& commands = oldest.commands;
  std::string words =
      fmt::format("the oldest unfinished submission of {} of {} is ({})", text(), life().text(), oldest.serial);
  if (!oldest.label.empty()) words += fmt::format(" \"{}\"", oldest.label);
  if (oldest.serial > flights().native()) {
    waits = oldest.waits;
    return words;
  }
  if (!commands.commands.empty()) {
    const backend::Command& first = commands.commands.front();
    words += fmt::format(", which begins with {}", backend::name(first.operation));
    if (first.label != nullptr) words += fmt::format(" \"{}\"", first.label);
  }
  return words;
}

bool QueueState::add_waits(std::uint64_t serial, std::vector<Point>& points) {
  const Locked locked = life().lock();
  if (serial > flights().last()) return false;
  if (is_native(serial)) return true;
  const Flight& held = flights()[serial];
  points.insert(points.end(), held.waits.begin(), held.waits.end());
  if (!is_native(serial - 1)) points.push_back(SignalState::point(timeline(), serial - 1));
  return true;
}

bool QueueState::add_first_held(std::vector<Point>& points) {
  const Locked locked = life().lock();
  if (life().is_lost() || !flights().has_held()) return false;
  const Flight& first = flights()[flights().native() + 1];
  points.insert(points.end(), first.waits.begin(), first.waits.end());
  return true;
}

bool QueueState::wait_held(const std::vector<Point>& points, Deadline deadline) {
  for (const Point& point : points) static_cast<void>(Inside::signal(point)->wait(point.value(), deadline));
  Worklist worklist;  // the thread that was told of a failure first may be late
  starter_.fail_held(worklist);
  starter_.pump(worklist);
  return Clock::now() < deadline;
}

}  // namespace pintle::core
