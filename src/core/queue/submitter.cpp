#include "core/queue/submitter.h"

#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "base/inside.h"
#include "base/timeout.h"
#include "core/door/describe.h"
#include "core/queue/recording_state.h"

namespace pintle::core {
namespace {

/// Whether the options say more than how long the caller has patience.
bool asks(const SubmitOptions& options) noexcept {
  return !options.after.empty() || !options.signal.empty() || !options.label.empty();
}

}  // namespace

Result<void> check_options(const SubmitOptions& options) {
  PINTLE_TRY(base::check(options.timeout));
  for (const Point& point : options.after) {
    if (Inside::signal(point).get() == nullptr)
      return empty_object("Point").during("checking what the submission waits for");
  }
  for (const Point& point : options.signal) {
    const SignalState* signal = Inside::signal(point).get();
    if (signal == nullptr) return empty_object("Point").during("checking what the submission signals");
    if (signal->belongs_to_queue())
      return invalid(fmt::format("The timeline of {} is raised by its submissions only.", signal->text()));
    if (point.value() <= signal->timeline().value()) {
      return invalid(fmt::format("Signal value ({}) is not above the value ({}) that {} has reached.", point.value(),
                                 signal->timeline().value(), signal->text()));
    }
  }
  return {};
}

Error Submitter::refusal(const Locked& locked) const {
  if (const auto usable = life().usable(queue_.text()); !usable) return usable.error();
  if (const auto& failure = queue_.failure(locked))
    return failure->during("submitting to " + place() + ", which has failed");
  return {Errc::unsupported,
          fmt::format("{} has used its last serial ({}); make a new queue.", queue_.text(), queue_.flights().last())};
}

std::string Submitter::place() const { return fmt::format("{} of {}", queue_.text(), life().text()); }

Error Submitter::launch_refusal() const {
  return invalid(fmt::format("{} is a copy queue, which launches no kernels.", queue_.text()));
}

Result<void> Submitter::check_open() {
  const Locked locked = life().lock();
  return takes_more(1, locked) ? Result<void>() : Result<void>(refusal(locked));
}

Point Submitter::last() {
  const Locked locked = life().lock();
  return SignalState::point(queue_.timeline(), newest_);
}

Result<std::uint64_t> Submitter::submit(std::span<Part> parts) {
  const Part& first = parts.front();
  if (first.options != nullptr) PINTLE_TRY(check_options(*first.options));
  for (const Part& part : parts) {
    if (part.list == nullptr) continue;
    const ListState* const list = Inside::state(*part.list);  // null: empty, moved from, or made without memory
    if ((list == nullptr || list->error) && part.list->error())
      return part.list->error()->during("submitting to " + place());
  }
  if (queue_.table().has_lazy()) [[unlikely]]
    PINTLE_TRY(give_memory(parts));
  std::optional<Deadline> deadline;
  for (;;) {
    Batch batch{parts};
    Result<std::uint64_t> taken = attempt(batch);
    starter_.see_to(batch.aftermath);
    if (batch.lacks_room) [[unlikely]] {
      const auto made = make_room(parts, deadline);
      if (made) continue;
      taken = made.error();
    }
    if (life().is_driven()) queue_.drive();
    if (taken) [[likely]]
      return taken;
    return explained(first, taken.error());
  }
}

Result<void> Submitter::give_memory(std::span<Part> parts) {
  for (const Part& part : parts) {
    const auto given = part.list != nullptr ? core::give_memory(queue_.table(), *part.list)
                                            : core::give_memory(queue_.table(), part.bindings);
    if (!given) return explained(parts.front(), given.error());
  }
  return {};
}

Error Submitter::explained(const Part& first, const Error& error) const {
  if (first.recording != nullptr) return error.during("replaying " + first.recording->text() + " on " + place());
  return error.during("submitting to " + place());
}

// Blocks until the queue can take more.
Result<void> Submitter::make_room(std::span<Part> parts, std::optional<Deadline>& deadline) {
  const std::size_t count = parts.size();
  const Timeout timeout = parts.front().options != nullptr ? parts.front().options->timeout : Timeout{};
  if (count > most_) {
    return Error(Errc::unsupported,
                 fmt::format("Pieces ({}) of the list are more than the limit ({}) of unfinished submissions of {}.",
                             count, most_, place()));
  }
  std::uint64_t oldest = 0;
  {
    const Locked locked = life().lock();
    if (!is_full(count)) return {};  // room came meanwhile
    oldest = queue_.flights().reached() + 1;
  }
  if (!deadline) {
    deadline = timeout.deadline();
    queue_.timeline()->refresh();
    return {};
  }
  if (const auto waited = queue_.timeline()->wait(oldest, *deadline); !waited) {
    return base::with_default(waited.error(), timeout, *deadline)
        .during(fmt::format("waiting for room in {}, which holds its limit of ({}) unfinished submissions",
                            queue_.text(), most_));
  }
  return {};
}

Result<std::uint64_t> Submitter::attempt(Batch& batch) {
  const Turn turn = life().take_turn();
  {
    const Locked locked = life().lock();
    if (const auto accepted = accept(batch, locked); !accepted) return accepted.error();
    if (batch.lacks_room) return 0;
    if (!batch.starts) return commit(batch, locked);
  }
  Flight& first = queue_.flights()[batch.first];
  const auto given = starter_.give(first, batch.aftermath.worklist);
  if (given && batch.is_simple) {
    starter_.end_simple(batch.first, batch.aftermath);
    return batch.first;
  }
  const Locked locked = life().lock();
  if (given) {
    starter_.end(first, batch.aftermath, locked);
    return commit(batch, locked);
  }
  queue_.flights().give_up_start();
  if (!life().is_lost()) queue_.flights().take_back(batch.first);
  newest_ = batch.newest_before;
  withdraw(batch);
  if (queue_.table().has_dropped(locked))  // meanwhile, by another thread: the stamps kept it until now
    queue_.table().queues().dispose_finished(batch.aftermath.worklist, locked);
  return given.error();
}

// All parts are counted at once, so that another thread finds all or none.
Result<void> Submitter::accept(Batch& batch, const Locked& locked) {
  InFlight& flights = queue_.flights();
  const std::size_t count = batch.parts.size();
  if (!takes_more(count, locked)) return refusal(locked);
  if (is_full(count)) {
    batch.lacks_room = true;
    return {};
  }
  batch.first = flights.last() + 1;
  auto prepared = base::contain("submitting", [&] { return prepare(batch, locked); });
  if (!batch.has_places) return prepared;
  const Flight& first = flights[batch.first];
  batch.starts = prepared && !flights.has_held() && first.hold == nullptr && !first.refused;
  if (batch.starts) prepared = starter_.begin(first, locked);
  if (!prepared) {
    withdraw(batch);
    return prepared;
  }
  const ListState* const list = Inside::state(first.list);
  const bool owns = first.is_lent || (list != nullptr && list->owns_of_caller);  // one that waits has it lent to nobody
  batch.is_simple = batch.starts && count == 1 && !owns && first.raises.empty() && first.waits.empty();
  batch.newest_before = std::exchange(newest_, flights.accept(count));
  return {};
}

// Fills in the places behind the last submission, which no other thread looks at.
Result<void> Submitter::prepare(Batch& batch, const Locked& locked) {
  queue_.flights().make_room(batch.parts.size());
  batch.has_places = true;
  Preparation preparation(queue_.table(), queue_.number(), locked);
  std::uint64_t serial = batch.first;
  for (Part& part : batch.parts) {
    Flight& next = queue_.flights()[serial];
    next.serial = serial++;
    if (part.options != nullptr && asks(*part.options)) adopt(next, *part.options);
    if (part.recording != nullptr) {
      PINTLE_TRY(check_recording(*part.recording));
      PINTLE_TRY(part.recording->bind(preparation, next, part.bindings, locked));
    } else {
      PINTLE_TRY(fill(next, part, preparation));
    }
    if (!next.waits.empty()) PINTLE_TRY(starter_.hold(next, batch.aftermath, locked));
  }
  return {};
}

Result<void> Submitter::fill(Flight& flight, Part& part, Preparation& preparation) {
  flight.commands = {};
  ListState* const list = Inside::state(*part.list);
  if (list == nullptr) {
    flight.list = std::move(*part.list);
    return {};
  }
  const bool is_own = list->incarnation == life().number() && list->first_slot == backend::no_slot;
  if (!is_own || kind_ == QueueKind::copy) PINTLE_TRY(check_list(*list));
  flight.has_more |= !list->host_runs.empty();
  flight.list = std::move(*part.list);
  flight.is_lent = part.borrows || (list->owns_of_caller && part.caller == Caller::goes_on);
  PINTLE_TRY(preparation.resolve(*list, flight));
  flight.commands = list->all();
  return {};
}

Result<void> Submitter::check_recording(const RecordingState& recording) const {
  if (&recording.table() != &queue_.table()) return recording.table().life().foreign(recording.text(), life());
  return recording.launches() && kind_ == QueueKind::copy ? Result<void>(launch_refusal()) : Result<void>();
}

Result<void> Submitter::check_list(const ListState& list) const {
  if (list.incarnation != 0 && list.incarnation != life().number())
    return life().check_owner(list.incarnation, list.first_text());
  if (kind_ == QueueKind::copy && has_launches(list.commands)) return launch_refusal();
  if (list.first_slot == backend::no_slot) return {};
  return invalid(
      fmt::format("The list has slot ({}), which only a recording can have: record it, then replay.", list.first_slot));
}

void Submitter::adopt(Flight& flight, SubmitOptions& options) {
  flight.has_more = true;
  flight.raises.reserve(options.signal.size());
  const auto self = queue_.shared_from_this();
  for (const Point& point : options.signal)
    flight.raises.push_back({Inside::signal(point), Promise{.value = point.value(), .point = {self, flight.serial}}});
  flight.waits = std::move(options.after);
  flight.label = std::move(options.label);
}

// What the parts have stamped stays until this queue's last work is over.
void Submitter::withdraw(Batch& batch) noexcept {
  batch.aftermath.awaited.clear();
  for (std::size_t i = 0; i < batch.parts.size(); ++i) {
    Flight& refused = queue_.flights()[batch.first + i];
    refused.clear(batch.aftermath.worklist);
    refused.serial = 0;
  }
}

std::uint64_t Submitter::commit(Batch& batch, const Locked& locked) noexcept {
  InFlight& flights = queue_.flights();
  const std::size_t count = batch.parts.size();
  const bool has_pieces = count > 1;  // all of them keep other devices open
  const Flight* failing = nullptr;
  for (std::uint64_t serial = batch.first; serial - batch.first < count; ++serial) {
    Flight& accepted = flights[serial];
    accepted.is_lent |= has_pieces;
    const bool is_promised = batch.starts && serial == batch.first;  // by its start
    for (Raise& raise : accepted.raises)
      if (!is_promised) raise.signal->promise(raise.promise);
    if (accepted.refused && failing == nullptr) failing = &accepted;
  }
  if (failing != nullptr) {
    const Error error = *failing->refused;
    queue_.fail_from(failing->serial, error, batch.aftermath.worklist, locked);
  }
  if (batch.starts && flights[batch.first].is_lent) queue_.owe(batch.first, locked);
  if (has_pieces) starter_.look_again(batch.aftermath.worklist);  // the first may have started; then others may
  return newest_;
}

}  // namespace pintle::core
