// How ranks of MPI tell each other something with a deadline: MPI's own collectives have none and do not name the
// rank that is late.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collective/mpi/mpi_plugin.h"
#include "collective/transport.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// A communicator, freed with its last user: local in the MPIs that there are, though the standard calls it collective.
class MpiCommunicator {
 public:
  MpiCommunicator(const MpiFunctions& functions, std::uint64_t handle) noexcept
      : functions_(functions), handle_(handle) {}
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() { functions_.free_communicator(handle_); }

  [[nodiscard]] const MpiFunctions& functions() const noexcept { return functions_; }
  [[nodiscard]] std::uint64_t handle() const noexcept { return handle_; }

 private:
  const MpiFunctions& functions_;
  const std::uint64_t handle_;
};

/// For memory that MPI may still write, since its requests were given up and cannot be taken back.
void leave_to_mpi(std::shared_ptr<void> memory);

/// What separates meetings of all from meetings of some, which cross on the same communicator.
enum class MpiMeeting : int { of_all = 1, of_some = 2 };

/// Gives `own` to each of `members`, `rank` among them, and answers theirs in the order of `members`. `timeout` names
/// the ranks that have not come. The communicator cannot be met on again after a failure, since late messages would be
/// taken for others.
[[nodiscard]] Result<std::vector<Note>> meet(const std::shared_ptr<const MpiCommunicator>& communicator,
                                             std::uint32_t rank, std::span<const std::uint32_t> members,
                                             MpiMeeting meeting, const Note& own, Deadline deadline);

/// Waits for one request. Answers whether it was done by the deadline.
[[nodiscard]] Result<bool> wait_for(const MpiFunctions& functions, std::uint64_t& request, Deadline deadline);

/// Between two looks at something that others bring about: gives the processor away, later sleeps some microseconds.
class MpiPatience {
 public:
  void rest(Deadline until) noexcept;

 private:
  std::uint32_t looks_ = 0;
};

}  // namespace pintle::collective
