#include "kit/forwarding.h"

#include <fmt/format.h>

#include <utility>

namespace pintle::kit {

Forwarding::Forwarding(std::string_view layer, std::unique_ptr<backend::Device> inner)
    : inner_(std::move(inner)), info_(inner_->info()) {
  info_.id = fmt::format("{}({})", layer, info_.id);
}

}  // namespace pintle::kit
