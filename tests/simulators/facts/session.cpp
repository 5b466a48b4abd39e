#include "facts/session.h"

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace facts {
namespace {

constexpr std::size_t most_words = 65536;

}  // namespace

Session::Session(const Api& api, std::string code, std::vector<std::string> its_options)
    : cuda(api.cuda), more(api.more), options(std::move(its_options)), code_(std::move(code)) {
  expect(cuda.cuInit(0), "cuInit");
  expect(cuda.cuCtxCreate(&context, context_schedule_auto, 0), "cuCtxCreate");
  stream = create_stream();
  other = create_stream();
  words_ = static_cast<unsigned*>(pinned(most_words * sizeof(unsigned)));
  if (!code_.empty()) module_ = load();
}

Function Session::function_of(Module module, const char* name) const {
  if (module == nullptr) throw NotAsked("nothing was compiled");
  Function found = nullptr;
  const Status status = cuda.cuModuleGetFunction(&found, module, name);
  if (status == Status::CUDA_ERROR_NOT_FOUND) throw NotAsked(std::string("there is no kernel ") + name);
  expect(status, "cuModuleGetFunction");
  return found;
}

Module Session::load() const {
  Module module = nullptr;
  if (code_.empty()) throw NotAsked("nothing was compiled");
  expect(load(&module), "cuModuleLoadDataEx");
  return module;
}

Status Session::load(Module* module) const {
  return cuda.cuModuleLoadDataEx(module, code_.c_str(), 0, nullptr, nullptr);
}

DevicePointer Session::allocate(std::size_t bytes) const {
  DevicePointer memory = 0;
  expect(cuda.cuMemAlloc(&memory, bytes), "cuMemAlloc");
  return memory;
}

void* Session::pinned(std::size_t bytes) const {
  void* memory = nullptr;
  expect(cuda.cuMemHostAlloc(&memory, bytes, host_memory_portable | host_memory_device_mapped), "cuMemHostAlloc");
  std::memset(memory, 0, bytes);
  return memory;
}

unsigned* Session::words(std::size_t count) {
  if (words_given_ + count > most_words) throw Unprepared("all pinned words are given away");
  return words_ + std::exchange(words_given_, words_given_ + count);
}

Stream Session::create_stream() const {
  Stream made = nullptr;
  expect(cuda.cuStreamCreate(&made, stream_non_blocking), "cuStreamCreate");
  return made;
}

Event Session::create_event(unsigned flags) const {
  Event made = nullptr;
  expect(cuda.cuEventCreate(&made, flags), "cuEventCreate");
  return made;
}

const OtherContext& Session::other_context() {
  if (other_context_) return *other_context_;
  OtherContext made;
  expect(cuda.cuCtxCreate(&made.context, context_schedule_auto, 0), "cuCtxCreate");
  made.stream = create_stream();
  made.event = create_event();
  if (!code_.empty()) {
    const Module module = load();
    made.nothing = function_of(module, "nothing");
    made.add = function_of(module, "add");
  }
  Context popped = nullptr;
  expect(cuda.cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
  return other_context_.emplace(made);
}

/// The event stays: what its destruction does behind a fault is nobody's promise.
Status Session::finish(Stream on) const {
  Event event = nullptr;
  Status status = cuda.cuEventCreate(&event, event_disable_timing);
  if (status == Status::CUDA_SUCCESS) status = cuda.cuEventRecord(event, on);
  if (status != Status::CUDA_SUCCESS) return status;
  while ((status = cuda.cuEventQuery(event)) == Status::CUDA_ERROR_NOT_READY)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return status;
}

std::vector<unsigned> Session::read(DevicePointer from, std::size_t count) const {
  std::vector<unsigned> values(count);
  expect(finish(stream), "the wait for the stream");
  expect(cuda.cuMemcpyDtoHAsync(values.data(), from, count * sizeof(unsigned), stream), "cuMemcpyDtoHAsync");
  expect(finish(stream), "the wait for the stream");
  return values;
}

void Session::write(DevicePointer to, const std::vector<unsigned>& values) const {
  expect(cuda.cuMemcpyHtoDAsync(to, values.data(), values.size() * sizeof(unsigned), stream), "cuMemcpyHtoDAsync");
  expect(finish(stream), "the wait for the stream");
}

}  // namespace facts
