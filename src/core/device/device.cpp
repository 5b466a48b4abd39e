#include "pintle/device.h"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.h"
#include "base/immortal.h"
#include "base/inside.h"
#include "base/log.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "base/timeout.h"
#include "core/device/device_state.h"
#include "core/door/door.h"
#include "core/program/program_pack.h"
#include "core/program/program_state.h"
#include "core/queue/queue_state.h"
#include "core/time/reactor.h"
#include "pintle/pool.h"
#include "pintle/program.h"
#include "pintle/queue.h"
#include "pintle/recording.h"
#include "registry/registry.h"

namespace pintle {

using core::enter;

namespace {

Result<Device> opened(Result<registry::DeviceRecipe> recipe) {
  if (!recipe) return recipe.error();
  PINTLE_ASSIGN(state, core::open_once(*std::move(recipe)));
  return Inside::make<Device>(std::move(state));
}

/// A sealed buffer of the same bytes.
Result<Buffer> copy_of(core::Incarnation& incarnation, const core::HostImport& import) {
  PINTLE_ASSIGN(buffer, incarnation.buffers().allocate(import.dtype, import.shape, {.label = import.label}));
  PINTLE_ASSIGN(queue, incarnation.queues().create({.label = "import"}));
  const std::span<const std::byte> bytes = import.bytes.subspan(import.offset, buffer.size_bytes());
  PINTLE_ASSIGN(copied, queue->submit(CommandList{}.upload_retained(buffer, import.keeper, bytes), nullptr));
  PINTLE_TRY(core::SignalState::point(queue->timeline(), copied).wait());
  PINTLE_TRY(buffer.seal());
  return std::move(buffer);
}

/// A buffer over the bytes. Where the driver of a device that imports host memory refuses these pages, a buffer that
/// nobody may write is a sealed copy of them, and the call waits for the copy; any other is `unsupported`.
Result<Buffer> import_or_copy(core::Incarnation& incarnation, const core::HostImport& import) {
  auto imported = incarnation.buffers().import_host(import);
  const bool is_refused = !imported && imported.error().code() == Errc::unsupported && imported.error().vendor();
  if (!is_refused || import.access != Access::read) return imported;
  base::log(LogLevel::info, "core", "[Buffer \"{}\"] is a copy of the host's memory: {}", import.label,
            imported.error().message());
  return copy_of(incarnation, import);
}

}  // namespace

Result<DeviceList> devices() {
  return enter("listing devices", [] { return registry::list_devices(); });
}

Result<Device> open(std::string_view id) {
  return enter("opening a device", [&]() -> Result<Device> {
    base::watch_forks();
    return opened(registry::find_device(id));
  });
}

Result<Device> open(std::string_view id, const ProgramPack& pack) {
  return enter("opening a device", [&]() -> Result<Device> {
    base::watch_forks();
    if (!Inside::state(pack)) return core::empty_object("ProgramPack");
    return opened(registry::find_device(id, Inside::state(pack)->pack));
  });
}

Result<Device> core::open_native(std::string_view type, const void* native) {
  return enter("wrapping a device", [&]() -> Result<Device> {
    base::watch_forks();
    PINTLE_ASSIGN(recipe, registry::wrap_device(type, native));
    PINTLE_ASSIGN(state, core::DeviceState::open(std::move(recipe)));
    return Inside::make<Device>(std::move(state));
  });
}

std::string_view Device::id() const noexcept { return state_ ? std::string_view(state_->id()) : std::string_view(); }

std::string Device::text() const noexcept {
  return core::enter_or(state_, std::string("[Device]"), [&] { return fmt::format("[{}]", state_->id()); });
}

const DeviceInfo& Device::info() const noexcept {
  static const base::Immortal<DeviceInfo> none;
  return state_ && !base::in_forked_child() ? state_->info() : none.value;
}

std::uint64_t Device::generation() const noexcept { return state_ ? state_->generation() : 0; }

Result<std::vector<Heap>> Device::budget() const {
  return enter(state_, "Device", "asking for a budget", [&]() -> Result<std::vector<Heap>> {
    const auto incarnation = state_->current();
    core::Life& life = incarnation->life();
    PINTLE_TRY(life.usable());
    auto heaps = life.device().budget();
    if (!heaps) return life.report(heaps.error());
    return heaps;
  });
}

Result<Queue> Device::create_queue() const { return create_queue(QueueOptions{}); }
Result<Queue> Device::queue() const { return create_queue(); }
Result<Queue> Device::queue(const QueueOptions& options) const { return create_queue(options); }

Result<Queue> Device::create_queue(const QueueOptions& options) const {
  return enter(state_, "Device", "creating a queue", [&]() -> Result<Queue> {
    PINTLE_ASSIGN(queue, state_->current()->queues().create(options));
    return Inside::make<Queue>(std::move(queue));
  });
}

Result<Buffer> Device::allocate(DType dtype, const Shape& shape, BufferOptions options) const {
  return enter(state_, "Device", "allocating a buffer",
               [&] { return state_->current()->buffers().allocate(dtype, shape, options); });
}

Result<Image> Device::image(const ImageExtent& extent, Texel texel, ImageOptions options) const {
  return create_image(extent, texel, std::move(options));
}

Result<Image> Device::create_image(const ImageExtent& extent, Texel texel, ImageOptions options) const {
  return enter(state_, "Device", "making an image",
               [&] { return state_->current()->buffers().image(extent, texel, options); });
}

Result<Buffer> Device::import_host(std::span<const std::byte> bytes, Access access, DType dtype, const Shape& shape,
                                   std::shared_ptr<const void> keeper, std::string label) const {
  return enter(state_, "Device", "importing host memory", [&] {
    const std::span<std::byte> writable(const_cast<std::byte*>(bytes.data()), bytes.size());  // sealed for Access::read
    return import_or_copy(*state_->current(), {writable, 0, access, dtype, shape, std::move(label), std::move(keeper)});
  });
}

Result<Buffer> Device::map_file(const std::filesystem::path& path, std::uint64_t offset, DType dtype,
                                const Shape& shape, std::string label) const {
  return enter(state_, "Device", "mapping a file", [&]() -> Result<Buffer> {
    PINTLE_ASSIGN(mapped, base::MappedFile::open(path));
    const auto file = std::make_shared<const base::MappedFile>(std::move(mapped));
    const auto size = is_dtype(dtype) && shape.is_valid() ? checked_bytes(dtype, shape) : std::nullopt;
    if (!size || *size == 0 || !base::range_fits(offset, *size, file->bytes().size())) {
      return core::invalid(fmt::format("Shape {} of {} from offset ({}) does not lie in file {} of size ({}).",
                                       shape.text(), name(dtype), offset, base::quote(path.string(), 4096),
                                       file->bytes().size()));
    }
    const auto [pages, begin] = file->pages(offset, *size);
    const std::span<std::byte> writable(const_cast<std::byte*>(pages.data()), pages.size());  // sealed
    return import_or_copy(*state_->current(), {writable, begin, Access::read, dtype, shape, std::move(label), file});
  });
}

Result<Buffer> Device::wrap_memory(std::string_view type, const void* native, DType dtype, const Shape& shape,
                                   std::string label, std::shared_ptr<const void> keeper) const {
  return enter(state_, "Device", "wrapping a buffer", [&] {
    return state_->current()->buffers().wrap_memory({type, native}, dtype, shape, label, std::move(keeper));
  });
}

template <class Made>
Result<Made> Device::wrap_queue(std::string_view type, const void* native, const QueueOptions& options) const {
  return enter(state_, "Device", "wrapping a queue", [&]() -> Result<Made> {
    PINTLE_ASSIGN(state, state_->current()->queues().wrap({type, native}, options));
    return Inside::make<Made>(std::move(state));
  });
}
template Result<Queue> Device::wrap_queue<Queue>(std::string_view, const void*, const QueueOptions&) const;

Result<Program> Device::load(const ProgramPack& pack) const { return load(pack, LoadOptions{}); }

Result<Program> Device::load(const ProgramPack& pack, const LoadOptions& options) const {
  return enter(state_, "Device", "loading a program", [&]() -> Result<Program> {
    if (!Inside::state(pack)) return core::empty_object("ProgramPack");
    const auto incarnation = state_->current();
    core::Life& life = incarnation->life();
    PINTLE_TRY(life.usable());
    auto loaded = core::load_variant(life.device(), life.info(), *Inside::state(pack), options);
    if (!loaded) return life.report(loaded.error());
    auto program = std::make_shared<core::ProgramState>(life.keep(life), loaded->id, std::string(pack.name()),
                                                        std::move(loaded->format), std::move(loaded->entries),
                                                        std::move(loaded->left_out));
    return Inside::make<Program>(core::make_handle(life, std::move(program), [](const auto&) {}));
  });
}

Result<Kernel> Device::load(const ProgramPack& pack, std::string_view entry) const {
  PINTLE_ASSIGN(program, load(pack));
  return program.kernel(entry);
}

Result<Recording> Device::record(CommandList list) const {
  return enter(state_, "Device", "recording", [&]() -> Result<Recording> {
    PINTLE_ASSIGN(recording, state_->current()->recordings().create(std::move(list)));
    return Inside::make<Recording>(std::move(recording));
  });
}

Result<void> Device::poll() const {
  return enter(state_, "Device", "polling", [&]() -> Result<void> {
    const auto incarnation = state_->current();
    auto polled = incarnation->life().usable();
    if (polled) polled = incarnation->poll();
    core::Reactor::instance().run_callbacks();  // the callbacks of a loss run here too
    return polled;
  });
}

Result<void> Device::wait_idle(Timeout timeout) const {
  return enter(state_, "Device", "waiting for a device", [&]() -> Result<void> {
    const auto incarnation = state_->current();
    PINTLE_TRY(incarnation->life().usable());
    return base::bounded(timeout, [&](Deadline deadline) { return incarnation->queues().wait_idle(deadline); });
  });
}

Result<void> Device::health() const {
  return enter(state_, "Device", "asking for a device's health", [&]() -> Result<void> {
    const auto incarnation = state_->current();
    core::Life& life = incarnation->life();
    PINTLE_TRY(life.usable());
    const auto probed = life.device().probe();
    if (!probed && probed.error().code() != Errc::unsupported) return life.report(probed.error());
    return {};
  });
}

Result<void> Device::recover() const {
  return enter(state_, "Device", "recovering a device", [&] { return state_->recover(); });
}

Result<void> Device::fill_native(std::string_view type, void* out) const {
  return enter(state_, "Device", "asking for a native type", [&]() -> Result<void> {
    const auto incarnation = state_->current();
    return core::fill_native(incarnation->life(), type, 0, out, incarnation->life().text());
  });
}

Result<Pool> Pool::create(const Device& device, PoolOptions options) {
  return enter(Inside::state(device), "Device", "creating a pool", [&]() -> Result<Pool> {
    if (options.block == 0 || options.block > options.cap) {
      return core::invalid(
          fmt::format("Block ({}) is none of at least (1) and at most the cap ({}).", options.block, options.cap));
    }
    PINTLE_ASSIGN(state, Inside::state(device)->current()->pools().create(std::move(options)));
    return Inside::make<Pool>(std::move(state));
  });
}

}  // namespace pintle
