// OpenCL's own API: `peer_opencl KERNELS.cl PLATFORM [--cold]`, where PLATFORM is a word of the platform's name.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "bench/peers/native/values.h"
#include "bench/peers/native/worker.h"

namespace peers {
namespace {

void check(cl_int code, const char* what) {
  if (code != CL_SUCCESS) throw std::runtime_error(std::string(what) + ": OpenCL error " + std::to_string(code));
}

std::string name_of(cl_platform_id platform) {
  std::array<char, 256> name{};
  check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size(), name.data(), nullptr), "clGetPlatformInfo");
  return name.data();
}

cl_platform_id find_platform(const std::string& word) {
  std::array<cl_platform_id, 16> platforms{};
  cl_uint count = 0;
  check(clGetPlatformIDs(platforms.size(), platforms.data(), &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count; ++i)
    if (name_of(platforms[i]).find(word) != std::string::npos) return platforms[i];
  throw std::runtime_error("there is no OpenCL platform \"" + word + "\"");
}

cl_device_id device_of(cl_platform_id platform) {
  cl_device_id device = nullptr;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  return device;
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The driver frees the objects when the process ends.
class OpenClPeer final : public Peer {
 public:
  OpenClPeer(const char* kernels, const char* word) : platform_(find_platform(word)), device_(device_of(platform_)) {
    cl_int code = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    check(code, "clCreateCommandQueue");
    const std::string text = text_of(kernels);
    const char* source = text.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
  }

  [[nodiscard]] std::string about() const override { return "OpenCL by hand on " + name_of(platform_); }

  void add_saxpy(std::size_t elements) override {
    const Pair pair{elements, buffer(make_x(elements)), buffer(make_y(elements)), kernel("saxpy")};
    const auto count = static_cast<cl_uint>(elements);
    set_argument(pair.kernel, 0, factor);
    set_argument(pair.kernel, 1, pair.x);
    set_argument(pair.kernel, 2, pair.y);
    set_argument(pair.kernel, 3, count);
    pairs_.push_back(pair);
  }
  void saxpy(std::size_t index) override {
    const std::size_t group = 256;
    enqueue(pairs_[index].kernel, (pairs_[index].elements + group - 1) / group * group, group);
    finish();
  }
  std::vector<float> y(std::size_t index) override { return values(pairs_[index].y, pairs_[index].elements); }

  void prepare() override {
    counter_ = buffer({0.0F});
    counter_kernel_ = kernel("inc");
    set_argument(counter_kernel_, 0, counter_);
    far_ = allocate(transfer_floats);
  }
  void launch() override {
    enqueue(counter_kernel_, 1, 1);
    finish();
  }
  void chain() override {
    for (long i = 0; i < chain_length; ++i) enqueue(counter_kernel_, 1, 1);
    finish();
  }
  float counter() override { return values(counter_, 1)[0]; }
  void upload(const std::vector<float>& from) override { write(far_, from); }
  void download(std::vector<float>& to) override { read(far_, to); }

 private:
  struct Pair {
    std::size_t elements;
    cl_mem x, y;
    cl_kernel kernel;
  };

  cl_mem allocate(std::size_t elements) {
    cl_int code = CL_SUCCESS;
    cl_mem made = clCreateBuffer(context_, CL_MEM_READ_WRITE, elements * sizeof(float), nullptr, &code);
    check(code, "clCreateBuffer");
    return made;
  }
  cl_mem buffer(const std::vector<float>& from) {
    cl_mem made = allocate(from.size());
    write(made, from);
    return made;
  }
  cl_kernel kernel(const char* name) {
    cl_int code = CL_SUCCESS;
    cl_kernel made = clCreateKernel(program_, name, &code);
    check(code, "clCreateKernel");
    return made;
  }
  template <class T>
  static void set_argument(cl_kernel kernel, cl_uint index, const T& value) {
    check(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
  }
  void write(cl_mem to, const std::vector<float>& from) {
    check(clEnqueueWriteBuffer(queue_, to, CL_TRUE, 0, from.size() * sizeof(float), from.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
  void read(cl_mem from, std::vector<float>& to) {
    check(clEnqueueReadBuffer(queue_, from, CL_TRUE, 0, to.size() * sizeof(float), to.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }
  std::vector<float> values(cl_mem from, std::size_t elements) {
    std::vector<float> to(elements);
    read(from, to);
    return to;
  }
  void enqueue(cl_kernel kernel, std::size_t global, std::size_t local) {
    check(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
  void finish() { check(clFinish(queue_), "clFinish"); }

  cl_platform_id platform_;
  cl_device_id device_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<Pair> pairs_;
  cl_mem counter_ = nullptr, far_ = nullptr;
  cl_kernel counter_kernel_ = nullptr;
};

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  return peers::worker_main(
      count, arguments, [](std::span<char*> given) { return std::make_unique<peers::OpenClPeer>(given[0], given[1]); });
}
