#include "core/queue/recordings.h"

#include <algorithm>
#include <utility>

#include "base/inside.h"
#include "core/door/describe.h"
#include "core/life/life.h"
#include "core/list/list_state.h"

namespace pintle::core {

Result<void> Recordings::check(const CommandList& list) const {
  const ListState* const state = Inside::state(list);
  if (state == nullptr) return {};
  if (state->borrows) {
    return invalid("A recording cannot borrow host memory for its replays: use a slot, or memory that the list keeps.");
  }
  if (!state->crossings.empty()) {
    return invalid("A recording works on one device, and a copy of the list crosses two: submit it.");
  }
  if (state->incarnation == 0 || state->incarnation == table_.life().number()) return {};
  return table_.life().check_owner(state->incarnation, state->first_text());
}

Result<std::shared_ptr<RecordingState>> Recordings::create(CommandList list) {
  Life& life = table_.life();
  PINTLE_TRY(life.usable());
  if (list.error()) return list.error()->during("recording on " + life.text());
  PINTLE_TRY(check(list));
  if (const auto made = give_memory(table_, list); !made) return made.error().during("recording on " + life.text());
  const auto recording =
      std::make_shared<RecordingState>(life.keep(table_), std::move(list), object_text("Recording", next_++, ""));
  auto handle = make_handle(life, recording, [this](const auto& gone) { abandon(*gone); });
  Worklist worklist;  // runs when the turn is over
  const Turn turn = life.take_turn();
  {
    const Locked locked = life.lock();
    all_.reserve(all_.size() + 1);
    if (const auto frozen = recording->freeze(locked); !frozen)
      return frozen.error().during("recording on " + life.text());
  }
  if (const auto planned = recording->plan(turn); !planned)
    return life.report(planned.error(), worklist).during("recording on " + life.text());
  const Locked locked = life.lock();
  all_.push_back({recording, false});
  return handle;
}

void Recordings::abandon(const RecordingState& recording) noexcept {
  if (base::in_forked_child()) return;
  Worklist worklist;
  const Locked locked = table_.life().lock();
  const auto entry = std::ranges::find(all_, &recording, [](const Entry& each) { return each.recording.get(); });
  if (entry == all_.end()) return;
  entry->is_abandoned = true;
  ++table_.abandoned(locked);
  dispose(worklist, locked);
  table_.queues().look_after(recording.stamps(locked), locked);
}

bool Recordings::is_over(const Entry& entry, const Locked& locked) const noexcept {
  return entry.is_abandoned &&
         (table_.life().is_lost() || table_.clocks(locked).is_finished(entry.recording->stamps(locked)));
}

void Recordings::dispose(Worklist& worklist, const Locked& locked) noexcept {
  if (std::ranges::any_of(all_, [&](const Entry& entry) { return is_over(entry, locked); }))
    worklist.add(table_.life().keep(*this));
}

std::shared_ptr<RecordingState> Recordings::take_finished() noexcept {
  const Locked locked = table_.life().lock();
  const auto over = std::ranges::find_if(all_, [&](const Entry& entry) { return is_over(entry, locked); });
  if (over == all_.end()) return nullptr;
  auto recording = std::move(over->recording);
  all_.erase(over);
  --table_.abandoned(locked);
  return recording;
}

void Recordings::run_deferred(Worklist& worklist) noexcept {
  for (;;) {
    std::shared_ptr<RecordingState> recording;  // destroyed when the turn is over
    const Turn turn = table_.life().try_turn(table_.life().keep(*this), worklist);
    if (!turn.is_taken()) return;
    recording = take_finished();
    if (recording == nullptr) return;
    if (!table_.life().is_lost()) recording->forget(turn);
  }
}

}  // namespace pintle::core
