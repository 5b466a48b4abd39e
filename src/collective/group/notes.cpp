#include "collective/group/notes.h"

#include <span>
#include <utility>

#include "collective/group/waiting.h"

namespace pintle::collective {

/// Two places that take turns suffice: no rank writes note k + 2 before every rank has given note k + 1, and so has
/// read note k.
Exchange exchange_of(GroupState& group) {
  return [&group](const Note& own, Deadline deadline) -> Result<std::vector<Note>> {
    const std::uint64_t index = group.count_notes();
    for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
      PINTLE_TRY(
          group.post(rank, group.layout().note_of(group.rank(), Layout::Lane::setup, index % 2), own, index + 1));
    }
    std::vector<Note> notes(group.ranks());
    Waiting waiting(group, deadline);
    for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
      const std::uint64_t place = group.layout().note_of(rank, Layout::Lane::setup, index % 2);
      while (group.stamp_at(place) < index + 1) PINTLE_TRY(waiting.pause(std::span(&rank, 1)));
      notes[rank] = group.note_at(place);
    }
    return notes;
  };
}

Exchange rescue_exchange_of(GroupState& group, std::vector<std::uint32_t> members, std::uint64_t& step) {
  return
      [&group, members = std::move(members), &step](const Note& own, Deadline deadline) -> Result<std::vector<Note>> {
        ++step;
        for (const std::uint32_t rank : members) {
          PINTLE_TRY(group.post(rank, group.layout().note_of(group.rank(), Layout::Lane::rescue, step % 2), own, step));
        }
        std::vector<Note> notes;
        Waiting waiting(group, deadline, Waiting::Purpose::rescue);
        for (const std::uint32_t& rank : members) {
          const std::uint64_t place = group.layout().note_of(rank, Layout::Lane::rescue, step % 2);
          while (group.stamp_at(place) < step) PINTLE_TRY(waiting.pause(std::span(&rank, 1)));
          notes.push_back(group.note_at(place));
        }
        return notes;
      };
}

}  // namespace pintle::collective
