// Handles by their names: a model's whole state, checkpointed, restored, saved and loaded at once.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/handle.h"

namespace pintle {

/// The differences that a file may have from the set that it is loaded into. `not_found` for a name of `reuse_last`
/// that the set does not have, and for a name of `ignore` that the file does not have; `invalid_argument` for a name of
/// `ignore` that a handle has.
struct HandleLoadOptions {
  std::vector<std::string> reuse_last{};  ///< Handles that may be missing from the file: they keep what they hold.
  std::vector<std::string> ignore{};      ///< Tensors of the file that no handle takes.
};

/// Handles of one device, each with a name of its own. A call that concerns all of them is one submission, so it
/// happens to all or to none. The set drops no handle. Move-only; one thread at a time.
class HandleSet {
 public:
  HandleSet() noexcept = default;
  HandleSet(HandleSet&&) noexcept = default;
  HandleSet& operator=(HandleSet&&) noexcept = default;
  HandleSet(const HandleSet&) = delete;
  HandleSet& operator=(const HandleSet&) = delete;

  /// Takes the handle and returns its address, which is valid as long as the set lives, also where the set is moved.
  /// The caller must not move from the handle there or assign to it: the set answers `invalid_argument` from then on.
  /// `invalid_argument` for a name that is there already; then the handle stays the caller's.
  Result<Handle*> add(Handle&& handle);
  /// The handle of this name. `not_found` lists the names of the set.
  [[nodiscard]] Result<Handle*> find(std::string_view name);
  /// The names, in ascending order; empty where host memory runs out.
  [[nodiscard]] std::vector<std::string> names() const noexcept;

  /// Makes a checkpoint of every handle with a host shadow, at one point: after a loss all of them go back to the same
  /// one. Blocks as `Handle::checkpoint` does.
  Result<Point> checkpoint(Queue& queue, Timeout timeout = {});
  /// Restores each handle by its Keep. `stale` lists the handles of `lost()`, and then none is restored: `write` or
  /// `renew` them first. A handle that is not stale and has nothing kept stays as it is.
  Result<Point> restore(Queue& queue, Timeout timeout = {});
  /// The names of the handles that are stale and have nothing kept that `restore` could put back.
  [[nodiscard]] Result<std::vector<std::string>> lost();

  /// Writes the front of every handle to a safetensors file, as it is after everything submitted to `queue` before. The
  /// same state gives the same bytes. Blocks until the device is done, or until `timeout`. The file appears whole or
  /// not at all, also where it replaces an old one. Errors: `stale` for a stale handle; `invalid_argument` for a bool
  /// that is neither 0 nor 1; `io`.
  Result<void> save(Queue& queue, const std::filesystem::path& path, Timeout timeout = {});
  /// Writes every handle from a safetensors file, like `Handle::write`: after everything submitted to `queue` before,
  /// and with new memory for a stale handle. The file must hold a tensor for each handle, of its dtype and shape, and
  /// no other tensor. Errors: `not_found` lists the names that are missing on either side; `invalid_argument` has both
  /// dtypes or shapes; `stale` for a stale handle that `reuse_last` names and the file lacks. On an error nothing is
  /// written. The file is mapped until the point is reached: another file may be renamed over it meanwhile, but it must
  /// not be cut short.
  Result<Point> load(Queue& queue, const std::filesystem::path& path, const HandleLoadOptions& options = {},
                     Timeout timeout = {});

 private:
  /// The handles in the order of their names. `invalid_argument` where one is not the handle that was added.
  [[nodiscard]] Result<std::vector<memory::HandleState*>> states() const;

  std::map<std::string, Handle, std::less<>> handles_;
};

}  // namespace pintle
