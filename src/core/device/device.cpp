#include "pintle/device.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/bytes.h"
#include "base/contain.h"
#include "base/fork.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "core/device/device_state.h"
#include "core/device/registry.h"
#include "core/door/describe.h"
#include "core/program/program_pack.h"
#include "core/program/program_state.h"
#include "core/queue/recording_state.h"
#include "core/time/reactor.h"
#include "pintle/program.h"
#include "pintle/queue.h"
#include "pintle/recording.h"

namespace pintle {
namespace {

// Devices that are open, so that an id opened twice is one device.
struct OpenDevices {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<core::DeviceState>> devices;

  static OpenDevices& instance() {
    static OpenDevices& open = *new OpenDevices;
    return open;
  }
};

}  // namespace

Result<DeviceList> devices() {
  return base::contain("listing devices", []() -> Result<DeviceList> {
    if (base::in_forked_child()) return base::forked_error();
    return core::list_devices();
  });
}

Result<Device> open(std::string_view id) {
  return base::contain("opening a device", [&]() -> Result<Device> {
    if (base::in_forked_child()) return base::forked_error();
    base::watch_forks();
    PINTLE_ASSIGN(recipe, core::find_device(id));
    OpenDevices& open = OpenDevices::instance();
    std::lock_guard lock(open.mutex);
    auto& known = open.devices[recipe.id];
    if (auto state = known.lock()) return Device(std::move(state));
    PINTLE_ASSIGN(state, core::DeviceState::open(recipe));
    known = state;
    return Device(state);
  });
}

Result<Device> Device::wrap(std::string_view type, const void* native) {
  return base::contain("wrapping a device", [&]() -> Result<Device> {
    if (base::in_forked_child()) return base::forked_error();
    base::watch_forks();
    PINTLE_ASSIGN(recipe, core::wrap_device(type, native));
    PINTLE_ASSIGN(state, core::DeviceState::open(std::move(recipe)));
    return Device(std::move(state));
  });
}

std::string_view Device::id() const noexcept { return state_ ? std::string_view(state_->id()) : std::string_view(); }

DeviceInfo Device::info() const { return state_ ? state_->current()->info() : DeviceInfo{}; }

std::uint64_t Device::generation() const noexcept { return state_ ? state_->current()->generation() : 0; }

Result<std::vector<Heap>> Device::budget() const {
  if (!state_) return core::empty_object("Device");
  const auto incarnation = state_->current();
  PINTLE_TRY(incarnation->usable("[" + incarnation->id() + "]"));
  auto heaps = incarnation->device().budget();
  if (!heaps) return incarnation->report(heaps.error());
  return heaps;
}

Result<Queue> Device::queue() const { return queue({}); }

Result<Queue> Device::queue(const QueueOptions& options) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("creating a queue", [&]() -> Result<Queue> {
    PINTLE_ASSIGN(state, state_->current()->create_queue(options));
    return Queue(std::move(state));
  });
}

Result<Buffer> Device::allocate(DType dtype, const Shape& shape, BufferOptions options) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("allocating a buffer", [&] { return state_->current()->allocate(dtype, shape, options); });
}

Result<Buffer> Device::import_host(std::span<const std::byte> bytes, Access access, DType dtype, const Shape& shape,
                                   std::shared_ptr<const void> keeper, std::string label) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("importing host memory", [&]() -> Result<Buffer> {
    const std::span<std::byte> writable(const_cast<std::byte*>(bytes.data()), bytes.size());  // sealed, if it is not
    PINTLE_ASSIGN(buffer, state_->current()->import_host(writable, 0, dtype, shape, label, std::move(keeper)));
    if (!writes(access)) PINTLE_TRY(buffer.seal());
    return std::move(buffer);
  });
}

Result<Buffer> Device::map_file(const std::filesystem::path& path, std::uint64_t offset, DType dtype,
                                const Shape& shape, std::string label) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("mapping a file", [&]() -> Result<Buffer> {
    PINTLE_ASSIGN(mapped, base::MappedFile::open(path));
    const auto file = std::make_shared<const base::MappedFile>(std::move(mapped));
    const auto size = shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
    if (!size || *size == 0 || !base::range_fits(offset, *size, file->bytes().size())) {
      return Error(Errc::invalid_argument,
                   fmt::format("Shape {} of {} from offset ({}) does not lie in file {} of size ({}).", shape.text(),
                               name(dtype), offset, base::quote(path.string(), 4096), file->bytes().size()));
    }
    const auto [pages, begin] = file->pages(offset, *size);
    const std::span<std::byte> writable(const_cast<std::byte*>(pages.data()), pages.size());  // sealed below
    PINTLE_ASSIGN(buffer, state_->current()->import_host(writable, begin, dtype, shape, label, file));
    PINTLE_TRY(buffer.seal());
    return std::move(buffer);
  });
}

