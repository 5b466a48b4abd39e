// OpenCL's functions, as far as the reference calls them, through the ICD loader that is opened at run time.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120  // the queues of 1.2 are what every version has
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "base/dylib.h"

#define BENCH_OPENCL_FUNCTIONS(X)             \
  X(clGetExtensionFunctionAddressForPlatform) \
  X(clGetPlatformIDs)                         \
  X(clGetPlatformInfo)                        \
  X(clGetDeviceIDs)                           \
  X(clGetDeviceInfo)                          \
  X(clCreateContext)                          \
  X(clReleaseContext)                         \
  X(clCreateCommandQueue)                     \
  X(clReleaseCommandQueue)                    \
  X(clCreateProgramWithSource)                \
  X(clCreateProgramWithBinary)                \
  X(clBuildProgram)                           \
  X(clGetProgramInfo)                         \
  X(clReleaseProgram)                         \
  X(clCreateKernel)                           \
  X(clSetKernelArg)                           \
  X(clReleaseKernel)                          \
  X(clCreateBuffer)                           \
  X(clReleaseMemObject)                       \
  X(clEnqueueNDRangeKernel)                   \
  X(clEnqueueWriteBuffer)                     \
  X(clEnqueueReadBuffer)                      \
  X(clEnqueueMapBuffer)                       \
  X(clEnqueueUnmapMemObject)                  \
  X(clFlush)                                  \
  X(clFinish)                                 \
  X(clWaitForEvents)                          \
  X(clReleaseEvent)

namespace pintle::bench {

struct OpenClFunctions {
  base::Dylib loader;
#define BENCH_FIELD(name) decltype(&::name) name = nullptr;
  BENCH_OPENCL_FUNCTIONS(BENCH_FIELD)
#undef BENCH_FIELD

  /// Opened once and never closed: drivers have threads that outlive main.
  [[nodiscard]] static Result<const OpenClFunctions*> open();
};

/// The functions of cl_khr_command_buffer, from a platform that has it.
struct CommandBufferFunctions {
  clCreateCommandBufferKHR_fn create = nullptr;
  clReleaseCommandBufferKHR_fn release = nullptr;
  clCommandNDRangeKernelKHR_fn launch = nullptr;
  clFinalizeCommandBufferKHR_fn finalize = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue = nullptr;

  /// `unsupported` where one is missing.
  [[nodiscard]] static Result<CommandBufferFunctions> of(const OpenClFunctions& cl, cl_platform_id platform);
};

}  // namespace pintle::bench
