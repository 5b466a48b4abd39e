// Operations that fold.
#include <algorithm>
#include <array>
#include <bit>

#include "collective/fold/schedule.h"
#include "collective/fold/schedule_steps.h"
#include "collective/transport.h"

namespace pintle::collective {
namespace {

/// Up to so many bytes every rank sends everything to every other rank, which takes the time of one message.
constexpr std::uint64_t small_bytes = 4096;
constexpr std::uint32_t few_ranks = 16;
/// The results of a block go out after the contributions to so many later blocks, so that no rank waits for a fold.
constexpr std::uint64_t lead = 2;
constexpr std::uint64_t most_blocks = 256;
/// From so many bytes on no cache holds a buffer. This does not count in place, where overwritten bytes have just been
/// read.
constexpr std::uint64_t far_bytes = 32 << 20;

using Pair = std::array<std::uint32_t, 2>;
[[nodiscard]] Pair ordered(std::uint32_t a, std::uint32_t b) noexcept { return {std::min(a, b), std::max(a, b)}; }

[[nodiscard]] const std::byte* part_of(const Work& work, const Parts& parts, std::uint32_t index) noexcept {
  return work.from + parts.offset(index);
}

/// Everybody folds everything.
void fold_small(Schedule& schedule, const Work& work) {
  for (std::uint32_t i = 1; i < schedule.ranks(); ++i) {
    schedule.send((schedule.rank() + i) % schedule.ranks(), work.from, work.part_bytes());
  }
  // In place, the sends read `to`, so the fold waits for all of them.
  schedule.fold(work.to, work.from, work.part_bytes(), schedule.everybody(), schedule.ranks(), {},
                Schedule::every_send);
}

/// Where a part is cut for `all_reduce`, the same way on all ranks.
struct Block {
  std::uint64_t offset, bytes;
};
[[nodiscard]] Block block_of(std::uint64_t bytes, std::uint64_t index, std::uint64_t block) noexcept {
  const std::uint64_t offset = std::min(bytes, index * block);
  return {offset, std::min(block, bytes - offset)};
}

/// Sends the contributions to a block of each slice to the slice's owner; this rank folds the block of its own slice.
Schedule::From contribute(Schedule& schedule, const Work& work, const Parts& parts, std::uint64_t index,
                          std::uint64_t block_bytes) {
  const std::uint32_t n = schedule.ranks();
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t owner = (schedule.rank() + i) % n;
    const Block block = block_of(parts.bytes(owner), index, block_bytes);
    schedule.send(owner, part_of(work, parts, owner) + block.offset, block.bytes);
  }
  const std::uint32_t own = schedule.rank();
  const Block block = block_of(parts.bytes(own), index, block_bytes);
  return {schedule.fold(parts.at(own) + block.offset, part_of(work, parts, own) + block.offset, block.bytes,
                        schedule.everybody(), n),
          0};
}

/// Each owner sends the block that it has folded to every rank.
void spread(Schedule& schedule, const Parts& parts, std::uint64_t index, std::uint64_t block_bytes,
            Schedule::From folded, Schedule::Afterwards afterwards) {
  const std::uint32_t n = schedule.ranks();
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t to = (schedule.rank() + i) % n;
    const std::uint32_t from = (schedule.rank() + n - i) % n;
    const Block mine = block_of(parts.bytes(schedule.rank()), index, block_bytes);
    const Block theirs = block_of(parts.bytes(from), index, block_bytes);
    schedule.send(to, parts.at(schedule.rank()) + mine.offset, mine.bytes, folded);
    schedule.receive(from, parts.at(from) + theirs.offset, theirs.bytes, afterwards);
  }
}

/// Block by block, so that what has just been folded is sent out of the cache.
void all_reduce_direct(Schedule& schedule, const Work& work) {
  const Parts parts = Parts::sliced(work.to, work.part, work.element_bytes, schedule.ranks());
  const std::uint64_t largest = parts.bytes(0);
  const std::uint64_t element = work.element_bytes;
  const std::uint64_t least = (largest / most_blocks + element) / element * element;
  const std::uint64_t block = std::max(work.piece, least);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, (largest + block - 1) / block);
  const bool is_far = work.part_bytes() >= far_bytes && work.to != work.from;
  const auto afterwards = is_far ? Schedule::Afterwards::is_far : Schedule::Afterwards::is_near;
  const auto folded = schedule.makers(blocks);
  for (std::uint64_t i = 0; i < blocks + lead; ++i) {
    if (i < blocks) folded[i] = contribute(schedule, work, parts, i, block);
    if (i >= lead) spread(schedule, parts, i - lead, block, folded[i - lead], afterwards);
  }
}

