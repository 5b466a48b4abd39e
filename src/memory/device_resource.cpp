#include <memory>
#include <utility>

#include "base/contain.h"
#include "pintle/resources.h"

namespace pintle {
namespace {

class DeviceSource final : public Resource::Source {
 public:
  explicit DeviceSource(Device device) noexcept : device_(std::move(device)) {}
  Result<Buffer> allocate(Queue& /*queue*/, DType dtype, const Shape& shape, const BufferOptions& options) override {
    return device_.allocate(dtype, shape, options);
  }

 private:
  Device device_;
};

}  // namespace

Result<DeviceResource> DeviceResource::create(Device device) {
  return base::contain("making a resource", [&]() -> Result<DeviceResource> {
    return DeviceResource(std::make_shared<DeviceSource>(std::move(device)));
  });
}

}  // namespace pintle
