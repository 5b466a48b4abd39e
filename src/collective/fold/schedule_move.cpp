// Operations that only move bytes.
#include <array>
#include <bit>

#include "collective/fold/schedule.h"
#include "collective/fold/schedule_steps.h"

namespace pintle::collective {
namespace {

/// Converts ranks to places counted from the root, and back.
struct Around {
  std::uint32_t root, ranks;
  [[nodiscard]] std::uint32_t place(std::uint32_t rank) const noexcept { return (rank + ranks - root) % ranks; }
  [[nodiscard]] std::uint32_t rank(std::uint32_t place) const noexcept { return (place + root) % ranks; }
};

void broadcast_direct(Schedule& schedule, const Work& work) {
  if (schedule.rank() != work.root) {
    schedule.receive(work.root, work.to, work.part_bytes());
    return;
  }
  for (std::uint32_t i = 1; i < schedule.ranks(); ++i) {
    schedule.send((work.root + i) % schedule.ranks(), work.to, work.part_bytes());
  }
}

void broadcast_chain(Schedule& schedule, const Work& work) {
  const Around around{work.root, schedule.ranks()};
  const std::uint32_t place = around.place(schedule.rank());
  Schedule::From made_by;
  if (place > 0) made_by.item = schedule.receive(around.rank(place - 1), work.to, work.part_bytes());
  if (place + 1 < schedule.ranks()) schedule.send(around.rank(place + 1), work.to, work.part_bytes(), made_by);
}

}  // namespace

void broadcast_tree(Schedule& schedule, std::byte* bytes, std::uint64_t size, std::uint32_t root,
                    Schedule::From made_by) {
  const Around around{root, schedule.ranks()};
  const std::uint32_t place = around.place(schedule.rank());
  const std::uint32_t reach = place == 0 ? std::bit_ceil(schedule.ranks()) : place & (~place + 1);
  if (place > 0) made_by = {schedule.receive(around.rank(place - reach), bytes, size), 0};
  for (std::uint32_t distance = reach / 2; distance > 0; distance /= 2) {
    if (place + distance < schedule.ranks()) schedule.send(around.rank(place + distance), bytes, size, made_by);
  }
}

void gather_ring(Schedule& schedule, const Parts& parts, std::span<Schedule::From> made_by) {
  const std::uint32_t n = schedule.ranks();
  const std::uint32_t right = (schedule.rank() + 1) % n;
  const std::uint32_t left = (schedule.rank() + n - 1) % n;
  for (std::uint32_t step = 0; step + 1 < n; ++step) {
    const std::uint32_t sent = (schedule.rank() + n - step) % n;
    const std::uint32_t received = (sent + n - 1) % n;
    schedule.send(right, parts.source(sent), parts.bytes(sent), made_by[sent]);
    made_by[received] = {schedule.receive(left, parts.at(received), parts.bytes(received)), 0};
  }
}

void gather_direct(Schedule& schedule, const Parts& parts, std::span<Schedule::From> made_by) {
  const std::uint32_t n = schedule.ranks();
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t to = (schedule.rank() + i) % n;
    const std::uint32_t from = (schedule.rank() + n - i) % n;
    schedule.send(to, parts.source(schedule.rank()), parts.bytes(schedule.rank()), made_by[schedule.rank()]);
    made_by[from] = {schedule.receive(from, parts.at(from), parts.bytes(from)), 0};
  }
}

void gather_doubling(Schedule& schedule, const Parts& parts, std::span<Schedule::From> made_by, Fleet fleet) {
  const std::uint32_t own = fleet.place(schedule.rank());
  for (std::uint32_t distance = 1; distance < fleet.size; distance *= 2) {
    const std::uint32_t mine = own / distance * distance;
    const std::uint32_t theirs = mine ^ distance;
    const std::uint32_t partner = fleet.rank(own ^ distance);
    for (std::uint32_t i = 0; i < distance; ++i) {
      schedule.send(partner, parts.source(mine + i), parts.bytes(mine + i), made_by[mine + i]);
    }
    for (std::uint32_t i = 0; i < distance; ++i) {
      made_by[theirs + i] = {schedule.receive(partner, parts.at(theirs + i), parts.bytes(theirs + i)), 0};
    }
  }
}

