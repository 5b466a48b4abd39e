// One device of a plug-in: what it is, and bytes to and from its tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/pjrt/tensor.h"

namespace pintle::pjrt {

/// Bytes of a device's memory.
struct MemoryFigures {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

/// A plug-in's client, made once for the process: it alone says what devices there are. A client that the plug-in
/// refused is asked for again.
struct Session {
  const Plugin* plugin = nullptr;
  pj::Client client = nullptr;
  std::string platform;  ///< "cpu", "tpu": the plug-in's own word.
  std::string version;
  std::vector<pj::Device> devices;
};
[[nodiscard]] Result<const Session*> session_of(const Plugin& plugin);

/// A device of a session. Thread-safe.
class Client {
 public:
  Client(const Session& session, std::uint32_t index, std::string id)
      : session_(session), index_(index), id_(std::move(id)) {}

  [[nodiscard]] const pj::Table& api() const noexcept { return session_.plugin->api; }
  [[nodiscard]] const Session& session() const noexcept { return session_; }
  [[nodiscard]] pj::Device device() const noexcept { return session_.devices[index_]; }
  /// The device's place among those of its plug-in.
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  /// The number by which the plug-in knows the device.
  [[nodiscard]] Result<std::uint64_t> device_number() const;

  /// Copies the bytes during the call.
  [[nodiscard]] Result<SharedTensor> upload(const TensorType& type, const std::byte* bytes) const;
  /// The event that comes when the tensor is computed, or its program has failed.
  [[nodiscard]] Result<Owned<pj::Event>> ready(const Tensor& tensor) const;
  /// Waits until the tensor is computed, and copies its bytes; `to` has their size.
  [[nodiscard]] Result<void> read(const Tensor& tensor, std::span<std::byte> to) const;
  /// Whether a program has taken the tensor's memory for a result.
  [[nodiscard]] bool is_deleted(const Tensor& tensor) const noexcept;
  /// Empty where the plug-in does not say.
  [[nodiscard]] std::optional<MemoryFigures> memory() const;

 private:
  const Session& session_;
  const std::uint32_t index_;
  const std::string id_;
};

}  // namespace pintle::pjrt
