// What stands behind ProgramPack, and the choice of a variant for a device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/pack.h"
#include "pintle/backend/driver.h"
#include "pintle/program.h"

namespace pintle {

struct ProgramPack::State {
  io::Pack pack;
  std::vector<VariantInfo> infos;  // of pack.variants, in order
};

namespace core {

struct LoadedVariant {
  backend::ProgramId id = backend::ProgramId::none;
  std::string format;
  std::vector<Entry> entries;
  std::vector<backend::LeftOut> left_out;
};

/// Tries the variants that the device takes, in the order of its `formats` ("*" takes any), and loads the first that
/// builds; where none fits the device whole, the first of which some entries do, without the others. `build_failed`
/// lists every variant with the reason why it was refused (format, target, limits, the compiler's words). A
/// device_lost, process_poisoned, out_of_memory or timeout of the device is returned unchanged. `info` describes the
/// device as the user knows it.
[[nodiscard]] Result<LoadedVariant> load_variant(backend::Device& device, const DeviceInfo& info,
                                                 const ProgramPack::State& pack, const LoadOptions& options);

}  // namespace core
}  // namespace pintle
