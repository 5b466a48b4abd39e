#include "kit/loss.h"

#include <fmt/format.h>

namespace pintle::kit {
namespace {

Error loss_of(const Error& error, const std::string& id) {
  if (error.code() == Errc::device_lost || error.code() == Errc::process_poisoned) return error;
  Error loss(Errc::device_lost, fmt::format("[{}] is given up: {}", id, error.message()));
  return error.vendor() ? loss.with_vendor(*error.vendor()) : loss;
}

}  // namespace

Error Loss::lose(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (cause_) return *cause_;
  cause_.emplace(loss_of(error, id_));
  for (Waits* const waits : waits_) waits->end_waits(*cause_);
  is_lost_.store(true, std::memory_order_release);  // last: a caller that is told may free its work's host memory
  return *cause_;
}

}  // namespace pintle::kit