/// Where this rank keeps partial results. Those of each part go round the ring once, and end at the part's owner.
struct RingPlaces {
  std::byte* own;
  std::array<std::byte*, 2> others;  // in turn; all_reduce has the parts themselves instead
  const Parts* parts;
};

void reduce_ring(Schedule& schedule, const Work& work, const Parts& from, const RingPlaces& places,
                 std::span<Schedule::From> made_by) {
  const std::uint32_t n = schedule.ranks(), own = schedule.rank();
  const std::uint32_t right = (own + 1) % n, left = (own + n - 1) % n;
  Schedule::From made;
  const std::byte* sent_from = part_of(work, from, left);
  std::array<std::uint32_t, 2> sends{Schedule::none, Schedule::none};
  for (std::uint32_t step = 0; step + 1 < n; ++step) {
    const std::uint32_t sent = (own + 2 * n - step - 1) % n;
    const std::uint32_t folded = (sent + n - 1) % n;
    const std::uint32_t send = schedule.send(right, sent_from, from.bytes(sent), made);
    std::byte* const to = folded == own  ? places.own
                          : places.parts ? places.parts->at(folded)
                                         : places.others[step % 2];
    // Two places in turn: the one written now was sent from two steps ago, by the item before the last.
    const std::uint32_t clear = places.parts != nullptr || folded == own ? Schedule::none : sends[step % 2];
    sends[(step + 1) % 2] = send;
    const std::uint32_t item = schedule.fold(to, part_of(work, from, folded), from.bytes(folded), ordered(left, own),
                                             step + 2 == n ? n : 1, {}, clear);
    made = {item, 0};
    made_by[folded] = made;
    sent_from = to;
  }
}

/// The parts that repeated halving ends with: one leaf for each place of a fleet.
[[nodiscard]] Parts leaves(const Work& work, std::uint32_t places) noexcept {
  return Parts::sliced(work.to, work.part, work.element_bytes, places);
}

/// Halves what this rank is responsible for until one leaf is left.
void halve(Schedule& schedule, const Work& work, const Fleet& fleet, const Parts& parts, Schedule::From made,
           std::span<Schedule::From> made_by) {
  const std::uint32_t own = fleet.place(schedule.rank());
  const std::byte* base = made.item == Schedule::none ? work.from : work.to;
  std::uint64_t start = 0;  // of what `made` has made
  for (std::uint32_t distance = fleet.size / 2; distance > 0; distance /= 2) {
    const std::uint32_t kept = own / distance * distance, given = kept ^ distance;
    const std::uint32_t partner = fleet.rank(own ^ distance);
    const auto offset = [&](std::uint32_t place) { return parts.offset(place); };
    const auto bytes = [&](std::uint32_t place) {
      return parts.offset(place + distance - 1) + parts.bytes(place + distance - 1) - parts.offset(place);
    };
    schedule.send(partner, base + offset(given), bytes(given), {made.item, offset(given) - start});
    const std::uint32_t item =
        schedule.fold(work.to + offset(kept), base + offset(kept), bytes(kept), ordered(partner, schedule.rank()),
                      distance == 1 ? schedule.ranks() : 1, {made.item, offset(kept) - start});
    made = {item, 0};
    start = offset(kept);
    base = work.to;
  }
  made_by[own] = made;
}

/// Ranks beyond the largest power of two first give their elements to a neighbour, and later get the result from it.
void all_reduce_halving(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks(), own = schedule.rank();
  const Fleet fleet{std::bit_floor(n), n - std::bit_floor(n)};
  const Parts parts = leaves(work, fleet.size);
  if (own < 2 * fleet.extra && own % 2 == 1) {
    schedule.send(own - 1, work.from, work.part_bytes());
    for (std::uint32_t i = 0; i < fleet.size; ++i) schedule.receive(own - 1, parts.at(i), parts.bytes(i));
    return;
  }
  Schedule::From made;
  const bool has_guest = own < 2 * fleet.extra;
  if (has_guest) {
    made.item = schedule.fold(work.to, work.from, work.part_bytes(), ordered(own, own + 1), fleet.size == 1 ? n : 1);
  }
  const auto made_by = schedule.makers(fleet.size, made);
  halve(schedule, work, fleet, parts, made, made_by);
  gather_doubling(schedule, parts, made_by, fleet);
  for (std::uint32_t i = 0; has_guest && i < fleet.size; ++i) {
    schedule.send(own + 1, parts.at(i), parts.bytes(i), made_by[i]);
  }
}

