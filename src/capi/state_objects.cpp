#include "capi/state_objects.h"

#include <fmt/format.h>

namespace pintle::capi {

State::State(Handle own) : name_(own.name()), own_(std::move(own)), generation_(own_.generation()) {}

void State::forget() noexcept {
  if (generation_ == handle_->generation()) return;
  lent_.end(0);
  lent_.end(1);
  generation_ = handle_->generation();
}

Result<void> State::lend_front(pintle_view* out) {
  forget();
  return lent_.lend(front_, handle_->view(), handle_->text(), out);
}

Result<void> State::lend_back(pintle_view* out) {
  PINTLE_ASSIGN(back, handle_->next());
  forget();
  return lent_.lend(1 - front_, back, handle_->text(), out);
}

Result<void> State::flip() {
  PINTLE_TRY(handle_->flip());
  front_ = 1 - front_;
  return {};
}

Result<void> State::join(const std::shared_ptr<HandleSet>& set) {
  if (set_ != nullptr) return Error(Errc::invalid_argument, fmt::format("{} is in a set already.", handle_->text()));
  PINTLE_ASSIGN(added, set->add(std::move(own_)));
  handle_ = added;
  set_ = set;
  return {};
}

}  // namespace pintle::capi
