// A buffer's bytes, lent to another device.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "pintle/backend/command.h"
#include "pintle/error.h"

namespace pintle::core {

class BufferRecords;

/// Shared by all borrowers of the bytes. The memory stays until the last borrower is done, and so does a map of it.
class Loan {
 public:
  /// `use` is let go when the memory has been unmapped. The loan itself expires earlier.
  Loan(std::shared_ptr<BufferRecords> lender, const backend::Range& place, std::shared_ptr<void> use) noexcept
      : lender_(std::move(lender)), place_(place), use_(std::move(use)) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan();

  /// Maps the memory, once. The address does not change.
  Result<void> map();
  /// The bytes that have been mapped; empty before.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<BufferRecords> lender_;  // it is told when the last borrower is done, with no lock held
  backend::Range place_;
  std::shared_ptr<void> use_;
  std::mutex mutex_;
  std::span<std::byte> bytes_;
};

}  // namespace pintle::core
