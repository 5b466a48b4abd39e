#include "core/device/copied_import.h"

#include "base/inside.h"
#include "base/log.h"
#include "core/queue/queue_state.h"

namespace pintle::core {
namespace {

Result<Buffer> copy_of(Incarnation& incarnation, const HostImport& import) {
  PINTLE_ASSIGN(buffer, incarnation.buffers().allocate(import.dtype, import.shape, {.label = import.label}));
  PINTLE_ASSIGN(queue, incarnation.queues().create({.label = "import"}));
  const std::span<const std::byte> bytes = import.bytes.subspan(import.offset, buffer.size_bytes());
  PINTLE_ASSIGN(copied, queue->submit(CommandList{}.upload_retained(buffer, import.keeper, bytes), nullptr));
  PINTLE_TRY(copied.wait());
  PINTLE_TRY(buffer.seal());
  return std::move(buffer);
}

}  // namespace

Result<Buffer> import_or_copy(Incarnation& incarnation, const HostImport& import) {
  auto imported = incarnation.buffers().import_host(import);
  const bool is_refused = !imported && imported.error().code() == Errc::unsupported && imported.error().vendor();
  if (!is_refused || import.access != Access::read) return imported;
  base::log(LogLevel::info, "core", "[Buffer \"{}\"] is a copy of the host's memory: {}", import.label,
            imported.error().message());
  return copy_of(incarnation, import);
}

}  // namespace pintle::core
