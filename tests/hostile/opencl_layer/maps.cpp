// What the standard leaves open (OpenCL 3.0, clEnqueueMapBuffer): a kernel that uses a region while the host has it
// mapped for writing, or writes one that is mapped for reading. Here it ends the process, by name.
#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include "habit.h"
#include "kernel_arguments.h"
#include "objects.h"

namespace pintle::hostile {
namespace {

/// Bytes of a buffer that is no part of another.
struct Region {
  cl_mem whole = nullptr;
  size_t begin = 0, end = 0;

  [[nodiscard]] bool overlaps(const Region& other) const noexcept {
    return whole == other.whole && begin < other.end && other.begin < end;
  }
};

struct Mapping {
  Region region{};
  void* address = nullptr;
  bool is_written = false;
};

cl_icd_dispatch next;
std::mutex mutex;
auto& mappings = *new std::vector<Mapping>;

template <class T>
T value_of(cl_mem memory, cl_mem_info what) {
  T value{};
  next.clGetMemObjectInfo(memory, what, sizeof value, &value, nullptr);
  return value;
}

Region region_of(cl_mem memory, size_t offset, size_t size) {
  const auto whole = value_of<cl_mem>(memory, CL_MEM_ASSOCIATED_MEMOBJECT);
  if (whole == nullptr) return {memory, offset, offset + size};
  const auto begin = value_of<size_t>(memory, CL_MEM_OFFSET) + offset;
  return {whole, begin, begin + size};
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, cl_map_flags flags,
                             size_t offset, size_t size, cl_uint count, const cl_event* waits, cl_event* event,
                             cl_int* status) {
  void* const mapped =
      next.clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, size, count, waits, event, status);
  const bool is_written = (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
  const std::lock_guard lock(mutex);
  if (mapped != nullptr) mappings.push_back({region_of(buffer, offset, size), mapped, is_written});
  return mapped;
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void* address, cl_uint count, const cl_event* waits,
                         cl_event* event) {
  {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(mappings, address, &Mapping::address);
    if (found != mappings.end()) mappings.erase(found);
  }
  return next.clEnqueueUnmapMemObject(queue, memory, address, count, waits, event);
}

/// As far as the driver tells it.
bool is_written(cl_kernel kernel, cl_uint index) {
  cl_kernel_arg_type_qualifier type = CL_KERNEL_ARG_TYPE_CONST;
  const cl_int told = next.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, nullptr);
  return told == CL_SUCCESS && (type & CL_KERNEL_ARG_TYPE_CONST) == 0;
}

void check(cl_kernel kernel, cl_uint index, const Region& used) {
  for (const Mapping& mapping : mappings) {
    if (!mapping.region.overlaps(used) || (!mapping.is_written && !is_written(kernel, index))) continue;
    std::ostringstream text;
    text << "clEnqueueNDRangeKernel launches \"" << name_of(next, kernel) << "\", whose argument " << index
         << (mapping.is_written ? " has bytes that are mapped for writing" : " is written and mapped for reading");
    end_process(text.str());
  }
}

struct Maps {
  static inline cl_icd_dispatch& next = hostile::next;

  static void before_launch(cl_kernel kernel, const std::map<cl_uint, Held>& arguments) {
    const std::lock_guard lock(mutex);
    if (mappings.empty()) return;
    for (const auto& [index, argument] : arguments) {
      const cl_mem memory = static_cast<cl_mem>(argument.handle);
      cl_mem_object_type type = 0;
      const bool is_memory = Objects::instance().number_of(argument.handle) != 0 &&
                             next.clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, nullptr) == CL_SUCCESS;
      if (is_memory && type == CL_MEM_OBJECT_BUFFER)
        check(kernel, index, region_of(memory, 0, value_of<size_t>(memory, CL_MEM_SIZE)));
    }
  }
};

}  // namespace

/// Needs to know which objects there are: comes after `releases`.
void install_maps(cl_icd_dispatch& table) {
  next = table;
  table.clEnqueueMapBuffer = &map_buffer;
  table.clEnqueueUnmapMemObject = &unmap;
  KernelArguments<Maps>::stand(table);
}

}  // namespace pintle::hostile
