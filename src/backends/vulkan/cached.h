// Bytes that are made once for all processes of the user.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kit/code_cache.h"

namespace pintle::vulkan {

/// What the cache has under `key`, or what `make` answers, kept for the next time.
[[nodiscard]] Result<std::vector<std::byte>> cached(const base::Digest& key, std::string_view suffix,
                                                    const kit::CodeCache::Make& make);

}  // namespace pintle::vulkan
