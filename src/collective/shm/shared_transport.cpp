#include "collective/shm/shared_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "base/futex.h"
#include "collective/shm/shared_window.h"

namespace pintle::collective {
namespace {

std::vector<std::uint64_t> processes_of(std::span<const std::shared_ptr<const base::ProcessWatch>> watches) {
  std::vector<std::uint64_t> processes;
  for (const auto& watch : watches) processes.push_back(watch->process());
  return processes;
}

}  // namespace

SharedTransport::SharedTransport(std::uint32_t rank, std::uint32_t ranks, std::vector<Watch> watches)
    : Transport(rank, ranks), watches_(std::move(watches)), processes_(processes_of(watches_)) {}

Result<std::unique_ptr<Transport>> SharedTransport::create(const Rendezvous& rendezvous, std::uint32_t rank,
                                                           std::uint64_t generation) {
  return base::contain("creating a transport", [&]() -> Result<std::unique_ptr<Transport>> {
    std::vector<Watch> watches;
    for (std::uint32_t other = 0; rendezvous.is_shared() && other < rendezvous.ranks(); ++other) {
      PINTLE_ASSIGN(process, rendezvous.process(other, generation));
      watches.push_back(std::make_shared<base::ProcessWatch>(process));
    }
    return std::unique_ptr<Transport>(new SharedTransport(rank, rendezvous.ranks(), std::move(watches)));
  });
}

Result<std::unique_ptr<Window>> SharedTransport::create_window(std::uint64_t bytes, const Exchange& exchange,
                                                               Deadline deadline) {
  return base::contain("creating a window", [&] {
    const WindowMembers members{.rank = rank(), .ranks = ranks(), .processes = processes_};
    return create_shared_window(members, bytes, exchange, deadline);
  });
}

Result<std::unique_ptr<Transport>> SharedTransport::split(std::span<const std::uint32_t> members, Deadline) {
  return base::contain("splitting a transport", [&]() -> Result<std::unique_ptr<Transport>> {
    const auto own = std::ranges::find(members, rank());
    if (own == members.end() || std::ranges::max(members) >= ranks()) {
      return Error(Errc::invalid_argument,
                   fmt::format("Members are not ranks below {}, rank {} among them.", ranks(), rank()));
    }
    std::vector<Watch> watches;
    for (const std::uint32_t member : members) {
      if (!watches_.empty()) watches.push_back(watches_[member]);
    }
    return std::unique_ptr<Transport>(new SharedTransport(static_cast<std::uint32_t>(own - members.begin()),
                                                          static_cast<std::uint32_t>(members.size()),
                                                          std::move(watches)));
  });
}

std::optional<std::string> SharedTransport::loss(std::uint32_t rank) const noexcept {
  if (watches_.empty() || !watches_[rank]->has_ended()) return std::nullopt;
  try {
    return fmt::format("its process {} has ended", processes_[rank]);
  } catch (...) {
    return std::string();  // out of memory: lost all the same
  }
}

void SharedTransport::sleep(const std::uint32_t* word, std::uint32_t seen, Deadline until) noexcept {
  base::futex_wait(word, seen, until);
}

void SharedTransport::wake(std::uint32_t* word) noexcept { base::futex_wake(word); }

}  // namespace pintle::collective