/// A binomial tree: each rank folds its own elements with what its children bring. Returns what makes the result at the
/// root.
Schedule::From reduce_tree(Schedule& schedule, const Work& work, std::byte* to) {
  const std::uint32_t n = schedule.ranks();
  const std::uint32_t place = (schedule.rank() + n - work.root) % n;
  const auto rank_at = [&](std::uint32_t at) { return (at + work.root) % n; };
  const std::uint32_t reach = place == 0 ? std::bit_ceil(n) : place & (~place + 1);
  std::array<std::uint32_t, 1 + std::bit_width(most_ranks)> all{schedule.rank()};
  std::uint32_t count = 1;
  for (std::uint32_t distance = 1; distance < reach; distance *= 2) {
    if (place + distance < n) all[count++] = rank_at(place + distance);
  }
  const auto sources = std::span(all).first(count);
  Schedule::From made;
  const std::byte* result = work.from;
  if (sources.size() > 1 || place == 0) {
    made.item = schedule.fold(to, work.from, work.part_bytes(), sources, place == 0 ? n : 1);
    result = to;
  }
  if (place > 0) schedule.send(rank_at(place - reach), result, work.part_bytes(), made);
  return made;
}

void reduce_chain(Schedule& schedule, const Work& work, std::byte* to) {
  const std::uint32_t n = schedule.ranks();
  const std::uint32_t place = (schedule.rank() + n - work.root) % n;
  const auto rank_at = [&](std::uint32_t at) { return (at + work.root) % n; };
  if (place + 1 == n) {
    schedule.send(rank_at(place - 1), work.from, work.part_bytes());
    return;
  }
  const Pair sources{schedule.rank(), rank_at(place + 1)};
  const std::uint32_t item = schedule.fold(to, work.from, work.part_bytes(), sources, place == 0 ? n : 1);
  if (place > 0) schedule.send(rank_at(place - 1), to, work.part_bytes(), {item, 0});
}

void reduce_direct(Schedule& schedule, const Work& work) {
  if (schedule.rank() != work.root) {
    schedule.send(work.root, work.from, work.part_bytes());
  } else {
    schedule.fold(work.to, work.from, work.part_bytes(), schedule.everybody(), schedule.ranks());
  }
}

/// Contributions go straight to the owners of slices; the results travel as the algorithm says.
void all_reduce_at_owners(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks();
  const Parts parts = Parts::sliced(work.to, work.part, work.element_bytes, n);
  const auto made_by = schedule.makers(n);
  made_by[schedule.rank()] = contribute(schedule, work, parts, 0, parts.bytes(0));
  if (work.algorithm == Algorithm::halving_doubling && std::has_single_bit(n)) {
    gather_doubling(schedule, parts, made_by, Fleet{n, 0});
  } else {
    gather_ring(schedule, parts, made_by);
  }
}

}  // namespace

void schedule_all_reduce(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks();
  const bool is_direct = work.algorithm == Algorithm::direct;
  if (is_direct && work.part_bytes() <= small_bytes && n <= few_ranks) return fold_small(schedule, work);
  if (is_direct) return all_reduce_direct(schedule, work);
  if (work.folds_at_owner) return all_reduce_at_owners(schedule, work);
  if (work.algorithm == Algorithm::halving_doubling) return all_reduce_halving(schedule, work);
  if (work.algorithm == Algorithm::tree) {
    Work rooted = work;
    rooted.root = 0;
    return broadcast_tree(schedule, work.to, work.part_bytes(), 0, reduce_tree(schedule, rooted, work.to));
  }
  const Parts parts = Parts::sliced(work.to, work.part, work.element_bytes, n);
  const auto made_by = schedule.makers(n);
  reduce_ring(schedule, work, parts, {parts.at(schedule.rank()), {}, &parts}, made_by);
  gather_ring(schedule, parts, made_by);
}

void schedule_reduce(Schedule& schedule, const Work& work) {
  const bool is_partial = work.algorithm == Algorithm::ring || work.algorithm == Algorithm::tree ||
                          work.algorithm == Algorithm::halving_doubling;
  if (work.folds_at_owner || !is_partial || schedule.ranks() == 1) return reduce_direct(schedule, work);
  const bool is_root = schedule.rank() == work.root;
  std::byte* const to = is_root ? work.to : schedule.scratch(work.part_bytes());
  if (work.algorithm == Algorithm::ring) reduce_chain(schedule, work, to);
  else reduce_tree(schedule, work, to);
}

void schedule_reduce_scatter(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks();
  const std::uint64_t bytes = work.part_bytes();
  if (work.algorithm == Algorithm::ring && !work.folds_at_owner && n > 1) {
    std::byte* const scratch = schedule.scratch(2 * bytes);
    const auto made_by = schedule.makers(n);
    reduce_ring(schedule, work, Parts::equal(nullptr, bytes), {work.to, {scratch, scratch + bytes}, nullptr}, made_by);
    return;
  }
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t owner = (schedule.rank() + i) % n;
    schedule.send(owner, work.from + owner * bytes, bytes);
  }
  schedule.fold(work.to, work.from + schedule.rank() * bytes, bytes, schedule.everybody(), n);
}

}  // namespace pintle::collective
