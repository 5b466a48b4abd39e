#include "host/stint.h"

#include "base/thread_stack.h"

namespace pintle::host {
namespace {

/// The part of the remaining time that one piece of work may take.
constexpr std::int64_t small_part = 8;

}  // namespace

Guest::Guest(Deadline deadline) noexcept : deadline_(deadline) {
  const auto left = static_cast<std::int64_t>(base::stack_left());
  spare_stack_ = left == 0 ? -1 : left - static_cast<std::int64_t>(base::usual_stack() / 2);
}

bool Guest::may_join(float piece, std::uint32_t stack) const noexcept {
  if (!has_stack(stack)) return false;
  if (deadline_ == Deadline::max()) return true;
  return piece <= static_cast<float>((deadline_ - Clock::now()).count() / small_part);
}

Stint::Stint(const Guest& guest, Kind kind) noexcept
    : guest_(guest), begin_(base::coarse_now()), is_lesson_(kind == Kind::lesson) {
  constexpr Duration far = 8 * base::coarse_tick;
  limit_ = base::coarse_tick;
  most_ = longest;
  if (guest.deadline() != Deadline::max() && guest.deadline() < begin_ + far) {
    is_exact_ = true;
    begin_ = Clock::now();
    limit_ = (guest.deadline() - begin_) / small_part;
    most_ = std::min(longest, static_cast<float>(limit_.count()));
  }
  left_ = guest.has_stack(0) ? most_ : -1;
}

bool Stint::goes_on() noexcept { return (is_exact_ ? Clock::now() : base::coarse_now()) - begin_ <= limit_; }

}  // namespace pintle::host
