// A buffer's bytes, lent to another device.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/life/life.h"
#include "pintle/backend/command.h"
#include "pintle/error.h"
#include "pintle/signal.h"

namespace pintle::core {

/// Shared by all who work on the bytes; the memory stays, and stays mapped once it is, until the last of them is done.
class Loan {
 public:
  /// Told with no lock held when the last of them is done.
  class Lender {
   public:
    virtual void end_loan() noexcept = 0;

   protected:
    ~Lender() = default;
  };
  /// A queue of another device.
  class Borrower {
   public:
    /// Adds what is held and uses the bytes. Takes the lock of the borrower's device.
    virtual void add_held(const Loan& loan, std::vector<Point>& points) = 0;

   protected:
    ~Borrower() = default;
  };

  /// `use` is let go when the memory has been unmapped, which is later than the loan is found expired.
  Loan(Life& life, std::shared_ptr<Lender> lender, const backend::Range& place, std::shared_ptr<void> use) noexcept
      : life_(life), lender_(std::move(lender)), place_(place), use_(std::move(use)) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan();

  /// Maps the memory, once. The address does not change.
  Result<void> map();
  /// The bytes that have been mapped; empty before.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  void add_borrower(const std::shared_ptr<Borrower>& borrower);
  /// Adds what is held, whoever has borrowed the bytes. Wants no lock held.
  void add_held(std::vector<Point>& points) const;

 private:
  Life& life_;  // the lender keeps it
  std::shared_ptr<Lender> lender_;
  backend::Range place_;
  std::shared_ptr<void> use_;
  mutable std::mutex mutex_;
  std::span<std::byte> bytes_;
  std::vector<std::weak_ptr<Borrower>> borrowers_;
};

}  // namespace pintle::core