Result<Buffer> Device::wrap_memory(std::string_view type, const void* native, DType dtype, const Shape& shape,
                                   std::string label) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("wrapping a buffer",
                       [&] { return state_->current()->wrap_memory({type, native}, dtype, shape, label); });
}

template <class Made>
Result<Made> Device::wrap_queue(std::string_view type, const void* native, const QueueOptions& options) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("wrapping a queue", [&]() -> Result<Made> {
    PINTLE_ASSIGN(state, state_->current()->wrap_queue({type, native}, options));
    return Made(std::move(state));
  });
}
template Result<Queue> Device::wrap_queue<Queue>(std::string_view, const void*, const QueueOptions&) const;

Result<Program> Device::load(const ProgramPack& pack) const { return load(pack, LoadOptions{}); }

Result<Program> Device::load(const ProgramPack& pack, const LoadOptions& options) const {
  if (!state_) return core::empty_object("Device");
  if (!pack.state_) return core::empty_object("ProgramPack");
  return base::contain("loading a program", [&]() -> Result<Program> {
    const auto incarnation = state_->current();
    PINTLE_TRY(incarnation->usable("[" + incarnation->id() + "]"));
    auto loaded = core::load_variant(incarnation->device(), incarnation->info(), *pack.state_, options);
    if (!loaded) return incarnation->report(loaded.error());
    return Program(incarnation->hand_out(std::make_shared<core::ProgramState>(
        incarnation->shared_from_this(), loaded->id, std::move(loaded->format), std::move(loaded->entries))));
  });
}

Result<Kernel> Device::load(const ProgramPack& pack, std::string_view entry) const {
  PINTLE_ASSIGN(program, load(pack));
  return program.kernel(entry);
}

Result<Recording> Device::record(CommandList list) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("recording", [&]() -> Result<Recording> {
    PINTLE_ASSIGN(recording, state_->current()->record(std::move(list)));
    return Recording(std::move(recording));
  });
}

Result<void> Device::poll() const {
  if (!state_) return core::empty_object("Device");
  return base::contain("polling", [&]() -> Result<void> {
    const auto incarnation = state_->current();
    auto polled = incarnation->usable("[" + incarnation->id() + "]");
    if (polled) polled = incarnation->poll();
    if (!base::in_forked_child()) core::Reactor::instance().run_callbacks();  // a loss is told here too
    return polled;
  });
}

Result<void> Device::wait_idle(Timeout timeout) const {
  if (!state_) return core::empty_object("Device");
  return base::contain("waiting for a device", [&]() -> Result<void> {
    const auto incarnation = state_->current();
    PINTLE_TRY(incarnation->usable("[" + incarnation->id() + "]"));
    return incarnation->wait_idle(timeout.deadline());
  });
}

Result<void> Device::health() const {
  if (!state_) return core::empty_object("Device");
  const auto incarnation = state_->current();
  PINTLE_TRY(incarnation->usable("[" + incarnation->id() + "]"));
  const auto probed = incarnation->device().probe();
  if (!probed && probed.error().code() != Errc::unsupported) return incarnation->report(probed.error());
  return {};
}

Result<void> Device::recover() const {
  if (!state_) return core::empty_object("Device");
  return base::contain("recovering a device", [&] { return state_->recover(); });
}

Result<void> Device::fill_native(std::string_view type, void* out) const {
  if (!state_) return core::empty_object("Device");
  const auto incarnation = state_->current();
  PINTLE_TRY(incarnation->usable("[" + incarnation->id() + "]"));
  auto filled = incarnation->device().native(type, 0, out);
  if (!filled)
    return incarnation->report(filled.error()).during(core::native_text(type, "[" + incarnation->id() + "]"));
  return {};
}

}  // namespace pintle
