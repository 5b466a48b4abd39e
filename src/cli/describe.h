// How the API's values look as JSON and on a line.
#pragma once

#include <string>

#include "cli/output.h"
#include "pintle/device.h"
#include "pintle/entry.h"
#include "pintle/info.h"
#include "pintle/program.h"

namespace pintle::cli {

[[nodiscard]] Json to_json(const Grid& grid);
[[nodiscard]] Json to_json(const Shape& shape);
[[nodiscard]] Json to_json(const DeviceInfo& device);
[[nodiscard]] Json to_json(const Absence& absence);
/// {"devices", "absences"}; each device has its id by name, too.
[[nodiscard]] Json to_json(const DeviceList& list);
[[nodiscard]] Json to_json(const Heap& heap);
[[nodiscard]] Json to_json(const ProgramPack& pack);

/// A parameter as signatures have it: `x: read f32[]`.
[[nodiscard]] std::string declaration(const Parameter& parameter);
/// "1,1,1".
[[nodiscard]] std::string text_of(const Grid& grid);
/// "12.3 GiB".
[[nodiscard]] std::string text_of_bytes(std::uint64_t bytes);

}  // namespace pintle::cli
