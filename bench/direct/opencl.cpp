// The reference in OpenCL: an in-order queue, one event for what is waited for, memory that is mapped for each
// transfer.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "bench/direct/direct.h"
#include "bench/direct/opencl_functions.h"
#include "bench/kernels/kernel_text.h"
#include "bench/kernels/turn.h"

namespace pintle::bench {
namespace {

class DirectOpenCl final : public Direct {
 public:
  DirectOpenCl(const OpenClFunctions& cl, std::string cache) : cl_(cl), cache_(std::move(cache)) {}
  ~DirectOpenCl() override;

  Result<void> open(const Target& target);
  Result<void> record(std::uint32_t launches) override;
  Result<void> record_another_way(std::uint32_t launches) override;
  Result<void> submit() override;
  Result<void> wait() override;
  Result<void> allocate(std::size_t size) override;
  Result<void> upload(std::span<const std::byte> from) override;
  Result<void> download(std::span<std::byte> to) override;
  Result<std::vector<std::uint32_t>> turn(std::uint32_t rounds) override;

 private:
  std::string told(cl_platform_id platform, cl_platform_info what) const;
  std::string told(cl_device_id device, cl_device_info what) const;
  bool is_target(cl_platform_id platform, cl_device_id device, const Target& target) const;
  std::vector<cl_device_id> devices_of(cl_platform_id platform) const;
  Result<void> find(const Target& target);
  Result<void> load();
  Result<cl_program> create_program(const std::string& file);
  Result<void> keep_program(const std::string& file) const;
  Result<cl_kernel> kernel(const char* name);
  Result<void*> map(cl_map_flags how, std::size_t size);
  Result<void> unmap(void* place);
  Result<void> set_arguments(cl_kernel kernel, std::uint32_t rounds);

