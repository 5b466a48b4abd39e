// What the standard allows: a handle, or an address of shared virtual memory, is given again as soon as its object has
// gone, with the bytes that it had.
#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "habit.h"

namespace pintle::hostile {
namespace {

/// What an object was made with.
struct Kind {
  cl_context context = nullptr;
  cl_ulong flags = 0;
  size_t size = 0;
  cl_uint alignment = 0;
  friend bool operator==(const Kind&, const Kind&) = default;
};

template <class Handle>
struct Gone {
  Handle handle{};
  Kind kind{};
};

/// Objects of one type: those that live and can come again, and those that wait for it, the last one behind.
template <class Handle>
class Kept {
 public:
  /// Null where none waits that was made so.
  Handle take(const Kind& kind) {
    const auto found = std::find_if(gone_.rbegin(), gone_.rend(), [&](const auto& each) { return each.kind == kind; });
    if (found == gone_.rend()) return nullptr;
    const Handle handle = found->handle;
    gone_.erase(std::next(found).base());
    live[handle] = kind;
    return handle;
  }
  /// False for what cannot come again.
  bool keep(Handle handle) {
    const auto found = live.extract(handle);
    if (found.empty() || gone_.size() == most || found.mapped().size > largest) return false;
    gone_.push_back({handle, found.mapped()});
    return true;
  }
  std::vector<Handle> end(cl_context context) {
    std::vector<Handle> ended;
    for (const auto& each : gone_) {
      if (each.kind.context == context) ended.push_back(each.handle);
    }
    std::erase_if(gone_, [&](const auto& each) { return each.kind.context == context; });
    return ended;
  }

  std::map<Handle, Kind> live;

 private:
  static constexpr size_t most = 32, largest = 16 << 20;
  std::vector<Gone<Handle>> gone_;
};

cl_icd_dispatch next;
std::mutex mutex;
auto& buffers = *new Kept<cl_mem>;
auto& addresses = *new Kept<void*>;

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* status) {
  const Kind kind{context, flags, size};
  const std::lock_guard lock(mutex);
  if (host == nullptr) {
    if (const cl_mem again = buffers.take(kind)) {
      if (status != nullptr) *status = CL_SUCCESS;
      return again;
    }
  }
  const cl_mem made = next.clCreateBuffer(context, flags, size, host, status);
  if (made != nullptr && host == nullptr) buffers.live[made] = kind;
  return made;
}

/// A command that has not ended, or a part, holds the object as well: then it goes as it would. The driver's callbacks
/// come here, so it is called without the mutex.
cl_int CL_API_CALL release_buffer(cl_mem memory) {
  {
    cl_uint count = 0;
    const std::lock_guard lock(mutex);
    const cl_int told = next.clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
    if (told == CL_SUCCESS && count == 1 && buffers.keep(memory)) return CL_SUCCESS;
    if (count == 1) buffers.live.erase(memory);
  }
  return next.clReleaseMemObject(memory);
}

/// The caller wants to hear of the end.
cl_int CL_API_CALL tell_of_end(cl_mem memory, void(CL_CALLBACK* call)(cl_mem, void*), void* state) {
  {
    const std::lock_guard lock(mutex);
    buffers.live.erase(memory);
  }
  return next.clSetMemObjectDestructorCallback(memory, call, state);
}

void* CL_API_CALL allocate(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  const Kind kind{context, flags, size, alignment};
  const std::lock_guard lock(mutex);
  if (void* const again = addresses.take(kind)) return again;
  void* const made = next.clSVMAlloc(context, flags, size, alignment);
  if (made != nullptr) addresses.live[made] = kind;
  return made;
}

void CL_API_CALL free(cl_context context, void* address) {
  {
    const std::lock_guard lock(mutex);
    if (addresses.keep(address)) return;
  }
  next.clSVMFree(context, address);
}

/// What waits would keep the context.
cl_int CL_API_CALL release_context(cl_context context) {
  std::vector<cl_mem> ended;
  std::vector<void*> freed;
  {
    const std::lock_guard lock(mutex);
    ended = buffers.end(context);
    freed = addresses.end(context);
  }
  for (const cl_mem each : ended) next.clReleaseMemObject(each);
  for (void* const each : freed) next.clSVMFree(context, each);
  return next.clReleaseContext(context);
}

}  // namespace

void install_recycled(cl_icd_dispatch& table) {
  next = table;
  table.clCreateBuffer = &create_buffer;
  table.clReleaseMemObject = &release_buffer;
  table.clSetMemObjectDestructorCallback = &tell_of_end;
  table.clSVMAlloc = &allocate;
  table.clSVMFree = &free;
  table.clReleaseContext = &release_context;
}

}  // namespace pintle::hostile
