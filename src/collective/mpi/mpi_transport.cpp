#include "collective/mpi/mpi_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/futex.h"

namespace pintle::collective {
namespace {

std::uint64_t next_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// The id of a window: no other has the same first rank and serial.
std::uint64_t id_of(std::uint32_t first_world_rank, std::uint64_t serial) noexcept {
  return std::uint64_t{first_world_rank} << 40 | (serial & ((1ull << 40) - 1));
}

/// The free bytes where OpenMPI has its shared windows on Linux; no limit where there is no such folder.
std::uint64_t shared_room() noexcept {
  std::error_code failure;
  const auto space = std::filesystem::space("/dev/shm", failure);
  return failure ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

/// Tries before MPI is asked: MPI waits for ever on some ranks when it fails on others.
bool has_memory(std::uint64_t bytes) noexcept {
  void* volatile place = std::malloc(bytes);
  std::free(place);
  return place != nullptr;
}

/// The bytes that a piece takes, with room to begin at the alignment.
std::uint64_t padded(std::uint64_t bytes) noexcept {
  const auto whole = base::align_up(bytes, mpi_piece_alignment);
  return whole.and_then([](std::uint64_t size) { return base::checked_add(size, mpi_piece_alignment); })
      .value_or(std::numeric_limits<std::uint64_t>::max());
}

bool are_on_one_host(std::span<const MpiRank> ranks) noexcept {
  return std::ranges::all_of(ranks, [&](const MpiRank& rank) { return rank.place.host == ranks[0].place.host; });
}

Result<void> check_mixed(std::span<const MpiArrival> arrivals, std::span<const MpiRank> group) {
  const bool is_mixed = std::ranges::any_of(arrivals, [](const MpiArrival& arrival) { return arrival.is_mixed != 0; });
  if (!is_mixed || !shares_hosts(group)) return {};
  return Error(Errc::unsupported,
               "This MPI mixes up windows of groups that have several ranks on the same host (Open MPI's osc/rdma, "
               "open-mpi/ompi issue 9492): start with mpirun --mca osc ucx,sm or with Open MPI 5.");
}

}  // namespace

bool shares_hosts(std::span<const MpiRank> group) noexcept {
  return std::ranges::any_of(group, [&](const MpiRank& rank) {
    const auto here = std::ranges::count(group, rank.place.host, [](const MpiRank& one) { return one.place.host; });
    return here >= 2 && rank.place.neighbours >= here + 2;
  });
}

/// What MPI gave this rank.
struct MpiTransport::Allocation {
  std::uint64_t window = 0;
  std::uint64_t size = 0;
  std::byte* base = nullptr;
  bool is_shared = false;

