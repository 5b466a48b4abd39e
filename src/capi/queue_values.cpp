#include "capi/queue_values.h"

#include "capi/check.h"
#include "capi/choices.h"

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

}  // namespace pintle::capi
