// A loaded program: what stands behind Program and Kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/backend/driver.h"
#include "pintle/entry.h"
#include "pintle/info.h"

namespace pintle::core {

class Life;

/// Immutable. A command list that uses the program keeps it (through `shared_from_this`), so it is unloaded only when
/// no list, submission, recording or handle is left.
class ProgramState : public std::enable_shared_from_this<ProgramState> {
 public:
  ProgramState(const std::shared_ptr<Life>& life, backend::ProgramId id, std::string name, std::string format,
               std::vector<Entry> entries, std::vector<backend::LeftOut> left_out);
  ProgramState(const ProgramState&) = delete;
  ProgramState& operator=(const ProgramState&) = delete;
  ~ProgramState();

  [[nodiscard]] backend::ProgramId id() const noexcept { return id_; }
  /// As it appears in messages: `[Program "filters"]`.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::string& format() const noexcept { return format_; }
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  /// Whether a launch of this entry has checks that need all of its arguments.
  [[nodiscard]] bool has_launch_rules(std::uint32_t entry) const noexcept { return has_launch_rules_[entry]; }
  /// Entries that the device cannot run, and why.
  [[nodiscard]] const std::vector<backend::LeftOut>& left_out() const noexcept { return left_out_; }
  /// Null once the device has gone.
  [[nodiscard]] std::shared_ptr<Life> life() const noexcept { return life_.lock(); }
  /// The number that views of the same incarnation carry.
  [[nodiscard]] std::uint64_t incarnation_number() const noexcept { return incarnation_number_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
  /// The device's texels of texel buffers.
  [[nodiscard]] const std::vector<TexelSupport>& buffer_texels() const noexcept { return buffer_texels_; }

 private:
  std::weak_ptr<Life> life_;  // weak: submissions, which belong to the device, own programs
  std::uint64_t incarnation_number_;
  Limits limits_;
  std::vector<TexelSupport> buffer_texels_;
  backend::ProgramId id_;
  std::string name_;
  std::string format_;
  std::vector<Entry> entries_;
  std::vector<bool> has_launch_rules_;  // by entry
  std::vector<backend::LeftOut> left_out_;
};

}  // namespace pintle::core
