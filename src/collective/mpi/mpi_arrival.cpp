#include "collective/mpi/mpi_arrival.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/bytes.h"
#include "base/contain.h"

namespace pintle::collective {
namespace {

static_assert(sizeof(MpiArrival) <= sizeof(Note) && std::is_trivially_copyable_v<MpiArrival>);

bool lists(const MpiArrival& arrival, std::uint64_t id) noexcept {
  const auto listed = std::span(arrival.ids).first(arrival.retired);
  return std::ranges::find(listed, id) != listed.end();
}

bool is_freed_by_all(const MpiWindowRecord& record, std::span<const std::uint32_t> members,
                     std::span<const MpiArrival> arrivals) noexcept {
  return std::ranges::all_of(record.members, [&](std::uint32_t member) {
    const auto found = std::ranges::lower_bound(members, member);
    if (found == members.end() || *found != member) return false;
    return lists(arrivals[static_cast<std::size_t>(found - members.begin())], record.id);
  });
}

}  // namespace

Note note_of(const MpiArrival& arrival) noexcept {
  Note note{};
  std::memcpy(note.data(), &arrival, sizeof arrival);
  return note;
}

MpiArrival arrival_of(const Note& note) noexcept {
  MpiArrival arrival;
  std::memcpy(&arrival, note.data(), sizeof arrival);
  arrival.retired = std::min<std::uint32_t>(arrival.retired, MpiArrival::most_retired);
  return arrival;
}

std::uint64_t digest_of(std::span<const std::uint32_t> members) noexcept {
  std::uint64_t digest = 0xcbf29ce484222325u;  // FNV-1a, a word at a time
  for (const std::uint32_t member : members) digest = (digest ^ member) * 0x100000001b3u;
  return digest;
}

Result<void> check_sizes(std::span<const MpiArrival> arrivals) {
  return base::contain("comparing the sizes of a window", [&]() -> Result<void> {
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank)
      if (arrivals[rank].subject != arrivals[0].subject)
        return Error(Errc::invalid_argument,
                     fmt::format("Size of a window on rank {} ({}) differs from that on rank 0 ({}).", rank,
                                 arrivals[rank].subject, arrivals[0].subject));
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank)
      if (arrivals[rank].has_memory == 0)
        return Error(Errc::out_of_memory, fmt::format("On rank {}: There is no memory for a window's ({}) bytes.", rank,
                                                      arrivals[0].subject));
    return {};
  });
}

Result<void> check_members(std::span<const MpiArrival> arrivals) {
  return base::contain("comparing the members of a split", [&]() -> Result<void> {
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank)
      if (arrivals[rank].subject != arrivals[0].subject)
        return Error(Errc::invalid_argument,
                     fmt::format("Member {} of a split names other members than member 0.", rank));
    return {};
  });
}

std::vector<std::uint64_t> freed_by_all(std::span<const MpiWindowRecord> records,
                                        std::span<const std::uint32_t> members, std::span<const MpiArrival> arrivals) {
  std::vector<std::uint64_t> ids;
  for (const MpiWindowRecord& record : records)
    if (is_freed_by_all(record, members, arrivals)) ids.push_back(record.id);
  std::ranges::sort(ids);
  return ids;
}

bool fits_shared(std::uint64_t bytes, std::span<const MpiArrival> arrivals) noexcept {
  const std::optional<std::uint64_t> needed = base::checked_mul(bytes, static_cast<std::uint64_t>(arrivals.size()));
  if (!needed) return false;
  return std::ranges::all_of(arrivals, [&](const MpiArrival& arrival) { return *needed <= arrival.room; });
}

}  // namespace pintle::collective
