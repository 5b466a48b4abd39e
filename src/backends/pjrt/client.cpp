#include "backends/pjrt/client.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>

namespace pintle::pjrt {
namespace {

Result<Session> open_session(const Plugin& plugin) {
  const pj::Table& api = plugin.api;
  Session session;
  session.plugin = &plugin;
  pj::ClientCreate wanted;
  PINTLE_TRY(call(api, api.Client_Create, wanted, "a client"));
  session.client = wanted.client;
  pj::ClientPlatformName name;
  name.client = session.client;
  PINTLE_TRY(call(api, api.Client_PlatformName, name, "the platform's name"));
  session.platform = name.name.view();
  pj::ClientPlatformVersion version;
  version.client = session.client;
  PINTLE_TRY(call(api, api.Client_PlatformVersion, version, "the platform's version"));
  session.version = version.version.view();
  pj::ClientAddressableDevices devices;
  devices.client = session.client;
  PINTLE_TRY(call(api, api.Client_AddressableDevices, devices, "the list of devices"));
  session.devices.assign(devices.devices.span().begin(), devices.devices.span().end());
  if (!session.devices.empty()) return session;
  return Error(Errc::unavailable, fmt::format("Platform \"{}\" of the plug-in has no device.", session.platform));
}

}  // namespace

Result<const Session*> session_of(const Plugin& plugin) {
  static std::mutex& mutex = *new std::mutex;
  static auto& sessions = *new std::map<const Plugin*, std::unique_ptr<const Session>>;
  const std::lock_guard lock(mutex);
  const auto place = sessions.try_emplace(&plugin).first;
  if (place->second == nullptr) {
    PINTLE_ASSIGN(session, open_session(plugin));
    place->second = std::make_unique<const Session>(std::move(session));
  }
  return place->second.get();
}

Result<std::uint64_t> Client::device_number() const {
  pj::DeviceGetDescription description;
  description.device = device();
  PINTLE_TRY(call(api(), api().Device_GetDescription, description, "the device's description"));
  pj::DeviceDescriptionId number;
  number.description = description.description;
  PINTLE_TRY(call(api(), api().DeviceDescription_Id, number, "the device's number"));
  return static_cast<std::uint64_t>(number.id);
}

Result<SharedTensor> Client::upload(const TensorType& type, const std::byte* bytes) const {
  pj::ClientBufferFromHostBuffer wanted;
  wanted.client = session_.client;
  wanted.data = bytes;
  wanted.type = type.element;
  wanted.dims = std::span(type.sides);
  wanted.semantics = pj::HostBufferSemantics::until_call_returns;
  wanted.device = device();
  PINTLE_TRY(call(api(), api().Client_BufferFromHostBuffer, wanted, "uploading a tensor"));
  Owned<pj::Buffer> buffer(api(), wanted.buffer);
  const Owned<pj::Event> done(api(), wanted.done_with_data);
  return std::make_shared<const Tensor>(std::move(buffer), std::make_shared<const TensorType>(type));
}

Result<Owned<pj::Event>> Client::ready(const Tensor& tensor) const {
  pj::BufferReadyEvent wanted;
  wanted.buffer = tensor.get();
  PINTLE_TRY(call(api(), api().Buffer_ReadyEvent, wanted, "waiting for a tensor"));
  return Owned<pj::Event>(api(), wanted.event);
}

Result<void> Client::read(const Tensor& tensor, std::span<std::byte> to) const {
  pj::BufferToHostBuffer wanted;
  wanted.buffer = tensor.get();
  wanted.to = to.data();
  wanted.bytes = to.size();
  PINTLE_TRY(call(api(), api().Buffer_ToHostBuffer, wanted, "reading a tensor"));
  return await(api(), {api(), wanted.done}, "reading a tensor");
}

bool Client::is_deleted(const Tensor& tensor) const noexcept {
  if (api().Buffer_IsDeleted == nullptr) return true;
  pj::BufferIsDeleted asked;
  asked.buffer = tensor.get();
  const pj::Error failed = api().Buffer_IsDeleted(&asked);
  const bool is_known = failed == nullptr;
  drop(api(), failed);
  return !is_known || asked.is_deleted;
}

std::optional<MemoryFigures> Client::memory() const {
  if (api().Device_MemoryStats == nullptr) return std::nullopt;
  pj::DeviceMemoryStats asked;
  asked.device = device();
  const pj::Error failed = api().Device_MemoryStats(&asked);
  const bool is_known = failed == nullptr && asked.limit.is_set;
  drop(api(), failed);
  if (!is_known) return std::nullopt;
  const auto total = static_cast<std::uint64_t>(asked.limit.value);
  return MemoryFigures{total, total - std::min(total, static_cast<std::uint64_t>(asked.in_use))};
}

}  // namespace pintle::pjrt