  [[nodiscard]] std::byte* own() const noexcept { return base + mpi_shift(base); }
};

MpiTransport::MpiTransport(std::shared_ptr<const MpiCommunicator> communicator, std::uint32_t rank,
                           std::vector<MpiRank> all, Reach reach)
    : Transport(rank, static_cast<std::uint32_t>(all.size())),
      communicator_(std::move(communicator)),
      all_(std::move(all)),
      reach_(reach),
      is_one_host_(are_on_one_host(all_)),
      has_remote_windows_(reach == Reach::remote_only || !is_one_host_),
      native_(communicator_, ranks()) {}

Exchange MpiTransport::meeting(Members members, MpiMeeting kind) {
  return [this, members = std::move(members), kind](const Note& own, Deadline deadline) -> Result<std::vector<Note>> {
    if (failed_) return *failed_;
    auto notes = meet(communicator_, rank(), members, kind, own, deadline);
    if (!notes) failed_ = notes.error();
    return notes;
  };
}

MpiTransport::Members MpiTransport::everybody() const {
  Members all(ranks());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

MpiTransport::Members MpiTransport::world_ranks(const Members& members) const {
  Members world;
  for (const std::uint32_t member : members) world.push_back(all_[member].place.world_rank);
  return world;
}

Result<std::vector<MpiArrival>> MpiTransport::arrive(const Members& members, MpiArrival own, const Exchange& exchange,
                                                     Deadline deadline) const {
  Members rising = world_ranks(members);
  std::ranges::sort(rising);
  const auto records = retired_windows(rising, MpiArrival::most_retired);
  own.retired = static_cast<std::uint32_t>(records.size());
  std::ranges::transform(records, own.ids.begin(), &MpiWindowRecord::id);
  own.serial = next_serial();
  PINTLE_ASSIGN(notes, exchange(note_of(own), deadline));
  std::vector<MpiArrival> arrivals, by_world_rank(notes.size());
  std::ranges::transform(notes, std::back_inserter(arrivals), arrival_of);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto place = std::ranges::lower_bound(rising, all_[members[i]].place.world_rank) - rising.begin();
    by_world_rank[static_cast<std::size_t>(place)] = arrivals[i];
  }
  free_retired(freed_by_all(records, rising, by_world_rank));
  return arrivals;
}

Result<std::unique_ptr<Window>> MpiTransport::create_window(std::uint64_t bytes, const Exchange& /*exchange*/,
                                                            Deadline deadline) {
  return base::contain("creating a window over MPI",
                       [&] { return create_together(bytes, meeting(everybody(), MpiMeeting::of_all), deadline); });
}

Result<std::unique_ptr<Window>> MpiTransport::create_together(std::uint64_t bytes, const Exchange& exchange,
                                                              Deadline deadline) {
  const MpiArrival own{.subject = bytes,
                       .room = shared_room(),
                       .has_memory = has_memory(padded(bytes)) ? 1u : 0u,
                       .is_mixed = functions().mixes_windows() != 0 ? 1u : 0u};
  PINTLE_ASSIGN(arrivals, arrive(everybody(), own, exchange, deadline));
  PINTLE_TRY(check_sizes(arrivals));
  if (!takes_shared(bytes, arrivals)) PINTLE_TRY(check_mixed(arrivals, all_));
  const auto allocation = allocate(bytes, arrivals);
  // A window that MPI gave to some ranks only is never freed: MPI frees it by all ranks together or not at all.
  PINTLE_TRY(agree(allocation ? Result<void>() : allocation.error(), exchange, deadline));
  Members world = world_ranks(everybody());
  const std::uint64_t id = id_of(world[0], arrivals[0].serial);
  std::ranges::sort(world);
  MpiLease lease({.functions = &functions(), .window = allocation->window, .id = id, .members = std::move(world)});
  return allocation->is_shared ? open_shared(*allocation, std::move(lease), exchange, deadline)
                               : open_remote(*allocation, std::move(lease), exchange, deadline);
}

bool MpiTransport::takes_shared(std::uint64_t bytes, std::span<const MpiArrival> arrivals) const noexcept {
  return reach_ == Reach::any && is_one_host_ && fits_shared(padded(bytes), arrivals);
}

Result<MpiTransport::Allocation> MpiTransport::allocate(std::uint64_t bytes,
                                                        std::span<const MpiArrival> arrivals) const {
  const bool is_shared = takes_shared(bytes, arrivals);
  Allocation made{.size = bytes, .is_shared = is_shared};
  void* base = nullptr;
  PINTLE_TRY(mpi_done(
      functions(), functions().allocate(communicator_->handle(), padded(bytes), is_shared ? 1 : 0, &made.window, &base),
      "allocate a window of ({}) bytes", bytes));
  made.base = static_cast<std::byte*>(base);
  std::memset(made.own(), 0, bytes);
  return made;
}

Result<std::unique_ptr<Window>> MpiTransport::open_shared(const Allocation& allocation, MpiLease lease,
                                                          const Exchange& exchange, Deadline deadline) const {
  std::vector<std::byte*> pieces(ranks());
  Result<void> found;
  for (std::uint32_t other = 0; other < ranks() && found; ++other) {
    void* base = nullptr;
    found = mpi_done(functions(), functions().piece(allocation.window, static_cast<int>(other), &base),
                     "find the piece of rank {}", other);
    // MPI maps by pages, so a piece's place within a page is the same for every rank.
    pieces[other] = static_cast<std::byte*>(base) + mpi_shift(static_cast<std::byte*>(base));
  }
  PINTLE_TRY(agree(found, exchange, deadline));
  return std::make_unique<MpiSharedWindow>(MpiMemory{.communicator = communicator_,
                                                     .window = allocation.window,
                                                     .rank = rank(),
                                                     .size = allocation.size,
                                                     .pieces = std::move(pieces)},
                                           std::move(lease));
}

Result<std::unique_ptr<Window>> MpiTransport::open_remote(const Allocation& allocation, MpiLease lease,
                                                          const Exchange& exchange, Deadline deadline) {
  has_remote_windows_ = true;
  Note note{};
  const std::uint64_t own = mpi_shift(allocation.base);
  std::memcpy(note.data(), &own, sizeof own);
  // The other ranks, which come here after this exchange, have to see the zeros.
  functions().progress(communicator_->handle(), allocation.window);
  PINTLE_ASSIGN(notes, exchange(note, deadline));
  std::vector<std::uint64_t> shifts;
  for (const Note& other : notes)
    shifts.push_back(base::load_little<std::uint64_t>(other, 0).value_or(0) % mpi_piece_alignment);
  std::vector<std::byte*> pieces(ranks(), nullptr);
  pieces[rank()] = allocation.own();
  return std::make_unique<MpiRemoteWindow>(MpiMemory{.communicator = communicator_,
                                                     .window = allocation.window,
                                                     .rank = rank(),
                                                     .size = allocation.size,
                                                     .pieces = std::move(pieces),
                                                     .shifts = std::move(shifts)},
                                           std::move(lease));
}

Result<std::unique_ptr<Transport>> MpiTransport::split(std::span<const std::uint32_t> members, Deadline deadline) {
  return base::contain("splitting ranks over MPI", [&]() -> Result<std::unique_ptr<Transport>> {
    const auto unknown = std::ranges::find_if(members, [&](std::uint32_t member) { return member >= ranks(); });
    if (unknown != members.end())
      return Error(Errc::invalid_argument,
                   fmt::format("Member ({}) of a split is no rank of ({}).", *unknown, ranks()));
    const auto place = std::ranges::find(members, rank());
    if (place == members.end())
      return Error(Errc::invalid_argument, fmt::format("Rank ({}) is not among the members of its split.", rank()));
    return split_together(Members(members.begin(), members.end()), static_cast<std::uint32_t>(place - members.begin()),
                          deadline);
  });
}

Result<std::unique_ptr<Transport>> MpiTransport::split_together(const Members& members, std::uint32_t place,
                                                                Deadline deadline) {
  const Exchange exchange = meeting(members, MpiMeeting::of_some);
  PINTLE_ASSIGN(arrivals, arrive(members, {.subject = digest_of(members)}, exchange, deadline));
  PINTLE_TRY(check_members(arrivals));
  const std::vector<int> numbers(members.begin(), members.end());
  std::uint64_t part = 0;
  const int number =
      functions().split(communicator_->handle(), numbers.data(), static_cast<int>(numbers.size()), &part);
  PINTLE_TRY(
      agree(mpi_done(functions(), number, "make a communicator of ({}) ranks", numbers.size()), exchange, deadline));
  auto communicator = std::make_shared<const MpiCommunicator>(functions(), part);
  std::vector<MpiRank> some;
  for (const std::uint32_t member : members) some.push_back(all_[member]);
  return std::make_unique<MpiTransport>(std::move(communicator), place, std::move(some), reach_);
}

std::optional<std::string> MpiTransport::loss(std::uint32_t rank) const noexcept {
  const auto& watch = all_[rank].watch;
  if (watch == nullptr || !watch->has_ended()) return std::nullopt;
  const auto words = base::contain("naming a process", [&]() -> Result<std::string> {
    return fmt::format("its process {} has ended", watch->process());
  });
  return words ? *words : std::string();
}

void MpiTransport::sleep(const std::uint32_t* word, std::uint32_t seen, Deadline until) noexcept {
  if (!has_remote_windows_.load(std::memory_order_relaxed)) return base::futex_wait(word, seen, until);
  // No rank wakes another across hosts: look at MPI, and again soon.
  functions().progress(communicator_->handle(), 0);
  std::this_thread::yield();
  if (std::atomic_ref(*const_cast<std::uint32_t*>(word)).load(std::memory_order_acquire) != seen) return;
  constexpr auto nap = std::chrono::microseconds(50);
  const auto now = Clock::now();
  if (now < until) std::this_thread::sleep_for(std::min<Duration>(nap, until - now));
}

void MpiTransport::wake(std::uint32_t* word) noexcept { base::futex_wake(word); }

}  // namespace pintle::collective
