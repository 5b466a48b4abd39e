#include "facts/api.h"

#include "base/dylib.h"
#include "base/opened_once.h"
#include "vendor/hip/as_cuda.h"

namespace facts {
namespace {

More more_of(const pintle::base::Dylib& library, Vendor vendor) {
  More more;
#define FUNCTION(name, exported, of_hip, ...) \
  static_cast<void>(library.find(vendor == Vendor::cuda ? #exported : of_hip, more.name));
#include "facts/more_symbols.inc"
#undef FUNCTION
  return more;
}

pintle::Result<Api> open_hip() {
  const auto& runtime = pintle::vendor::hip::runtime();
  if (!runtime) return runtime.error();
  static const Driver& table = *new Driver(pintle::vendor::hip::as_cuda(*runtime));
  return Api{Vendor::hip, table, more_of(runtime->library, Vendor::hip)};
}

}  // namespace

pintle::Result<Api> open_api(Vendor vendor) {
  if (vendor == Vendor::hip) return open_hip();
  const auto& driver = pintle::base::opened_once<Driver>();
  if (!driver) return driver.error();
  return Api{Vendor::cuda, *driver, more_of(driver->library, Vendor::cuda)};
}

std::string codes(std::initializer_list<Status> statuses) {
  std::string line;
  for (const Status status : statuses) line += (line.empty() ? "" : " ") + text(status);
  return line;
}

void expect(Status status, const char* call) {
  if (status != Status::CUDA_SUCCESS) throw Unprepared(std::string(call) + " answers " + text(status));
}

}  // namespace facts
