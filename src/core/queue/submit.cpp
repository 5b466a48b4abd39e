// From a list to a submission: prepared, then counted; `start.cpp` gives it to the backend.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/contain.h"
#include "base/inside.h"
#include "base/timeout.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/door/thread_context.h"
#include "core/list/hazards.h"
#include "core/list/list_state.h"
#include "core/list/slot_rules.h"
#include "core/queue/imported.h"
#include "core/queue/queue_state.h"
#include "core/queue/recording_state.h"

namespace pintle::core {
namespace {

/// Whether the list owns something that its caller may be waiting to get back: memory, or what a function has captured.
bool owns_of_caller(const ListState& list) noexcept {
  if (list.first_kernel != nullptr && list.retained.size() == 1) return false;  // its program
  if (list.retained.empty()) return false;
  return std::ranges::any_of(list.commands, [](const backend::Command& command) {
    return std::holds_alternative<backend::Upload>(command.operation) ||
           std::holds_alternative<backend::Download>(command.operation) ||
           std::holds_alternative<backend::HostCall>(command.operation);
  });
}

}  // namespace

Result<void> QueueState::check(const SubmitOptions& options) const {
  PINTLE_TRY(base::check(options.timeout));
  for (const Point& point : options.after) {
    if (Inside::signal(point).get() == nullptr)
      return empty_object("Point").during("checking what the submission waits for");
  }
  for (const Point& point : options.signal) {
    const SignalState* signal = Inside::signal(point).get();
    if (signal == nullptr) return empty_object("Point").during("checking what the submission signals");
    if (signal->belongs_to_queue()) {
      return invalid(fmt::format("The timeline of {} is raised by its submissions only.", signal->text()));
    }
    if (point.value() <= signal->timeline().value()) {
      return invalid(fmt::format("Signal value ({}) is not above the value ({}) that {} has reached.", point.value(),
                                 signal->timeline().value(), signal->text()));
    }
  }
  return {};
}

bool QueueState::is_full(std::size_t count) const noexcept {
  return in_flight() + count > life().info().limits.max_in_flight;
}

bool QueueState::takes_more(std::size_t count, const Locked&) const noexcept {
  return life().is_usable() && !failed_ && ~std::uint64_t{0} - clock_.last >= count;
}

Error QueueState::refusal() const {
  if (const auto usable = life().usable(text_); !usable) return usable.error();
  if (failed_) return failed_->during("submitting to " + place() + ", which has failed");
  return {Errc::unsupported, fmt::format("{} has used its last serial ({}); make a new queue.", text_, clock_.last)};
}

std::string QueueState::place() const { return fmt::format("{} of {}", text_, life().text()); }

Error QueueState::launch_refusal() const {
  return invalid(fmt::format("{} is a copy queue, which launches no kernels.", text_));
}

Result<void> QueueState::check_open() {
  const Locked locked = life().lock();
  return takes_more(1, locked) ? Result<void>() : Result<void>(refusal());
}

Result<void> QueueState::check(const BufferView& view, Access access) {
  PINTLE_TRY(life().usable(text_));
  const std::uint64_t incarnation = Inside::incarnation(view);
  if (incarnation != life().number())
    return life().check_owner(incarnation, buffer_text(incarnation, Inside::buffer(view)));
  if (view.size_bytes() == 0) return empty_window(table_->text(Inside::buffer(view)), view.offset_bytes());
  PINTLE_TRY(table_->check_access(Inside::buffer(view), access));
  return check_open();
}

Result<Point> QueueState::submit(CommandList&& list, SubmitOptions* options, Caller caller) {
  if (list.error()) return list.error()->during("submitting to " + place());
  std::array parts{Part{.list = &list, .options = options, .caller = caller}};
  return submit(parts);
}

Result<Point> QueueState::replay(RecordingState& recording, std::span<const SlotValue> bindings,
                                 SubmitOptions* options) {
  std::array parts{Part{.recording = &recording, .bindings = bindings, .options = options}};
  return submit(parts);
}

Result<Point> QueueState::submit(std::span<Part> parts) {
  const Part& first = parts.front();
  if (first.options != nullptr) PINTLE_TRY(check(*first.options));
  auto taken = try_to_submit(parts);
  drive();
  if (taken) return taken;
  if (first.recording != nullptr)
    return taken.error().during("replaying " + first.recording->text() + " on " + place());
  return taken.error().during("submitting to " + place());
}

Result<Point> QueueState::try_to_submit(std::span<Part> parts) {
  if (table_->has_lazy()) {
    for (const Part& part : parts) PINTLE_TRY(give_memory(part));
  }
  std::optional<Deadline> deadline;
  for (;;) {
    Aftermath aftermath;
    bool lacks_room = false;
    auto taken = attempt(parts, aftermath, lacks_room);
    see_to(aftermath);
    if (!lacks_room) return taken;
    const SubmitOptions* const options = parts.front().options;
    PINTLE_TRY(make_room(parts.size(), options != nullptr ? options->timeout : Timeout{}, deadline));
  }
}

/// Gives lazy buffers their memory. A buffer of another device is refused later.
Result<void> QueueState::give_memory(const Part& part) {
  if (part.recording != nullptr) {
    for (const SlotValue& value : part.bindings) {
      const auto* const view = std::get_if<BufferView>(&Inside::value(value));
      if (view == nullptr || Inside::incarnation(*view) != life().number()) continue;
      PINTLE_TRY(table_->materialize(Inside::buffer(*view)));
    }
    return {};
  }
  const ListState* const list = Inside::state(*part.list);
  if (list == nullptr || list->incarnation != life().number()) return {};
  for (const BufferUse& use : buffer_uses(list->commands, list->arguments)) PINTLE_TRY(table_->materialize(use.buffer));
  return {};
}

// Does the work that was found under the lock. Called with no lock held.
void QueueState::see_to(Aftermath& aftermath) {
  if (aftermath.started != 0) watch(aftermath.started);
  for (const Point& point : aftermath.awaited) Inside::signal(point)->watch(point.value());
  aftermath.worklist.run();
}

// Blocks until the queue can take more.
Result<void> QueueState::make_room(std::size_t count, const Timeout& timeout, std::optional<Deadline>& deadline) {
  const std::uint64_t most = life().info().limits.max_in_flight;
  if (count > most) {
    return Error(Errc::unsupported,
                 fmt::format("Pieces ({}) of the list are more than the limit ({}) of unfinished submissions of {}.",
                             count, most, place()));
  }
  std::uint64_t oldest = 0;
  {
    const Locked locked = life().lock();
    if (!is_full(count)) return {};  // room came meanwhile
    oldest = clock_.reached + 1;
  }
  if (!deadline) {
    deadline = timeout.deadline();
    timeline_->refresh();
    return {};
  }
  if (const auto waited = timeline_->wait(oldest, *deadline); !waited) {
    return base::with_default(waited.error(), timeout, *deadline)
        .during(
            fmt::format("waiting for room in {}, which holds its limit of ({}) unfinished submissions", text_, most));
  }
  return {};
}

// Everything that may fail comes first and leaves no trace: parts that are not accepted are withdrawn.
Result<Point> QueueState::attempt(std::span<Part> parts, Aftermath& aftermath, bool& lacks_room) {
  const Turn turn = life().take_turn();
  Locked locked = life().lock();
  if (is_full(parts.size()) && life().is_usable() && !failed_) {
    lacks_room = true;
    return Point();
  }
  if (!takes_more(parts.size(), locked)) return refusal();
  preparation_.begin(number_);
  const std::uint64_t first = clock_.last + 1;
  const auto prepared = base::contain("submitting", [&] { return prepare(parts, aftermath, locked); });
  auto accepted = prepared ? accept(first, parts.size(), locked, aftermath) : Result<Point>(prepared.error());
  if (!accepted) withdraw(first, parts.size(), aftermath, locked);
  return accepted;
}

// Fills in the places behind the last submission, which no other thread looks at.
Result<void> QueueState::prepare(std::span<Part> parts, Aftermath& aftermath, const Locked& locked) {
  flights_.make_room(clock_.reached, clock_.last, parts.size());
  std::uint64_t serial = clock_.last;
  for (Part& part : parts) {
    Flight& next = flight(++serial);
    next.serial = serial;
    if (part.options != nullptr) adopt(next, *part.options);
    PINTLE_TRY(fill(next, part, locked));
    if (!next.waits.empty()) PINTLE_TRY(hold(next, aftermath));
  }
  return {};
}

Result<void> QueueState::fill(Flight& flight, Part& part, const Locked& locked) {
  if (part.recording != nullptr) {
    PINTLE_TRY(check_recording(*part.recording));
    return part.recording->bind(preparation_, flight, part.bindings, locked);
  }
  flight.commands = {};
  ListState* const list = Inside::state(*part.list);
  if (list == nullptr) return {};
  PINTLE_TRY(check_list(*list));
  flight.is_plain = false;
  flight.list = std::move(*part.list);
  if (owns_of_caller(*list)) flight.is_lent = part.caller == Caller::goes_on;
  flight.is_lent |= part.borrows;
  PINTLE_TRY(preparation_.resolve(*list, flight, locked));
  const auto aliases = table_->aliases(locked);
  if (!aliases.empty()) PINTLE_TRY(preparation_.use_imports(list->commands, flight, locked));
  place_barriers(list->commands, list->arguments, aliases);
  flight.commands = list->all();
  return {};
}

Result<void> QueueState::check_recording(const RecordingState& recording) const {
  if (&recording.table() != table_.get()) return recording.table().life().foreign(recording.text(), life());
  return recording.launches() && !launches() ? Result<void>(launch_refusal()) : Result<void>();
}

Result<void> QueueState::check_list(const ListState& list) const {
  if (list.incarnation != 0 && list.incarnation != life().number())
    return life().check_owner(list.incarnation, list.first_text());
  if (!launches() && has_launches(list.commands)) return launch_refusal();
  const std::uint32_t slot = list.first_slot;
  if (slot == backend::no_slot) return {};
  return invalid(fmt::format("The list has slot ({}), which only a recording can have: record it, then replay.", slot));
}

void QueueState::adopt(Flight& flight, SubmitOptions& options) {
  if (options.after.empty() && options.signal.empty() && options.label.empty()) return;
  flight.is_plain = false;
  flight.raises.reserve(options.signal.size());
  const auto self = shared_from_this();
  for (const Point& point : options.signal)
    flight.raises.push_back({Inside::signal(point), Promise{.value = point.value(), .point = {self, flight.serial}}});
  flight.waits = std::move(options.after);
  flight.label = std::move(options.label);
}

void QueueState::withdraw(std::uint64_t first, std::size_t count, Aftermath& aftermath, const Locked& locked) noexcept {
  preparation_.roll_back(locked);
  aftermath.awaited.clear();
  for (std::uint64_t serial = first; serial - first < count; ++serial) {
    clear(flight(serial), aftermath.worklist);
    flight(serial).serial = 0;
  }
}

// All parts are counted at once, so that another thread finds all or none.
Result<Point> QueueState::accept(std::uint64_t first, std::size_t count, Locked& locked, Aftermath& aftermath) {
  const bool starts = !has_held(locked) && flight(first).hold == nullptr && !flight(first).refused;
  const std::uint64_t newest = std::exchange(newest_, clock_.last += count);
  if (starts) {
    Flight& next = flight(first);
    const bool is_simple = count == 1 && next.is_plain;
    if (const auto started = start(next, locked, aftermath, is_simple); !started) {
      if (!life().is_lost()) clock_.last = first - 1;
      newest_ = newest;
      return started.error();
    }
    if (is_simple) return SignalState::point(timeline_, first);
    if (next.is_lent) owe(first, locked);
  }
  preparation_.forget();
  const Point point = SignalState::point(timeline_, newest_);
  for (std::uint64_t serial = first; serial - first < count; ++serial) {
    Flight& accepted = flight(serial);
    for (Raise& raise : accepted.raises) raise.signal->promise(raise.promise);
    if (!accepted.refused) continue;
    fail_from(serial, *accepted.refused, aftermath.worklist, locked);
    break;
  }
  if (count > 1) look_after_pieces(first, count, aftermath, locked);
  return point;
}

// The first piece may have started, and has the others started. All of them keep other devices open.
void QueueState::look_after_pieces(std::uint64_t first, std::size_t count, Aftermath& aftermath,
                                   const Locked& locked) noexcept {
  for (std::uint64_t serial = first; serial - first < count && serial <= clock_.last; ++serial)
    flight(serial).is_lent = true;
  owe(first, locked);
  look_again(aftermath.worklist);
}

// Gives the flight a hold where it waits for a point that this device's backend cannot wait for. `invalid_argument` for
// a submission that would wait for itself.
Result<void> QueueState::hold(Flight& flight, Aftermath& aftermath) {
  for (const Point& point : flight.waits) {
    if (Inside::signal(point).get() == timeline_.get() && point.value() >= flight.serial) {
      return invalid(fmt::format("Submission ({}) of {} would wait for value ({}) of its own queue.", flight.serial,
                                 text_, point.value()));
    }
  }
  for (const Point& point : flight.waits) PINTLE_TRY(hold_for(flight, point, aftermath));
  drop_open_hold(flight);
  return {};
}

// A hold whose points were all over when it was made is never told anything, so it is dropped. A failed one is kept:
// the queue has been told of the failure.
void QueueState::drop_open_hold(Flight& flight) noexcept {
  if (!flight.hold || flight.hold->has_failed()) return;
  if (flight.hold->is_open()) flight.hold.reset();
}

Result<void> QueueState::hold_for(Flight& flight, const Point& point, Aftermath& aftermath) {
  const auto signal = Inside::signal(point);
  const PointStatus status = signal->timeline().status(point.value());
  if (status == PointStatus::failed && !flight.refused) flight.refused = signal->failure();
  if (status != PointStatus::pending || signal == timeline_) return {};
  if (const auto native = signal->native_point(point.value(), this)) {
    if (const QueueState* const sibling = sibling_of(*native)) {
      if (sibling != this) flight.bound.push_back({sibling->number(), native->serial});
      if (sibling != this || native->serial < flight.serial) return {};
    }
  }
  if (!flight.hold) {
    const auto self = std::static_pointer_cast<QueueState>(shared_from_this());
    flight.hold = std::make_unique<Hold>(self, std::shared_ptr<Failing>(self, &failing_));
  }
  if (flight.hold->add(signal, point.value())) aftermath.awaited.push_back(point);
  return {};
}

// Since acceptance another queue may have brought or promised a point.
Result<void> QueueState::hold_again(Flight& flight, Aftermath& aftermath) {
  flight.hold.reset();
  flight.bound.clear();
  for (const Point& point : flight.waits) PINTLE_TRY(hold_for(flight, point, aftermath));
  if (flight.hold && flight.hold->is_open()) flight.hold.reset();
  return {};
}

Result<void> QueueState::touch(std::uint64_t buffer) {
  PINTLE_TRY(life().usable(text_));
  const Locked locked = life().lock();
  BufferRecord* const record = table_->find(buffer, locked);
  if (record == nullptr) return table_->stale(buffer);
  if (record->stamps.find(number_) == nullptr)
    record->stamps.reserve_one([&](const Stamp& stamp) { return table_->clocks(locked).is_finished(stamp); });
  record->stamps.set(number_, clock_.last);
  return {};
}

}  // namespace pintle::core
