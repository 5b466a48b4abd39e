#include "host/lookout.h"

#include <algorithm>

namespace pintle::host {
namespace {

/// How long a queue may rest before it is no longer watched.
constexpr Duration patience = std::chrono::milliseconds(4);

}  // namespace

void Lookout::add(Ward& ward) noexcept {
  const std::lock_guard lock(mutex_);
  if (!ward.is_listed_) {
    ward.next_ = first_;
    first_ = &ward;
    ward.is_listed_ = true;
    ward.was_left_ = false;
    ward.quiet_since_ = Deadline::min();
  }
  ward.claim_.watch();
  update();
}

bool Lookout::begin_watch() noexcept {
  const std::lock_guard lock(mutex_);
  if (is_watched_ || first_ == nullptr) return false;
  is_watched_ = true;
  update();
  return true;
}

void Lookout::end_watch() noexcept {
  const std::lock_guard lock(mutex_);
  is_watched_ = false;
  update();
}

Lookout::View Lookout::look_at(Ward& ward, Deadline now) noexcept {
  const std::uint64_t progress = ward.progress();
  const bool is_left = ward.claim_.is_left();
  const bool was_left = ward.was_left_;
  ward.was_left_ = is_left;
  if (progress != ward.seen_ || ward.quiet_since_ == Deadline::min()) {
    ward.seen_ = progress;
    ward.quiet_since_ = now;
    return is_left ? View::left : View::calm;
  }
  if (is_left && was_left) {
    ward.rescue();
    return View::rescued;
  }
  if (is_left) return View::left;
  return now - ward.quiet_since_ >= patience ? let_go(ward) : View::calm;
}

/// A queue that is no longer watched may be gone.
Lookout::View Lookout::let_go(Ward& ward) noexcept {
  ward.is_listed_ = false;
  if (ward.claim_.unwatch()) return View::empty;
  ward.is_listed_ = true;
  return View::calm;
}

Lookout::View Lookout::look(Deadline now) noexcept {
  const std::lock_guard lock(mutex_);
  View all = View::empty;
  for (Ward** place = &first_; *place != nullptr;) {
    Ward& ward = **place;
    Ward* const next = ward.next_;
    const View one = look_at(ward, now);
    all = std::max(all, one);
    if (one == View::empty) *place = next;
    else place = &ward.next_;
  }
  update();
  return all;
}

}  // namespace pintle::host
