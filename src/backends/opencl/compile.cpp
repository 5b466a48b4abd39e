// From an image to a built program.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "backends/opencl/program.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/log.h"
#include "base/quote.h"
#include "base/subprocess.h"
#include "kit/c_literal.h"
#include "kit/code_cache.h"

#include "pintle/version.h"

namespace pintle::opencl {
namespace {

using backend::ProgramImage;
using Code = std::vector<std::byte>;

/// Bytes of source; a shorter source is compiled sooner than it is found in the cache.
constexpr std::size_t least_kept = 64;

/// OpenCL C has 64 bits in a long, and knows no long long; an option has no spaces.
std::string opencl_literal(std::string text) {
  std::erase(text, ' ');
  if (const auto suffix = text.find("ll"); suffix != std::string::npos) text.erase(suffix, 1);
  return text;
}

Result<std::string> options_of(const ProgramImage& image) {
  std::string options = "-cl-kernel-arg-info";
  for (const backend::Constant& constant : image.constants) {
    PINTLE_ASSIGN(literal, kit::c_literal(constant));
    options += fmt::format(" -D{}={}", constant.name, opencl_literal(literal));
  }
  return options;
}

/// One image on its way to one device.
class Compilation {
 public:
  Compilation(const ProgramImage& image, const FoundDevice& found, cl_context context, std::string options)
      : image_(image), found_(found), context_(context), options_(std::move(options)) {}

  /// The program from the cache, else built and kept there.
  Result<Owned<cl_program>> cached_or_built() const {
    Owned<cl_program> built;
    PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
    auto file = cache.obtain(key(), ".clbin", [&]() -> Result<Code> {
      PINTLE_ASSIGN(program, from_source());
      built = std::move(program);
      return binary_of(built.get());
    });
    if (built != nullptr) return built;  // also where the cache cannot keep it
    if (!file) return file.error();
    auto cached = from_file(*file);
    if (cached) return cached;
    base::log(LogLevel::warn, "opencl", "The driver refuses compiled code of {} from the cache: {}", name_of(image_),
              cached.error().message());
    return from_source();
  }

  Result<Owned<cl_program>> from_il() const {
    cl_int status = CL_SUCCESS;
    Owned<cl_program> program(api().clCreateProgramWithIL(context_, image_.code.data(), image_.code.size(), &status));
    if (status != CL_SUCCESS) return failure(status, fmt::format("The driver takes no SPIR-V of {}.", name_of(image_)));
    return build(std::move(program));
  }

  Result<Owned<cl_program>> from_source() const {
    const auto* text = reinterpret_cast<const char*>(image_.code.data());
    const std::size_t size = image_.code.size();
    cl_int status = CL_SUCCESS;
    Owned<cl_program> program(api().clCreateProgramWithSource(context_, 1, &text, &size, &status));
    if (status != CL_SUCCESS) return failure(status, fmt::format("The driver takes no source of {}.", name_of(image_)));
    return build(std::move(program));
  }

 private:
  [[nodiscard]] base::Digest key() const {
    const std::string all =
        fmt::format("pintle {}\n{}\n{}\n{}", version, found_.identity, options_, base::text_in(image_.code));
    return base::sha256(base::bytes_in(all));
  }

  Result<Owned<cl_program>> from_file(const kit::CodeFile& file) const {
    PINTLE_ASSIGN(code, file.code());
    const auto* bytes = reinterpret_cast<const unsigned char*>(code.data());
    const std::size_t size = code.size();
    cl_int of_binary = CL_SUCCESS, status = CL_SUCCESS;
    Owned<cl_program> program(
        api().clCreateProgramWithBinary(context_, 1, &found_.device, &size, &bytes, &of_binary, &status));
    PINTLE_TRY(check(status, "clCreateProgramWithBinary"));
    PINTLE_TRY(check(of_binary, "clCreateProgramWithBinary"));
    return build(std::move(program));
  }

  Result<Owned<cl_program>> build(Owned<cl_program> program) const {
    const cl_int status = api().clBuildProgram(program.get(), 1, &found_.device, options_.c_str(), nullptr, nullptr);
    const std::string log = told_text([&](std::size_t size, void* to, std::size_t* needed) {
      return api().clGetProgramBuildInfo(program.get(), found_.device, CL_PROGRAM_BUILD_LOG, size, to, needed);
    });
    if (status == CL_SUCCESS) {
      if (!log.empty()) base::log(LogLevel::debug, "opencl", "{} is built: {}", name_of(image_), log);
      return program;
    }
    return failure(status, fmt::format("{} does not compile with the options ({}) on [{}]:\n{}", name_of(image_),
                                       options_, found_.info.id, log.empty() ? "the driver says nothing" : log));
  }

  static Result<Code> binary_of(cl_program program) {
    std::size_t size = 0;
    PINTLE_TRY(check(api().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
                     "clGetProgramInfo"));
    Code code(size);
    auto* bytes = reinterpret_cast<unsigned char*>(code.data());
    PINTLE_TRY(
        check(api().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr), "clGetProgramInfo"));
    if (size == 0) return Error(Errc::unsupported, "The driver gives no binary of the program.");
    return code;
  }

  const ProgramImage& image_;
  const FoundDevice& found_;
  const cl_context context_;
  const std::string options_;
};

/// PoCL links each kernel at its first launch, and ends the process where it finds no linker.
Result<void> check_linker(const ProgramImage& image, const FoundDevice& found) {
  if (!found.needs_linker || base::find_program("ld")) return {};
  return Error(Errc::build_failed,
               fmt::format("{} cannot be built on [{}]: the driver ({}) needs the linker \"ld\", and PATH has none. "
                           "Install the package binutils, or add the linker's folder to PATH.",
                           name_of(image), found.info.id, found.info.driver));
}

}  // namespace

Result<Owned<cl_program>> compile(const ProgramImage& image, const FoundDevice& found, cl_context context) {
  PINTLE_TRY(check_linker(image, found));
  if (image.format == "opencl_c") {
    PINTLE_ASSIGN(options, options_of(image));
    const Compilation compilation(image, found, context, std::move(options));
    return image.code.size() < least_kept ? compilation.from_source() : compilation.cached_or_built();
  }
  if (image.format != "spirv_opencl" || api().clCreateProgramWithIL == nullptr) {
    return Error(Errc::unsupported, fmt::format("Format {} of {} is none of [{}]'s ({}).", base::quote(image.format),
                                                name_of(image), found.info.id, fmt::join(found.info.formats, ", ")));
  }
  if (!image.constants.empty()) {
    return Error(
        Errc::unsupported,
        fmt::format("Constants ({}, the first is {}) of {} cannot be set in the format {}; only opencl_c "
                    "takes them.",
                    image.constants.size(), base::quote(image.constants[0].name), name_of(image), image.format));
  }
  return Compilation(image, found, context, {}).from_il();
}

}  // namespace pintle::opencl
