// Points that a call answers.
#pragma once

#include "capi/check.h"
#include "capi/objects.h"
#include "capi/structs.h"

namespace pintle::capi {

/// Success for a point that can be written, and for NULL.
[[nodiscard]] inline Result<void> takes_answer(const pintle_point* point) {
  if (point == nullptr) return {};
  if (is_size<pintle_point>(point->size)) return {};
  return wrong_size("pintle_point", point->size, {}, sizeof *point);
}

inline void answer(pintle_point* out, pintle_signal timeline, const Point& point) noexcept {
  if (out == nullptr) return;
  out->signal = timeline;
  out->value = point.value();
}

/// The point of a submission, or why it failed.
[[nodiscard]] inline Result<void> answer(pintle_point* out, pintle_signal timeline, const Result<Point>& done) {
  if (!done) [[unlikely]]
    return done.error();
  answer(out, timeline, *done);
  return {};
}

}  // namespace pintle::capi
