#include <utility>

#include "pintle/resources.h"

namespace pintle {

Result<Buffer> DeviceResource::allocate(Queue& /*queue*/, DType dtype, const Shape& shape, BufferOptions options) {
  return device_.allocate(dtype, shape, std::move(options));
}

}  // namespace pintle
