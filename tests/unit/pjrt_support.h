// For tests that drive the pjrt backend through the seam, on every plug-in that PINTLE_PJRT_PLUGINS names.
#pragma once

#include <optional>

#include "kit/verdict.h"
#include "pintle/native/pjrt.h"
#include "seam_rig.h"

namespace pintle::pjrt {
std::unique_ptr<backend::Driver> create_driver();
}

namespace pintle::test {

inline backend::Driver& pjrt_driver() {
  static backend::Driver& driver = *pjrt::create_driver().release();
  return driver;
}

class PjrtRig : public SeamRig {
 public:
  static constexpr std::string_view nothing = "PINTLE_PJRT_PLUGINS names no plug-in that has a device here";
  static backend::Driver& driver() { return pjrt_driver(); }

  explicit PjrtRig(std::uint32_t ordinal, std::uint64_t first_serial = 0)
      : SeamRig(pjrt_driver(), ordinal, first_serial) {}

  Result<backend::ProgramId> try_text(std::string_view text, const std::vector<std::string>& signatures) {
    return try_load("stablehlo", base::bytes_in(text), signatures);
  }
  /// Submits, waits, and asks whether the submission has failed.
  std::optional<Error> verdict_of(const List& list) {
    const std::uint64_t serial = submit(list);
    finish(serial);
    kit::Verdict verdict{queue, serial};
    must(device->native(kit::Verdict::native_type, 0, &verdict));
    return verdict.error;
  }
  pjrt::PjrtTransfers transfers() {
    pjrt::PjrtTransfers moved;
    must(device->native(pjrt::PjrtTransfers::native_type, 0, &moved));
    return moved;
  }
};

using PjrtTest = SeamTest<PjrtRig>;

}  // namespace pintle::test
