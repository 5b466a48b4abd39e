// Whether a trial has seen that kernels may ask texel buffers questions, where drivers are known to end the process.
#pragma once

#include "base/kept_number.h"
#include "kit/tried.h"
#include "pintle/info.h"

namespace pintle::kit {

/// True where `pintle doctor --probe` has seen this driver answer.
[[nodiscard]] inline bool answers_texel_questions(const DeviceInfo& info) {
  return tried(base::texel_questions_with(info.backend, info.name, info.driver)) == 1;
}

}  // namespace pintle::kit
