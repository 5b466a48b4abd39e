#include "collective/heap/heap_device.h"

#include <utility>

namespace pintle::collective {

Result<HeapDevice> HeapDevice::open(const Device& device, std::span<std::byte> piece,
                                    std::shared_ptr<const void> keeper, const std::string& label) {
  const Shape shape{piece.size()};
  auto imported = device.import_host(piece, Access::read_write, DType::u8, shape, std::move(keeper), label);
  if (imported) return HeapDevice{Residence::in_place, {}, std::move(*imported)};
  if (imported.error().code() != Errc::unsupported) return imported.error();
  BufferOptions options;
  options.label = label;
  PINTLE_ASSIGN(buffer, device.allocate(DType::u8, shape, std::move(options)));
  return HeapDevice{Residence::staged, std::string(imported.error().message()), std::move(buffer)};
}

}  // namespace pintle::collective
