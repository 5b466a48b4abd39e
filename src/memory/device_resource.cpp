#include <utility>

#include "pintle/resources.h"

namespace pintle {

Result<Buffer> DeviceResource::allocate(Queue& /*queue*/, DType dtype, const Shape& shape,
                                        const BufferOptions& options) {
  return device_.allocate(dtype, shape, options);
}

}  // namespace pintle
