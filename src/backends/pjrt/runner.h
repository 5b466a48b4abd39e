// The commands of the seam on blocks and executables.
#pragma once

#include <chrono>

#include "backends/pjrt/flight.h"
#include "backends/pjrt/memory.h"
#include "backends/pjrt/program.h"
#include "pintle/backend/driver.h"

namespace pintle::pjrt {

/// Runs commands of one list, one after another, for one flight. What a command reads may not be computed yet: the
/// plug-in orders launches by their tensors, and whoever needs bytes waits for them.
class Runner {
 public:
  Runner(const Client& client, Flight& flight, const backend::Commands& list) noexcept
      : client_(client), flight_(flight), list_(list) {}

  [[nodiscard]] Result<void> run(const backend::Command& command) { return std::visit(*this, command.operation); }

  Result<void> operator()(const backend::Copy& copy);
  Result<void> operator()(const backend::Fill& fill);
  Result<void> operator()(const backend::Upload& upload);
  Result<void> operator()(const backend::Download& download);
  Result<void> operator()(const backend::Exec& exec);
  /// Reads the grid here: a count of zero runs nothing.
  Result<void> operator()(const backend::ExecIndirect& indirect);
  /// The clock is the host's; everything before is done.
  Result<void> operator()(const backend::Timestamp& timestamp);
  /// The queue makes host calls, core replays, and there are no images.
  template <class Other>
  Result<void> operator()(const Other&) {
    return Error(Errc::internal, "A command that this device does not take is left in a list for it.");
  }

 private:
  /// The tensors of a launch, by argument of the function.
  struct Inputs {
    std::vector<SharedTensor> tensors{};
    std::vector<pj::Buffer> buffers{};  ///< The same.
    std::vector<std::int64_t> kept{};   ///< Those that the program must not write its results over.
  };

  void make_room(const Kernel& kernel, const Executable& executable);
  [[nodiscard]] Result<void> execute(const Kernel& kernel, const Variant& variant,
                                     std::span<const backend::Argument> arguments);
  [[nodiscard]] Result<void> check_sizes(const Kernel& kernel, const Variant& variant,
                                         std::span<const backend::Argument> arguments) const;
  [[nodiscard]] Result<void> gather(Kernel& kernel, const Variant& variant,
                                    std::span<const backend::Argument> arguments);
  void give_back(const Kernel& kernel, const Variant& variant, std::span<const backend::Argument> arguments) const;

  const Client& client_;
  Flight& flight_;
  const backend::Commands& list_;
  Inputs inputs_;  // of the launch at hand, as the next two: their memory serves the whole list
  std::vector<pj::Buffer> outputs_;
  std::vector<Owned<pj::Buffer>> results_;
};

/// How long a command keeps the thread that runs it, at most, as far as it is known: `unknown` for what may take long.
[[nodiscard]] std::chrono::nanoseconds estimate(const backend::Command& command, const backend::Commands& list);

}  // namespace pintle::pjrt
