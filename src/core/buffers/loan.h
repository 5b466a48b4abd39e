// A buffer's bytes, lent to another device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "pintle/backend/command.h"
#include "pintle/error.h"

namespace pintle::core {

class Incarnation;

/// Shared by all who work on the bytes; the memory stays, and stays mapped once it is, until the last of them is done.
class Loan {
 public:
  Loan(std::shared_ptr<Incarnation> owner, const backend::Range& place) noexcept
      : owner_(std::move(owner)), place_(place) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  /// Takes the owner's lock.
  ~Loan();

  /// Maps the memory, once; under the owner's lock. The address does not change.
  Result<void> map();
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return *bytes_; }
  /// The buffer has been destroyed meanwhile: `release` is called when the loan ends. Under the owner's lock.
  void release_at_end(std::function<void()> release) noexcept { release_ = std::move(release); }

 private:
  std::shared_ptr<Incarnation> owner_;
  backend::Range place_;
  std::optional<std::span<std::byte>> bytes_;
  std::function<void()> release_;
};

}  // namespace pintle::core
