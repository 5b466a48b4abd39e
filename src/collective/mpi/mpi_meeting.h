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

/// A communicator that is freed with its last user. Freeing is local in the MPIs that there are, though the standard
/// calls it collective.
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

/// Keeps memory for ever that MPI may still write: its requests were given up and cannot be taken back.
void leave_to_mpi(std::shared_ptr<void> memory);

/// The tag that separates meetings of all ranks from meetings of some: both may use one communicator at the same time.
enum class MpiMeeting : int { of_all = 1, of_some = 2 };

/// Gives `own` to each of `members`, `rank` among them, and returns their notes in the order of `members`. `timeout`
/// names the ranks that have not come. After a failure no meeting may use the communicator again, since it would take
/// late messages for its own.
[[nodiscard]] Result<std::vector<Note>> meet(const std::shared_ptr<const MpiCommunicator>& communicator,
                                             std::uint32_t rank, std::span<const std::uint32_t> members,
                                             MpiMeeting meeting, const Note& own, Deadline deadline);

/// Waits for one request. Returns whether it was done by the deadline.
[[nodiscard]] Result<bool> wait_for(const MpiFunctions& functions, std::uint64_t& request, Deadline deadline);

/// Rests between two looks at something that other ranks bring about: first yields the processor, later sleeps some
/// microseconds.
class MpiPatience {
 public:
  void rest(Deadline until) noexcept;

 private:
  std::uint32_t looks_ = 0;
};

}  // namespace pintle::collective
