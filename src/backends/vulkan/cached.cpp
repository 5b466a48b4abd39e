#include "backends/vulkan/cached.h"

#include <optional>

#include "base/file.h"

namespace pintle::vulkan {

Result<std::vector<std::byte>> cached(const base::Digest& key, std::string_view suffix,
                                      const kit::CodeCache::Make& make) {
  std::optional<std::vector<std::byte>> made;
  const auto make_and_keep = [&]() -> Result<std::vector<std::byte>> {
    PINTLE_ASSIGN(bytes, make());
    made = bytes;
    return bytes;
  };
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  PINTLE_ASSIGN(file, cache.obtain(key, suffix, make_and_keep));
  if (made) return *std::move(made);
  auto bytes = base::read_file(file.path());
  if (!bytes || bytes->size() < sizeof(base::Digest)) return make();  // evicted since
  bytes->resize(bytes->size() - sizeof(base::Digest));
  return bytes;
}

}  // namespace pintle::vulkan
