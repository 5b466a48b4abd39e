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

/// In what a file may differ from the set that it is loaded into. A name here that the set or the file has not is
/// `not_found`.
struct HandleLoadOptions {
  std::vector<std::string> reuse_last{};  ///< Handles that may be missing from the file: they keep what they hold.
  std::vector<std::string> ignore{};      ///< Tensors of the file that no handle takes.
};

/// Handles of one device, each name once. What concerns them all is one submission, so it happens to all or to none.
/// It drops none of its own accord. Move-only; one thread at a time.
class HandleSet {
 public:
  HandleSet() noexcept = default;
  HandleSet(HandleSet&&) noexcept = default;
  HandleSet& operator=(HandleSet&&) noexcept = default;
  HandleSet(const HandleSet&) = delete;
  HandleSet& operator=(const HandleSet&) = delete;

  /// Takes the handle, and answers where it is as long as the set lives, wherever that is moved to. It is not to be
  /// moved from or assigned to there: the set answers `invalid_argument` from then on.
  /// `invalid_argument` for a name that is there already; then the handle stays the caller's.
  Result<Handle*> add(Handle&& handle);
  /// `not_found` lists the names that there are.
  [[nodiscard]] Result<Handle*> find(std::string_view name);
  /// In ascending order; empty where host memory runs out.
  [[nodiscard]] std::vector<std::string> names() const noexcept;

  /// A checkpoint of every handle with a host shadow, at one point: after a loss all go back to the same one.
  Result<Point> checkpoint(Queue& queue, Timeout timeout = {});
  /// Restores each by its Keep. `stale` lists those that are stale and have nothing to be restored from (`lost()`), and
  /// then none is restored: `write` or `renew` them first. Others without anything to go back to keep what they hold.
  Result<Point> restore(Queue& queue, Timeout timeout = {});
  /// The names of stale handles that `restore` has nothing for.
  [[nodiscard]] Result<std::vector<std::string>> lost();

  /// Writes every front, as it is behind what `queue` has, as a safetensors file; the same state gives the same bytes.
  /// Waits for the device until `timeout`. The file appears whole or not at all, under the name of an old one too.
  /// `stale` for a stale handle, `invalid_argument` for a bool that is neither 0 nor 1, `io`.
  Result<void> save(Queue& queue, const std::filesystem::path& path, Timeout timeout = {});
  /// Writes every handle from a safetensors file, like `Handle::write`: behind what `queue` has, and stale ones get new
  /// memory. The file holds a tensor for each handle, of its dtype and shape, and no other: `not_found` lists names
  /// that are missing on either side, `invalid_argument` has both dtypes or shapes. On an error nothing is written. The
  /// file is mapped until the point is reached: rename over it, but do not cut it short meanwhile.
  Result<Point> load(Queue& queue, const std::filesystem::path& path, const HandleLoadOptions& options = {},
                     Timeout timeout = {});

 private:
  /// In the order of the names; `invalid_argument` for one that is not what was added.
  [[nodiscard]] Result<std::vector<memory::HandleState*>> states() const;

  std::map<std::string, Handle, std::less<>> handles_;
};

}  // namespace pintle
