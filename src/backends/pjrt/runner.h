// The commands of the seam on blocks and executables.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/pjrt/flight.h"
#include "backends/pjrt/memory.h"
#include "backends/pjrt/program.h"
#include "pintle/backend/driver.h"

namespace pintle::pjrt {

/// Runs commands of one list, one after another, for one flight. What a command reads may not be computed yet: the
/// plug-in orders launches by their tensors, and whoever needs bytes waits for them.
class Runner {
 public:
  /// What the launch at hand takes and gives. Its memory serves all launches of a queue.
  class Space {
   private:
    friend class Runner;
    std::vector<SharedTensor> tensors_;  // by argument of the function, as the next
    std::vector<pj::Buffer> buffers_;
    std::vector<std::int64_t> kept_;  // those that the program must not write its results over
    std::vector<pj::Buffer> outputs_;
    std::vector<Owned<pj::Buffer>> results_;
  };

  Runner(const Client& client, Flight& flight, const backend::Commands& list, Space& space) noexcept
      : client_(client), flight_(flight), list_(list), space_(space) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  /// A tensor that stayed in the space would count as shared.
  ~Runner() {
    space_.tensors_.clear();
    space_.results_.clear();
  }

  /// Runs the whole list. `found` has the variant of each launch at its place, as far as it is known.
  [[nodiscard]] Result<void> run_all(std::span<const SharedVariant> found);
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
  void make_room(const Kernel& kernel, const Executable& executable);
  [[nodiscard]] Result<void> execute(const backend::Exec& exec, const Variant& variant);
  [[nodiscard]] bool is_taken_next(const backend::Exec& exec, const Variant& variant) const;
  void await_untold();
  [[nodiscard]] Result<void> check_sizes(const Kernel& kernel, const Variant& variant,
                                         std::span<const backend::Argument> arguments) const;
  [[nodiscard]] Result<void> gather(Kernel& kernel, const Variant& variant,
                                    std::span<const backend::Argument> arguments);
  void give_back(const Kernel& kernel, const Variant& variant, std::span<const backend::Argument> arguments) const;

  const Client& client_;
  Flight& flight_;
  const backend::Commands& list_;
  Space& space_;
  SharedVariant found_;                    // of the launch at hand; null: not known yet
  const backend::Exec* next_ = nullptr;    // the launch behind the one at hand
  const backend::Exec* untold_ = nullptr;  // the last launch, where its end was not asked for
};

/// How long a command keeps the thread that runs it, at most, as far as it is known.
struct Estimate {
  std::chrono::nanoseconds took = RunTime::unknown;  ///< `unknown` for what may take long.
  SharedVariant variant{};                           ///< A launch's, where it has been compiled.
};
[[nodiscard]] Estimate estimate(const backend::Command& command, const backend::Commands& list);

}  // namespace pintle::pjrt
