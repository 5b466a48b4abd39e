// Compiled code of the plug-in for one set of sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/pjrt/client.h"

namespace pintle::pjrt {

/// Code in a form that the plug-in takes.
struct Code {
  enum class Kind : std::uint8_t {
    mlir,  ///< StableHLO as text or as portable bytecode.
    own,   ///< An executable that the plug-in has serialized.
  };
  Kind kind = Kind::mlir;
  std::string bytes;
};

/// Immutable and thread-safe.
class Executable {
 public:
  /// Whether somebody asks for the end of an execution.
  enum class End : std::uint8_t { asked, not_asked };

  /// Compiles, or takes what an earlier process has compiled: `build_failed` has the plug-in's words. `what` is a part
  /// of messages: "Entry "f" of [Program "p"]".
  [[nodiscard]] static Result<std::shared_ptr<const Executable>> make(const Client& client, const Code& code,
                                                                      const std::string& what);

  [[nodiscard]] std::span<const SharedType> results() const noexcept { return results_; }
  /// May run the program before it returns. The plug-in may write results over arguments that the code gives up, but
  /// for those numbered in `kept`. `outputs` has a place for each result, which may not be computed yet; they are the
  /// caller's to destroy. The event comes when all is computed; there is none where nobody asks for it.
  [[nodiscard]] Result<Owned<pj::Event>> execute(const Client& client, std::span<const pj::Buffer> arguments,
                                                 std::span<const std::int64_t> kept, std::span<pj::Buffer> outputs,
                                                 End end) const;

 private:
  explicit Executable(Owned<pj::LoadedExecutable> loaded) noexcept : loaded_(std::move(loaded)) {}
  [[nodiscard]] static Result<std::shared_ptr<const Executable>> finish(const Client& client,
                                                                        Owned<pj::LoadedExecutable> loaded);

  Owned<pj::LoadedExecutable> loaded_;
  std::vector<SharedType> results_;
};

}  // namespace pintle::pjrt
