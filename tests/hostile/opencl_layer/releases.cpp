// A driver's habits: an object that is released once more than it was taken, or before what lies in it (a sub-buffer,
// an image over a buffer), crashes the process. The standard allows the first, and forbids the second
// (clCreateSubBuffer, clCreateImage: the buffer is retained).
#include "enqueues.h"
#include "habit.h"
#include "objects.h"

namespace pintle::hostile {
namespace {

struct Releases {
  static inline cl_icd_dispatch next;

  template <class Enqueue, class Run>
  static auto around(Enqueue& enqueue, Run run) {
    auto answer = run();
    if (enqueue.event() != nullptr && *enqueue.event() != nullptr)
      Objects::instance().begin(*enqueue.event(), "an enqueue");
    return answer;
  }
};

/// What makes, retains and releases objects: the name is known by the entry's place in the table.
template <auto Entry>
constexpr std::string_view call_of = "an OpenCL call";

#define HOSTILE_NAME(entry) \
  template <>               \
  constexpr std::string_view call_of<&cl_icd_dispatch::entry> = #entry
HOSTILE_NAME(clCreateBuffer);
HOSTILE_NAME(clCreateBufferWithProperties);
HOSTILE_NAME(clCreateSampler);
HOSTILE_NAME(clCreateProgramWithSource);
HOSTILE_NAME(clCreateProgramWithBinary);
HOSTILE_NAME(clCreateProgramWithIL);
HOSTILE_NAME(clCreateKernel);
HOSTILE_NAME(clCreateCommandQueue);
HOSTILE_NAME(clCreateCommandQueueWithProperties);
HOSTILE_NAME(clCreateUserEvent);
HOSTILE_NAME(clRetainMemObject);
HOSTILE_NAME(clReleaseMemObject);
HOSTILE_NAME(clRetainSampler);
HOSTILE_NAME(clReleaseSampler);
HOSTILE_NAME(clRetainProgram);
HOSTILE_NAME(clReleaseProgram);
HOSTILE_NAME(clRetainKernel);
HOSTILE_NAME(clReleaseKernel);
HOSTILE_NAME(clRetainCommandQueue);
HOSTILE_NAME(clReleaseCommandQueue);
HOSTILE_NAME(clRetainEvent);
HOSTILE_NAME(clReleaseEvent);
#undef HOSTILE_NAME

template <auto Entry>
struct Create;
template <class Handle, class... Arguments, Handle (CL_API_CALL* cl_icd_dispatch::*Entry)(Arguments...)>
struct Create<Entry> {
  static Handle CL_API_CALL call(Arguments... arguments) {
    const Handle made = (Releases::next.*Entry)(arguments...);
    Objects::instance().begin(made, call_of<Entry>);
    return made;
  }
};

template <auto Entry>
struct Count;
template <class Handle, cl_int (CL_API_CALL* cl_icd_dispatch::*Entry)(Handle)>
struct Count<Entry> {
  static cl_int CL_API_CALL retain(Handle handle) {
    Objects::instance().retain(handle, call_of<Entry>);
    return (Releases::next.*Entry)(handle);
  }
  static cl_int CL_API_CALL release(Handle handle) {
    Objects::instance().release(handle, call_of<Entry>);
    return (Releases::next.*Entry)(handle);
  }
};

cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* region,
                                     cl_int* status) {
  const cl_mem part = Releases::next.clCreateSubBuffer(buffer, flags, type, region, status);
  Objects::instance().begin(part, "clCreateSubBuffer", buffer);
  return part;
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                const cl_image_desc* shape, void* host, cl_int* status) {
  const cl_mem image = Releases::next.clCreateImage(context, flags, format, shape, host, status);
  Objects::instance().begin(image, "clCreateImage", shape == nullptr ? nullptr : shape->mem_object);
  return image;
}

template <auto... Entries>
void create(cl_icd_dispatch& table) {
  ((table.*Entries = &Create<Entries>::call), ...);
}

template <auto... Entries>
void retain(cl_icd_dispatch& table) {
  ((table.*Entries = &Count<Entries>::retain), ...);
}

template <auto... Entries>
void release(cl_icd_dispatch& table) {
  ((table.*Entries = &Count<Entries>::release), ...);
}

}  // namespace

void install_releases(cl_icd_dispatch& table) {
  using Table = cl_icd_dispatch;
  Releases::next = table;
  stand_around_enqueues<Releases>(table);
  table.clCreateSubBuffer = &create_sub_buffer;
  table.clCreateImage = &create_image;
  create<&Table::clCreateBuffer, &Table::clCreateBufferWithProperties, &Table::clCreateSampler,
         &Table::clCreateProgramWithSource, &Table::clCreateProgramWithBinary, &Table::clCreateProgramWithIL,
         &Table::clCreateKernel, &Table::clCreateCommandQueue, &Table::clCreateCommandQueueWithProperties,
         &Table::clCreateUserEvent>(table);
  retain<&Table::clRetainMemObject, &Table::clRetainSampler, &Table::clRetainProgram, &Table::clRetainKernel,
         &Table::clRetainCommandQueue, &Table::clRetainEvent>(table);
  release<&Table::clReleaseMemObject, &Table::clReleaseSampler, &Table::clReleaseProgram, &Table::clReleaseKernel,
          &Table::clReleaseCommandQueue, &Table::clReleaseEvent>(table);
}

}  // namespace pintle::hostile
