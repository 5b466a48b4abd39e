// The transports "threads" and "shm": ranks that map each other's memory, in one process or in several of one host.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "collective/shm/rendezvous.h"
#include "collective/transport.h"

namespace pintle::collective {

class SharedTransport final : public Transport {
 public:
  /// Among all ranks of the rendezvous, which have arrived for `generation`: "shm" where they are processes, else
  /// "threads". An error where a rank has gone on since.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> create(const Rendezvous& rendezvous, std::uint32_t rank,
                                                                 std::uint64_t generation);

  [[nodiscard]] std::string_view name() const noexcept override { return watches_.empty() ? "threads" : "shm"; }
  [[nodiscard]] Result<std::unique_ptr<Window>> create_window(std::uint64_t bytes, const Exchange& exchange,
                                                              Deadline deadline) override;
  [[nodiscard]] Result<std::unique_ptr<Transport>> split(std::span<const std::uint32_t> members,
                                                         Deadline deadline) override;
  [[nodiscard]] std::optional<std::string> loss(std::uint32_t rank) const noexcept override;
  [[nodiscard]] bool shares_memory() const noexcept override { return watches_.empty(); }
  void sleep(const std::uint32_t* word, std::uint32_t seen, Deadline until) noexcept override;
  void wake(std::uint32_t* word) noexcept override;

 private:
  using Watch = std::shared_ptr<const base::ProcessWatch>;

  SharedTransport(std::uint32_t rank, std::uint32_t ranks, std::vector<Watch> watches);

  const std::vector<Watch> watches_;            // by rank; none where ranks are threads
  const std::vector<std::uint64_t> processes_;  // likewise
};

}  // namespace pintle::collective
