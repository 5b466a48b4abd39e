// The platform has the name that HOSTILE_PLATFORM says (unset: its own): what is known of one driver then holds for
// another, which may do better.
#include <cstdlib>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;
std::string platform_name;

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size, void* value,
                                 size_t* needed) {
  if (what == CL_PLATFORM_NAME) return answer(platform_name, size, value, needed);
  return next.clGetPlatformInfo(platform, what, size, value, needed);
}

}  // namespace

void install_platform_name(cl_icd_dispatch& table) {
  const char* const text = std::getenv("HOSTILE_PLATFORM");
  if (text == nullptr) return;
  platform_name = text;
  next = table;
  table.clGetPlatformInfo = &platform_info;
}

}  // namespace pintle::hostile