  const OpenClFunctions& cl_;
  const std::string cache_;
  cl_platform_id platform_ = nullptr;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_kernel> kernels_;
  cl_mem memory_ = nullptr;
  cl_kernel nothing_ = nullptr;
  std::uint32_t launches_ = 0;
  CommandBufferFunctions recorded_by_;
  cl_command_buffer_khr recorded_ = nullptr;
  cl_event event_ = nullptr;
};

DirectOpenCl::~DirectOpenCl() {
  if (queue_ != nullptr) cl_.clFinish(queue_);
  if (event_ != nullptr) cl_.clReleaseEvent(event_);
  if (recorded_ != nullptr) recorded_by_.release(recorded_);
  if (memory_ != nullptr) cl_.clReleaseMemObject(memory_);
  for (const cl_kernel kernel : kernels_) cl_.clReleaseKernel(kernel);
  if (program_ != nullptr) cl_.clReleaseProgram(program_);
  if (queue_ != nullptr) cl_.clReleaseCommandQueue(queue_);
  if (context_ != nullptr) cl_.clReleaseContext(context_);
}

std::string DirectOpenCl::told(cl_platform_id platform, cl_platform_info what) const {
  std::array<char, 512> text{};
  return cl_.clGetPlatformInfo(platform, what, text.size() - 1, text.data(), nullptr) == CL_SUCCESS ? text.data() : "";
}

std::string DirectOpenCl::told(cl_device_id device, cl_device_info what) const {
  std::array<char, 8192> text{};
  return cl_.clGetDeviceInfo(device, what, text.size() - 1, text.data(), nullptr) == CL_SUCCESS ? text.data() : "";
}

bool DirectOpenCl::is_target(cl_platform_id platform, cl_device_id device, const Target& target) const {
  const bool is_platform = target.mark.find(told(platform, CL_PLATFORM_NAME)) != std::string::npos;
  return is_platform && target.mark.ends_with(" " + told(device, CL_DRIVER_VERSION)) &&
         told(device, CL_DEVICE_NAME) == target.name;
}

std::vector<cl_device_id> DirectOpenCl::devices_of(cl_platform_id platform) const {
  cl_uint count = 0;
  if (cl_.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  cl_.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  return devices;
}

Result<void> DirectOpenCl::find(const Target& target) {
  cl_uint count = 0;
  PINTLE_TRY(check_call(cl_.clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs"));
  std::vector<cl_platform_id> platforms(count);
  PINTLE_TRY(check_call(cl_.clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs"));
  std::size_t before = 0;
  for (const cl_platform_id platform : platforms) {
    for (const cl_device_id device : devices_of(platform)) {
      if (!is_target(platform, device, target) || before++ != target.before) continue;
      platform_ = platform;
      device_ = device;
      return {};
    }
  }
  return Error(Errc::not_found, fmt::format("The reference finds no OpenCL device {} of {} with ({}) before it.",
                                            base::quote(target.name), base::quote(target.mark), target.before));
}

Result<void> DirectOpenCl::open(const Target& target) {
  PINTLE_TRY(find(target));
  const std::array<cl_context_properties, 3> properties{CL_CONTEXT_PLATFORM,
                                                        reinterpret_cast<cl_context_properties>(platform_), 0};
  cl_int status = CL_SUCCESS;
  context_ = cl_.clCreateContext(properties.data(), 1, &device_, nullptr, nullptr, &status);
  PINTLE_TRY(check_call(status, "clCreateContext"));
  queue_ = cl_.clCreateCommandQueue(context_, device_, 0, &status);
  PINTLE_TRY(check_call(status, "clCreateCommandQueue"));
  return load();
}

/// From the binary in the cache's folder, which is written where it is not there.
Result<void> DirectOpenCl::load() {
  const std::string file = cache_.empty() ? cache_ : cache_ + "/program.opencl";
  PINTLE_ASSIGN(program, create_program(file));
  program_ = program;
  PINTLE_TRY(check_call(cl_.clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram"));
  return file.empty() || std::filesystem::exists(file) ? Result<void>() : keep_program(file);
}

Result<cl_program> DirectOpenCl::create_program(const std::string& file) {
  cl_int status = CL_SUCCESS;
  cl_program program = nullptr;
  if (file.empty() || !std::filesystem::exists(file)) {
    const char* text = opencl_text.data();
    const std::size_t size = opencl_text.size();
    program = cl_.clCreateProgramWithSource(context_, 1, &text, &size, &status);
    PINTLE_TRY(check_call(status, "clCreateProgramWithSource"));
    return program;
  }
  PINTLE_ASSIGN(binary, base::read_file(file));
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  program = cl_.clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, nullptr, &status);
  PINTLE_TRY(check_call(status, "clCreateProgramWithBinary"));
  return program;
}

Result<void> DirectOpenCl::keep_program(const std::string& file) const {
  std::size_t size = 0;
  PINTLE_TRY(check_call(cl_.clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
                        "clGetProgramInfo"));
  std::vector<std::byte> binary(size);
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  PINTLE_TRY(check_call(cl_.clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr),
                        "clGetProgramInfo"));
  return base::write_file(file, binary);
}

Result<cl_kernel> DirectOpenCl::kernel(const char* name) {
  cl_int status = CL_SUCCESS;
  const cl_kernel kernel = cl_.clCreateKernel(program_, name, &status);
  PINTLE_TRY(check_call(status, "clCreateKernel"));
  kernels_.push_back(kernel);
  return kernel;
}

Result<void> DirectOpenCl::record(std::uint32_t launches) {
  if (nothing_ == nullptr) {
    PINTLE_ASSIGN(made, kernel("bench_nothing"));
    nothing_ = made;
  }
  launches_ = launches;
  return {};
}

/// A command buffer of cl_khr_command_buffer, each launch behind the one before.
Result<void> DirectOpenCl::record_another_way(std::uint32_t launches) {
  if (told(device_, CL_DEVICE_EXTENSIONS).find("cl_khr_command_buffer") == std::string::npos)
    return Error(Errc::unsupported, "The device lacks cl_khr_command_buffer.");
  PINTLE_ASSIGN(functions, CommandBufferFunctions::of(cl_, platform_));
  recorded_by_ = functions;
  PINTLE_TRY(record(launches));
  constexpr std::size_t one = 1;
  cl_int status = CL_SUCCESS;
  recorded_ = recorded_by_.create(1, &queue_, nullptr, &status);
  PINTLE_TRY(check_call(status, "clCreateCommandBufferKHR"));
  cl_sync_point_khr before = 0;
  for (std::uint32_t i = 0; i < launches; ++i) {
    PINTLE_TRY(check_call(recorded_by_.launch(recorded_, nullptr, nullptr, nothing_, 1, nullptr, &one, &one, i != 0,
                                              i != 0 ? &before : nullptr, &before, nullptr),
                          "clCommandNDRangeKernelKHR"));
  }
  return check_call(recorded_by_.finalize(recorded_), "clFinalizeCommandBufferKHR");
}

/// The last launch has the event of all: a clFinish after a clFlush waits for nothing in rusticl of Mesa 22.3.
Result<void> DirectOpenCl::submit() {
  if (recorded_ != nullptr) {
    PINTLE_TRY(
        check_call(recorded_by_.enqueue(0, nullptr, recorded_, 0, nullptr, &event_), "clEnqueueCommandBufferKHR"));
    return check_call(cl_.clFlush(queue_), "clFlush");
  }
  constexpr std::size_t one = 1;
  for (std::uint32_t i = 1; i <= launches_; ++i) {
    cl_event* const event = i == launches_ ? &event_ : nullptr;
    PINTLE_TRY(check_call(cl_.clEnqueueNDRangeKernel(queue_, nothing_, 1, nullptr, &one, &one, 0, nullptr, event),
                          "clEnqueueNDRangeKernel"));
  }
  return check_call(cl_.clFlush(queue_), "clFlush");
}

Result<void> DirectOpenCl::wait() {
  const cl_int status = cl_.clWaitForEvents(1, &event_);
  cl_.clReleaseEvent(std::exchange(event_, nullptr));
  return check_call(status, "clWaitForEvents");
}

Result<void> DirectOpenCl::allocate(std::size_t size) {
  cl_int status = CL_SUCCESS;
  memory_ = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &status);
  return check_call(status, "clCreateBuffer");
}

Result<void*> DirectOpenCl::map(cl_map_flags how, std::size_t size) {
  cl_int status = CL_SUCCESS;
  void* const place = cl_.clEnqueueMapBuffer(queue_, memory_, CL_TRUE, how, 0, size, 0, nullptr, nullptr, &status);
  PINTLE_TRY(check_call(status, "clEnqueueMapBuffer"));
  return place;
}

/// Until then the device does not have the bytes.
Result<void> DirectOpenCl::unmap(void* place) {
  PINTLE_TRY(
      check_call(cl_.clEnqueueUnmapMemObject(queue_, memory_, place, 0, nullptr, nullptr), "clEnqueueUnmapMemObject"));
  return check_call(cl_.clFinish(queue_), "clFinish");
}

Result<void> DirectOpenCl::upload(std::span<const std::byte> from) {
  PINTLE_ASSIGN(place, map(CL_MAP_WRITE_INVALIDATE_REGION, from.size()));
  std::memcpy(place, from.data(), from.size());
  return unmap(place);
}

Result<void> DirectOpenCl::download(std::span<std::byte> to) {
  PINTLE_ASSIGN(place, map(CL_MAP_READ, to.size()));
  std::memcpy(to.data(), place, to.size());
  return unmap(place);
}

Result<void> DirectOpenCl::set_arguments(cl_kernel kernel, std::uint32_t rounds) {
  PINTLE_TRY(check_call(cl_.clSetKernelArg(kernel, 0, sizeof memory_, &memory_), "clSetKernelArg"));
  return check_call(cl_.clSetKernelArg(kernel, 1, sizeof rounds, &rounds), "clSetKernelArg");
}

Result<std::vector<std::uint32_t>> DirectOpenCl::turn(std::uint32_t rounds) {
  PINTLE_ASSIGN(made, kernel("bench_turn"));
  std::vector<std::uint32_t> values(turn_group);
  const std::size_t size = values.size() * sizeof(std::uint32_t), items = turn_group;
  PINTLE_TRY(allocate(size));
  PINTLE_TRY(
      check_call(cl_.clEnqueueWriteBuffer(queue_, memory_, CL_FALSE, 0, size, values.data(), 0, nullptr, nullptr),
                 "clEnqueueWriteBuffer"));
  PINTLE_TRY(set_arguments(made, rounds));
  PINTLE_TRY(check_call(cl_.clEnqueueNDRangeKernel(queue_, made, 1, nullptr, &items, &items, 0, nullptr, nullptr),
                        "clEnqueueNDRangeKernel"));
  PINTLE_TRY(check_call(cl_.clEnqueueReadBuffer(queue_, memory_, CL_TRUE, 0, size, values.data(), 0, nullptr, nullptr),
                        "clEnqueueReadBuffer"));
  return values;
}

}  // namespace

Result<std::unique_ptr<Direct>> open_direct_opencl(const Target& target, const std::string& cache) {
  PINTLE_ASSIGN(cl, OpenClFunctions::open());
  auto direct = std::make_unique<DirectOpenCl>(*cl, cache);
  PINTLE_TRY(direct->open(target));
  return std::unique_ptr<Direct>(std::move(direct));
}

}  // namespace pintle::bench
