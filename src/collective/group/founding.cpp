#include "collective/group/founding.h"

#include "collective/shm/shared_transport.h"

namespace pintle::collective {
namespace {

using State = std::shared_ptr<GroupState>;

Result<State> found_in(const std::shared_ptr<Rendezvous>& rendezvous, std::uint32_t rank, std::uint64_t generation,
                       const std::string& label, Deadline deadline) {
  PINTLE_ASSIGN(transport, SharedTransport::create(*rendezvous, rank, generation));
  const Exchange exchange = rendezvous->exchange(rank, generation);
  return GroupState::create({std::move(transport), rendezvous, label, generation}, exchange, deadline);
}

/// Whether a rank has ended or has gone on. The ranks learn when they meet again whether another process takes its
/// place.
bool has_lost_a_rank(const Error& error) noexcept {
  return error.code() == Errc::peer_lost || error.code() == Errc::stale;
}

}  // namespace

Result<State> found(std::shared_ptr<Rendezvous> rendezvous, std::uint32_t rank, std::uint64_t generation,
                    const std::string& label, Deadline deadline) {
  while (true) {
    PINTLE_ASSIGN(arrived, rendezvous->arrive(rank, generation, deadline));
    auto state = found_in(rendezvous, rank, arrived, label, deadline);
    if (state || !rendezvous->is_shared() || !has_lost_a_rank(state.error())) return state;
    generation = arrived + 1;
  }
}

}  // namespace pintle::collective
