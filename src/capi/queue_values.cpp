#include "capi/queue_values.h"

#include <utility>

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/objects.h"

namespace pintle::capi {

Result<QueueOptions> options_of(const pintle_queue_options* options) {
  QueueOptions out;
  if (options == nullptr) return out;
  PINTLE_TRY(readable(options, "pintle_queue_options"));
  PINTLE_ASSIGN(kind, enumerator_or(out.kind, options->kind, QueueKind::copy, "kind of queue"));
  out.kind = kind;
  out.label = text_or_none(options->label);
  return out;
}

Result<void> make_queue(pintle_queue* out, Queue made) {
  pintle_signal timeline;
  PINTLE_TRY(make(&timeline, made.last().signal(), true));
  Result<void> result = make(out, std::move(made), timeline);
  if (!result) (void)Kind<pintle_signal>::table.release(timeline.id);
  return result;
}

}  // namespace pintle::capi
