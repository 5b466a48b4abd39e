#include "capi/lent_buffers.h"

namespace pintle::capi {

LentBuffers::~LentBuffers() {
  for (const auto& [number, lent] : lent_) (void)Kind<LentBuffer>::table.release(lent.id);
}

Result<void> LentBuffers::lend(std::uint64_t number, const BufferView& bytes, const std::string& owner,
                               pintle_view* out) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = lent_.try_emplace(number);
  if (is_new) {
    if (const auto made = make(&place->second, bytes, std::string(owner)); !made) {
      lent_.erase(place);
      return made.error();
    }
  }
  out->dtype = static_cast<std::uint32_t>(bytes.dtype());
  out->buffer.id = place->second.id;
  out->offset = 0;
  out->bytes = bytes.size_bytes();
  return {};
}

void LentBuffers::end(std::uint64_t number) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = lent_.find(number);
  if (found == lent_.end()) return;
  (void)Kind<LentBuffer>::table.release(found->second.id);
  lent_.erase(found);
}

}  // namespace pintle::capi
