// Joining the job: MPI is started, the ranks are counted and tell each other where they run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/contain.h"
#include "base/platform.h"
#include "collective/mpi/mpi_transport.h"

namespace pintle::collective {
namespace {

/// What MPI writes when the copy of MPI_COMM_WORLD is made.
struct Copy {
  std::uint64_t communicator = 0;
  std::uint64_t request = 0;
};

Result<void> start(const MpiFunctions& functions) {
  constexpr std::array names{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                             "MPI_THREAD_MULTIPLE"};
  int level = 0;
  PINTLE_TRY(mpi_done(functions, functions.start(&level), "start"));
  if (level >= vendor::mpi::thread_multiple) return {};
  const auto known = static_cast<std::size_t>(std::max(level, 0));
  return Error(
      Errc::unsupported,
      fmt::format("Thread level of MPI ({}) is lower than what is needed ({}): a program that starts MPI itself "
                  "asks MPI_Init_thread for it.",
                  names[known], names.back()));
}

Result<std::shared_ptr<const MpiCommunicator>> copy_world(const MpiFunctions& functions, Deadline deadline) {
  auto copy = std::make_shared<Copy>();
  PINTLE_TRY(mpi_done(functions, functions.copy_world(&copy->communicator, &copy->request), "copy MPI_COMM_WORLD"));
  const auto is_done = wait_for(functions, copy->request, deadline);
  if (is_done && *is_done) return std::make_shared<const MpiCommunicator>(functions, copy->communicator);
  leave_to_mpi(std::move(copy));
  if (!is_done) return is_done.error();
  return Error(Errc::timeout,
               "Not all ranks of the MPI job joined by the deadline; MPI does not say which are missing.");
}

std::array<char, 32> process_numbers() {
  std::array<char, 32> name{};
  std::error_code failure;
  const std::string link = std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
  if (link.size() < name.size()) std::ranges::copy(link, name.begin());
  return name;
}

MpiPlace place_of(const Note& note) noexcept {
  MpiPlace place;
  std::memcpy(&place, note.data(), sizeof place);
  place.process_numbers.back() = '\0';
  return place;
}

Result<std::vector<MpiRank>> tell_places(const std::shared_ptr<const MpiCommunicator>& communicator, std::uint32_t rank,
                                         std::uint32_t ranks, Deadline deadline) {
  int host = 0;
  const MpiFunctions& functions = communicator->functions();
  PINTLE_TRY(mpi_done(functions, functions.host(communicator->handle(), &host), "tell which ranks share a host"));
  const MpiPlace own{.world_rank = rank,
                     .host = static_cast<std::uint32_t>(host),
                     .process = base::process_id(),
                     .process_numbers = process_numbers()};
  static_assert(sizeof own <= sizeof(Note));
  Note note{};
  std::memcpy(note.data(), &own, sizeof own);
  std::vector<std::uint32_t> everybody(ranks);
  std::iota(everybody.begin(), everybody.end(), 0u);
  PINTLE_ASSIGN(notes, meet(communicator, rank, everybody, MpiMeeting::of_all, note, deadline));
  std::vector<MpiRank> all;
  for (std::uint32_t other = 0; other < ranks; ++other) {
    MpiPlace place = place_of(notes[other]);
    place.world_rank = other;
    const bool is_watched = other != rank && own.can_watch(place);
    all.push_back({place, is_watched ? std::make_shared<const base::ProcessWatch>(place.process) : nullptr});
  }
  for (MpiRank& one : all) {
    one.place.neighbours = static_cast<std::uint32_t>(
        std::ranges::count(all, one.place.host, [](const MpiRank& other) { return other.place.host; }));
  }
  return all;
}

}  // namespace

bool MpiPlace::can_watch(const MpiPlace& other) const noexcept {
  return host == other.host && process_numbers[0] != '\0' && process_numbers == other.process_numbers;
}

bool is_mpi_job() noexcept {
  constexpr std::array names{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  return std::ranges::any_of(names, [](const char* name) { return base::variable(name) != nullptr; });
}

Result<std::unique_ptr<Transport>> join_mpi(const MpiFunctions& functions, Deadline deadline, Reach reach) {
  return base::contain("joining over MPI", [&]() -> Result<std::unique_ptr<Transport>> {
    PINTLE_TRY(start(functions));
    PINTLE_ASSIGN(communicator, copy_world(functions, deadline));
    int rank = 0, ranks = 0;
    PINTLE_TRY(mpi_done(functions, functions.place(communicator->handle(), &rank, &ranks), "count its ranks"));
    PINTLE_ASSIGN(
        all, tell_places(communicator, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks), deadline));
    return std::make_unique<MpiTransport>(communicator, static_cast<std::uint32_t>(rank), std::move(all), reach);
  });
}

Result<std::unique_ptr<Transport>> join_mpi(Deadline deadline, Reach reach) {
  PINTLE_ASSIGN(functions, open_mpi_plugin());
  return join_mpi(*functions, deadline, reach);
}

}  // namespace pintle::collective
