// The checks of commands with images.
#pragma once

#include <string>

#include "pintle/backend/command.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/image.h"

namespace pintle::core {

/// The part as a backend gets it, with every number filled in. `invalid_argument` where it does not lie in the image,
/// and for rows that overlap or do not begin at a texel.
[[nodiscard]] Result<backend::ImageTransfer> transfer_of(const ImageView& view, const ImagePart& part);
/// Checks that the image's dimensions, texel and access suit the parameter.
[[nodiscard]] Result<void> check_image(const Parameter& parameter, const ImageView& view);
/// The name of the view's image.
[[nodiscard]] std::string image_text(const ImageView& view);
/// Checks that there is such a sampler. `linear` needs an image that is not of integers, where one is known.
[[nodiscard]] Result<void> check_sampler(const Sampler& sampler, const ImageView* view);

}  // namespace pintle::core
