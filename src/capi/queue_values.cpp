#include "capi/queue_values.h"

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/structs.h"

namespace pintle::capi {

Result<QueueOptions> options_of(const pintle_queue_options* options) {
  QueueOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_queue_options"));
  PINTLE_ASSIGN(kind, enumerator_or(out.kind, in->kind, QueueKind::copy, "kind of queue"));
  out.kind = kind;
  out.label = text_or_none(in->label);
  return out;
}

}  // namespace pintle::capi
