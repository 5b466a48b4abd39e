// What a backend answers for the optional calls that it leaves out.
#include <fmt/format.h>

#include "base/contain.h"
#include "pintle/backend/driver.h"

namespace pintle::backend {
namespace {

Error not_implemented(const Device& device, std::string_view call) noexcept {
  const auto refusal = base::contain("refusing an optional call", [&]() -> Result<void> {
    const std::string& id = device.info().id;
    return Error(Errc::unsupported, fmt::format("The call ({}) is not implemented by [{}].", call, id))
        .with_device(id, 0);
  });
  return refusal.error();
}

}  // namespace

Result<void> Device::notify(QueueId, std::uint64_t, Notification) { return not_implemented(*this, "notify"); }
Result<std::span<std::byte>> Device::map(MemoryId) { return not_implemented(*this, "map"); }
void Device::unmap(MemoryId) noexcept {}
Result<RecordingId> Device::record(const Commands&) { return not_implemented(*this, "record"); }
void Device::forget(RecordingId) noexcept {}
Result<Exported> Device::export_memory(MemoryId) { return not_implemented(*this, "export_memory"); }
Result<MemoryId> Device::import_memory(const MemorySource&) { return not_implemented(*this, "import_memory"); }
Result<QueueId> Device::wrap_queue(const NativeObject&, const QueueRequest&) {
  return not_implemented(*this, "wrap_queue");
}
Result<ClockPair> Device::calibrate() { return not_implemented(*this, "calibrate"); }
Result<void> Device::native(std::string_view, std::uint64_t, void*) { return not_implemented(*this, "native"); }
Result<void> Device::probe() { return not_implemented(*this, "probe"); }

Result<std::unique_ptr<Device>> Driver::wrap(const NativeObject& device, std::string_view id) {
  return base::contain("refusing to wrap a device", [&]() -> Result<std::unique_ptr<Device>> {
    return Error(Errc::unsupported,
                 fmt::format("Backend ({}) wraps no native device ({}), wanted as [{}].", name(), device.type, id));
  });
}

}  // namespace pintle::backend
