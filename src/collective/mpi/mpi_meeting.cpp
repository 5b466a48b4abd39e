#include "collective/mpi/mpi_meeting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "base/contain.h"
#include "base/mutex.h"

namespace pintle::collective {
namespace {

/// Memory that MPI reads and writes until its requests are done.
struct Letters {
  std::shared_ptr<const MpiCommunicator> communicator;  // the requests need it
  Note own{};
  std::vector<Note> notes;
  std::vector<std::uint64_t> sends, receives;  // by member
  std::vector<bool> is_sent, is_received;
};

Result<void> post(Letters& letters, std::uint32_t rank, std::span<const std::uint32_t> members, MpiMeeting meeting) {
  const MpiFunctions& functions = letters.communicator->functions();
  const std::uint64_t handle = letters.communicator->handle();
  constexpr int bytes = sizeof(Note);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] == rank) continue;
    const int other = static_cast<int>(members[i]);
    const int tag = std::to_underlying(meeting);
    PINTLE_TRY(mpi_done(functions,
                        functions.receive(handle, other, tag, letters.notes[i].data(), bytes, &letters.receives[i]),
                        "receive a note from rank {}", other));
    letters.is_received[i] = false;
    PINTLE_TRY(mpi_done(functions, functions.send(handle, other, tag, letters.own.data(), bytes, &letters.sends[i]),
                        "send a note to rank {}", other));
    letters.is_sent[i] = false;
  }
  return {};
}

/// Whether all requests are done now.
Result<bool> look(const MpiFunctions& functions, std::vector<std::uint64_t>& requests, std::vector<bool>& is_done) {
  bool are_all_done = true;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_done[i]) continue;
    int yes = 0;
    PINTLE_TRY(mpi_done(functions, functions.test(&requests[i], &yes), "test a request"));
    is_done[i] = yes != 0;
    are_all_done = are_all_done && is_done[i];
  }
  return are_all_done;
}

Error too_late(const Letters& letters, std::span<const std::uint32_t> members) {
  std::vector<std::uint32_t> missing;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!letters.is_received[i] || !letters.is_sent[i]) missing.push_back(members[i]);
  return {Errc::timeout, fmt::format("{} of ({}) ranks over MPI did not come by the deadline: rank {}.", missing.size(),
                                     members.size(), fmt::join(missing, ", "))};
}

Result<void> wait_for_all(Letters& letters, std::span<const std::uint32_t> members, Deadline deadline) {
  const MpiFunctions& functions = letters.communicator->functions();
  for (MpiPatience patience;; patience.rest(deadline)) {
    const bool is_last_look = Clock::now() >= deadline;
    PINTLE_ASSIGN(is_received, look(functions, letters.receives, letters.is_received));
    PINTLE_ASSIGN(is_sent, look(functions, letters.sends, letters.is_sent));
    if (is_received && is_sent) return {};
    if (is_last_look) return too_late(letters, members);
  }
}

}  // namespace

void leave_to_mpi(std::shared_ptr<void> memory) {
  static base::Mutex mutex;
  static auto& all = *new std::vector<std::shared_ptr<void>>;
  const std::scoped_lock lock(mutex);
  all.push_back(std::move(memory));
}

void MpiPatience::rest(Deadline until) noexcept {
  constexpr std::uint32_t yields = 200;
  constexpr auto nap = std::chrono::microseconds(50);
  if (++looks_ < yields) return std::this_thread::yield();
  const auto now = Clock::now();
  if (now < until) std::this_thread::sleep_for(std::min<Duration>(nap, until - now));
}

Result<bool> wait_for(const MpiFunctions& functions, std::uint64_t& request, Deadline deadline) {
  for (MpiPatience patience;; patience.rest(deadline)) {
    const bool is_last_look = Clock::now() >= deadline;
    int is_done = 0;
    PINTLE_TRY(mpi_done(functions, functions.test(&request, &is_done), "test a request"));
    if (is_done != 0 || is_last_look) return is_done != 0;
  }
}

Result<std::vector<Note>> meet(const std::shared_ptr<const MpiCommunicator>& communicator, std::uint32_t rank,
                               std::span<const std::uint32_t> members, MpiMeeting meeting, const Note& own,
                               Deadline deadline) {
  return base::contain("meeting over MPI", [&]() -> Result<std::vector<Note>> {
    const std::size_t count = members.size();
    auto letters = std::make_shared<Letters>();
    letters->communicator = communicator;
    letters->own = own;
    letters->notes.assign(count, own);
    letters->sends.assign(count, 0);
    letters->receives.assign(count, 0);
    letters->is_sent.assign(count, true);
    letters->is_received.assign(count, true);
    Result<void> met = post(*letters, rank, members, meeting);
    if (met) met = wait_for_all(*letters, members, deadline);
    if (met) return std::move(letters->notes);
    leave_to_mpi(std::move(letters));
    return met.error();
  });
}

}  // namespace pintle::collective
