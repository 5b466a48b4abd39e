// A driver's defect: a kernel that asks an image1d_buffer_t for its width, order or type ends the process when code is
// made of it. A source that declares these functions unavailable asks nothing.
#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;

bool asks(std::string_view source) {
  const auto has = [&](std::string_view part) { return source.find(part) != std::string_view::npos; };
  return has("image1d_buffer_t") && has("get_image_") && !has("unavailable(");
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* told)(cl_program, void*), void* state) {
  if (asks(source_of(next, program))) end_process("clBuildProgram builds a kernel that asks an image1d_buffer_t");
  return next.clBuildProgram(program, count, devices, options, told, state);
}

}  // namespace

void install_texel_questions(cl_icd_dispatch& table) {
  next = table;
  table.clBuildProgram = &build;
}

}  // namespace pintle::hostile