void schedule_all_gather(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks();
  const Parts parts = Parts::equal(work.to, work.part_bytes()).with_own(schedule.rank(), work.from);
  std::byte* const own = parts.at(schedule.rank());
  if (own != work.from) schedule.copy(own, work.from, work.part_bytes());
  const auto made_by = schedule.makers(n);
  if (work.algorithm == Algorithm::ring) gather_ring(schedule, parts, made_by);
  else if (work.algorithm == Algorithm::halving_doubling && std::has_single_bit(n)) {
    gather_doubling(schedule, parts, made_by, Fleet{n, 0});
  } else {
    gather_direct(schedule, parts, made_by);
  }
}

void schedule_broadcast(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks();
  switch (work.algorithm) {
    case Algorithm::ring: return broadcast_chain(schedule, work);
    case Algorithm::tree: return broadcast_tree(schedule, work.to, work.part_bytes(), work.root, {});
    case Algorithm::halving_doubling: break;  // slices to their owners, and from them to all
    default: return broadcast_direct(schedule, work);
  }
  const Parts parts = Parts::sliced(work.to, work.part, work.element_bytes, n);
  const auto made_by = schedule.makers(n);
  for (std::uint32_t i = 1; i < n && schedule.rank() == work.root; ++i) {
    const std::uint32_t to = (work.root + i) % n;
    schedule.send(to, parts.at(to), parts.bytes(to));
  }
  const std::uint32_t own = schedule.rank();
  if (own != work.root) made_by[own] = {schedule.receive(work.root, parts.at(own), parts.bytes(own)), 0};
  if (std::has_single_bit(n)) gather_doubling(schedule, parts, made_by, Fleet{n, 0});
  else gather_ring(schedule, parts, made_by);
}

void schedule_gather(Schedule& schedule, const Work& work) {
  if (schedule.rank() != work.root) {
    schedule.send(work.root, work.from, work.part_bytes());
    return;
  }
  const Parts parts = Parts::equal(work.to, work.part_bytes());
  for (std::uint32_t i = 1; i < schedule.ranks(); ++i) {
    const std::uint32_t from = (work.root + i) % schedule.ranks();
    schedule.receive(from, parts.at(from), parts.bytes(from));
  }
  if (parts.at(work.root) != work.from) schedule.copy(parts.at(work.root), work.from, work.part_bytes());
}

void schedule_scatter(Schedule& schedule, const Work& work) {
  if (schedule.rank() != work.root) {
    schedule.receive(work.root, work.to, work.part_bytes());
    return;
  }
  for (std::uint32_t i = 1; i < schedule.ranks(); ++i) {
    const std::uint32_t to = (work.root + i) % schedule.ranks();
    schedule.send(to, work.from + to * work.part_bytes(), work.part_bytes());
  }
  const std::byte* const own = work.from + work.root * work.part_bytes();
  if (own != work.to) schedule.copy(work.to, own, work.part_bytes());
}

void schedule_all_to_all(Schedule& schedule, const Work& work) {
  const std::uint32_t n = schedule.ranks();
  const std::uint64_t bytes = work.part_bytes();
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t to = (schedule.rank() + i) % n;
    const std::uint32_t from = (schedule.rank() + n - i) % n;
    schedule.send(to, work.from + to * bytes, bytes);
    schedule.receive(from, work.to + from * bytes, bytes);
  }
  schedule.copy(work.to + schedule.rank() * bytes, work.from + schedule.rank() * bytes, bytes);
}

/// A dissemination barrier: after round k each rank has heard, through others, of the 2^k ranks before it. Each round
/// receives by a fold of no bytes, since that fold waits for the fold of the round before: a message of a later round
/// that comes first does not stand for the earlier round.
void schedule_barrier(Schedule& schedule) {
  const std::uint32_t n = schedule.ranks();
  Schedule::From heard;
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    const std::array from{(schedule.rank() + n - distance) % n};
    schedule.send((schedule.rank() + distance) % n, nullptr, 0, heard);
    heard.item = schedule.fold(nullptr, nullptr, 0, from, 1, heard);
  }
}

}  // namespace pintle::collective
