// Ranks that mpirun has started.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "collective/mpi/mpi_arrival.h"
#include "collective/mpi/mpi_meeting.h"
#include "collective/mpi/mpi_native.h"
#include "collective/mpi/mpi_window.h"
#include "collective/transport.h"

namespace pintle::collective {

/// How ranks reach windows.
enum class Reach : std::uint8_t {
  any = 1,          ///< MPI's shared memory where all ranks are on one host.
  remote_only = 2,  ///< MPI's one-sided operations everywhere, as between hosts.
};

/// Whether this process was started by an MPI launcher.
[[nodiscard]] bool is_mpi_job() noexcept;

/// All ranks of the job. Collective; may be called again. Initialises MPI unless the program has done so. MPI that was
/// initialised here is finalised when the process ends. `unavailable` without a plug-in, `unsupported` where MPI grants
/// less than MPI_THREAD_MULTIPLE, `timeout` when not all ranks have come.
[[nodiscard]] Result<std::unique_ptr<Transport>> join_mpi(Deadline deadline, Reach reach = Reach::any);
[[nodiscard]] Result<std::unique_ptr<Transport>> join_mpi(const MpiFunctions& functions, Deadline deadline,
                                                          Reach reach = Reach::any);

/// Where a rank runs, as it says itself.
struct MpiPlace {
  std::uint32_t world_rank = 0;
  std::uint32_t host = 0;        ///< The lowest rank of MPI_COMM_WORLD on the same host.
  std::uint32_t neighbours = 0;  ///< Ranks of MPI_COMM_WORLD on the same host, this one counted.
  std::uint64_t process = 0;
  std::array<char, 32> process_numbers{};  ///< Which set of process numbers `process` belongs to; empty: not known.

  /// Whether the other's process number means something here.
  [[nodiscard]] bool can_watch(const MpiPlace& other) const noexcept;
};

struct MpiRank {
  MpiPlace place{};
  std::shared_ptr<const base::ProcessWatch> watch{};  ///< Null for this process and those out of sight.
};

/// Whether another group can have several ranks on a host where this group has several.
[[nodiscard]] bool shares_hosts(std::span<const MpiRank> group) noexcept;

class MpiTransport final : public Transport {
 public:
  MpiTransport(std::shared_ptr<const MpiCommunicator> communicator, std::uint32_t rank, std::vector<MpiRank> all,
               Reach reach);

  [[nodiscard]] std::string_view name() const noexcept override { return "mpi"; }
  /// `exchange` is not needed. Every rank meets the others before a call of MPI's that has no deadline.
  [[nodiscard]] Result<std::unique_ptr<Window>> create_window(std::uint64_t bytes, const Exchange& exchange,
                                                              Deadline deadline) override;
  [[nodiscard]] Result<std::unique_ptr<Transport>> split(std::span<const std::uint32_t> members,
                                                         Deadline deadline) override;
  /// For processes of this host only.
  [[nodiscard]] std::optional<std::string> loss(std::uint32_t rank) const noexcept override;
  [[nodiscard]] bool survives_loss() const noexcept override { return false; }
  void sleep(const std::uint32_t* word, std::uint32_t seen, Deadline until) noexcept override;
  void wake(std::uint32_t* word) noexcept override;
  [[nodiscard]] NativeCollectives* native() noexcept override { return &native_; }

 private:
  struct Allocation;
  using Members = std::vector<std::uint32_t>;

  [[nodiscard]] const MpiFunctions& functions() const noexcept { return communicator_->functions(); }
  /// The members that meet are ranks here; `world_ranks` answers what they are in MPI_COMM_WORLD.
  [[nodiscard]] Exchange meeting(Members members, MpiMeeting kind);
  [[nodiscard]] Members everybody() const;
  [[nodiscard]] Members world_ranks(const Members& members) const;
  [[nodiscard]] Result<std::vector<MpiArrival>> arrive(const Members& members, MpiArrival own, const Exchange& exchange,
                                                       Deadline deadline) const;

  [[nodiscard]] Result<std::unique_ptr<Window>> create_together(std::uint64_t bytes, const Exchange& exchange,
                                                                Deadline deadline);
  [[nodiscard]] bool takes_shared(std::uint64_t bytes, std::span<const MpiArrival> arrivals) const noexcept;
  [[nodiscard]] Result<Allocation> allocate(std::uint64_t bytes, std::span<const MpiArrival> arrivals) const;
  [[nodiscard]] Result<std::unique_ptr<Window>> open_shared(const Allocation& allocation, MpiLease lease,
                                                            const Exchange& exchange, Deadline deadline) const;
  [[nodiscard]] Result<std::unique_ptr<Window>> open_remote(const Allocation& allocation, MpiLease lease,
                                                            const Exchange& exchange, Deadline deadline);
  [[nodiscard]] Result<std::unique_ptr<Transport>> split_together(const Members& members, std::uint32_t place,
                                                                  Deadline deadline);

  const std::shared_ptr<const MpiCommunicator> communicator_;
  const std::vector<MpiRank> all_;
  const Reach reach_;
  const bool is_one_host_;
  std::atomic<bool> has_remote_windows_;
  std::optional<Error> failed_;  // a meeting that did not come about: its notes may still arrive
  MpiCollectives native_;
};

}  // namespace pintle::collective
