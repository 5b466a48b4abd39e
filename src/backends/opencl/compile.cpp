// From an image to a built program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "backends/opencl/program.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/quote.h"
#include "base/subprocess.h"
#include "kit/c_literal.h"
#include "kit/code_cache.h"
#include "kit/define_lines.h"
#include "kit/no_source.h"
#include "kit/program_name.h"
#include "opencl_c/kernels.h"

namespace pintle::opencl {
namespace {

using backend::ProgramImage;
using kit::name_of;
using Code = std::vector<std::byte>;

/// Bytes of source; a shorter source is compiled sooner than it is found in the cache.
constexpr std::size_t least_kept = 64;

/// Whether the driver keeps what `comparison` asks of arguments. NVIDIA's 580 builds no source so where a kernel has no
/// parameters.
enum class ArgumentInfo : std::uint8_t { absent, kept };

/// `options` has a space before each.
std::string with(ArgumentInfo info, std::string_view options) {
  if (info == ArgumentInfo::kept) return fmt::format("-cl-kernel-arg-info{}", options);
  return std::string(options.empty() ? options : options.substr(1));
}

/// A text for the driver, and how it is compiled.
struct Source {
  std::string text;
  std::string options;   ///< The caller's, each behind a space.
  bool is_alone = true;  ///< False where it includes files, which may change.
};

/// The value of a half: a float has it exactly.
float value_of_half(std::uint32_t bits) noexcept {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<float>(bits & 1023);
  float size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? std::numeric_limits<float>::infinity() : std::nanf("");
  return (bits & 0x8000) == 0 ? size : -size;
}

/// A half is written as a float: its own suffix needs an extension. OpenCL C has 64 bits in a long, and knows no long
/// long.
Result<std::string> opencl_literal(const backend::Constant& constant) {
  backend::Constant written = constant;
  if (constant.dtype == DType::f16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, constant.value.bytes.data(), sizeof bits);
    const float value = value_of_half(bits);
    written.dtype = DType::f32;
    std::memcpy(written.value.bytes.data(), &value, sizeof value);
  }
  PINTLE_ASSIGN(text, kit::c_literal(written));
  if (const auto suffix = text.find("ll"); suffix != std::string::npos) text.erase(suffix, 1);
  return text;
}

/// Drivers split options at spaces, and each has its own quotes, or none.
Result<std::string> options_of(const ProgramImage& image) {
  std::string options;
  const auto refused = [&](std::string_view what, std::string_view text) {
    return Error(Errc::unsupported,
                 fmt::format("{} {} of {} has a letter that splits the options of OpenCL's compilers: "
                             "a space or a quote.",
                             what, base::quote(text), name_of(image)));
  };
  constexpr std::string_view splits = " \t\r\n\"'\\";
  const std::string_view language = image.source.language;
  if (language.find_first_of(splits) != std::string_view::npos) return refused("Language", language);
  if (!language.empty()) options += fmt::format(" -cl-std={}", language);
  for (const std::string& folder : image.source.include_folders) {
    if (folder.find_first_of(splits) != std::string::npos) return refused("Include folder", folder);
    options += fmt::format(" -I {}", folder);
  }
  return options;
}

/// The compiler then refuses by name what PoCL ends the process for.
constexpr std::string_view no_questions = R"(
#define PINTLE_REFUSED(f, access) \
  __attribute__((overloadable, unavailable("PoCL may have no " #f " of image1d_buffer_t: pintle doctor --probe asks"))) \
  int f(access image1d_buffer_t);
#define PINTLE_REFUSED_EACH(access) \
  PINTLE_REFUSED(get_image_width, access) \
  PINTLE_REFUSED(get_image_channel_order, access) PINTLE_REFUSED(get_image_channel_data_type, access)
PINTLE_REFUSED_EACH(read_only) PINTLE_REFUSED_EACH(write_only)
#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_read_write_images)
PINTLE_REFUSED_EACH(read_write)
#endif
#line 1
)";

/// Drivers build every kernel of a source, whether an entry declares it or not.
bool may_have_texel_buffers(const ProgramImage& image) {
  const std::string_view text = base::text_in(image.code);
  return text.contains("image1d_buffer_t") || text.contains("include");
}

Result<Source> source_of(const ProgramImage& image, const FoundDevice& found) {
  PINTLE_ASSIGN(lines, kit::define_lines(image, &opencl_literal));
  PINTLE_ASSIGN(options, options_of(image));
  std::string text(found.refuses_questions && may_have_texel_buffers(image) ? no_questions : "");
  text += lines;
  text += base::text_in(image.code);
  const bool is_alone = text.find("include") == std::string::npos;
  return Source{std::move(text), std::move(options), is_alone};
}

/// Sources with declarations that this process has compared: a driver that tells nothing of compiled code does not have
/// to compile them again.
class Compared {
 public:
  static Compared& instance() {
    static Compared& compared = *new Compared;
    return compared;
  }
  [[nodiscard]] bool has(const Source& source, const ProgramImage& image, const FoundDevice& found) {
    const std::lock_guard lock(mutex_);
    return source.is_alone && digests_.contains(digest_of(source, image, found));
  }
  void add(const Source& source, const ProgramImage& image, const FoundDevice& found) {
    const std::lock_guard lock(mutex_);
    if (source.is_alone && digests_.size() < most) digests_.insert(digest_of(source, image, found));
  }

 private:
  static constexpr std::size_t most = 4096;

  static base::Digest digest_of(const Source& source, const ProgramImage& image, const FoundDevice& found) {
    std::string all = fmt::format("{}\n{}\n{}", found.identity, source.options, source.text);
    for (const Entry& entry : image.entries) all += "\n" + entry.signature();
    return base::sha256(base::bytes_in(all));
  }

  std::mutex mutex_;
  std::set<base::Digest> digests_;
};

struct Built {
  Owned<cl_program> program;
  ArgumentInfo info = ArgumentInfo::kept;
};

/// One image on its way to one device.
class Compilation {
 public:
  Compilation(const ProgramImage& image, const FoundDevice& found, cl_context context, Source source)
      : image_(image), found_(found), context_(context), source_(std::move(source)) {}

  Result<Owned<cl_program>> program() const {
    const bool is_kept = source_.is_alone && image_.code.size() >= least_kept;
    return is_kept ? cached_or_built() : program_of(from_source());
  }

  /// The program from the cache, else built and kept there.
  Result<Owned<cl_program>> cached_or_built() const {
    Owned<cl_program> built;
    PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
    auto file = cache.obtain(key(), ".clbin", [&]() -> Result<Code> {
      PINTLE_ASSIGN(made, from_source());
      built = std::move(made.program);
      return kept_code(built.get(), made.info);
    });
    if (built != nullptr) return built;  // also where the cache cannot keep it
    if (!file) return file.error();
    auto cached = from_file(*file);
    if (cached && !is_comparable(*cached)) return program_of(from_source());
    if (cached) return program_of(std::move(cached));
    base::log(LogLevel::warn, "opencl", "The driver refuses compiled code of {} from the cache: {}", name_of(image_),
              cached.error().message());
    return program_of(from_source());
  }

  Result<Owned<cl_program>> from_il() const {
    return program_of(build_either([&]() -> Result<Owned<cl_program>> {
      cl_int status = CL_SUCCESS;
      Owned<cl_program> program(api().clCreateProgramWithIL(context_, image_.code.data(), image_.code.size(), &status));
      if (status == CL_SUCCESS) return program;
      return failure(status, fmt::format("The driver takes no SPIR-V of {}.", name_of(image_)));
    }));
  }

  Result<Built> from_source() const {
    return build_either([&]() -> Result<Owned<cl_program>> {
      const char* text = source_.text.data();
      const std::size_t size = source_.text.size();
      cl_int status = CL_SUCCESS;
      Owned<cl_program> program(api().clCreateProgramWithSource(context_, 1, &text, &size, &status));
      if (status == CL_SUCCESS) return program;
      return failure(status, fmt::format("The driver takes no source of {}.", name_of(image_)));
    });
  }

 private:
  [[nodiscard]] base::Digest key() const {
    return kit::CodeCache::key_of(fmt::format("{}\n{}\n{}", found_.identity, source_.options, source_.text));
  }

  /// Intel's driver tells the types of parameters only of what it has compiled itself; without them a declaration of
  /// another type would pass. An entry that is not there is found later.
  [[nodiscard]] bool tells_parameters(cl_program program) const {
    for (const Entry& entry : image_.entries) {
      cl_int status = CL_SUCCESS;
      const Owned<cl_kernel> kernel(api().clCreateKernel(program, entry.name.c_str(), &status));
      if (status != CL_SUCCESS || entry.parameters.empty()) continue;
      std::size_t size = 0;
      return api().clGetKernelArgInfo(kernel.get(), 0, CL_KERNEL_ARG_TYPE_NAME, 0, nullptr, &size) == CL_SUCCESS &&
             size > 1;
    }
    return true;
  }

  /// Where the driver kept nothing of the arguments when the code was made, compiling it again would tell no more.
  [[nodiscard]] bool is_comparable(const Built& cached) const {
    return cached.info == ArgumentInfo::absent || tells_parameters(cached.program.get()) ||
           Compared::instance().has(source_, image_, found_);
  }

  static Result<Owned<cl_program>> program_of(Result<Built> built) {
    if (!built) return built.error();
    return std::move(built->program);
  }

  /// The first byte says how the binary behind it was built.
  Result<Built> from_file(const kit::CodeFile& file) const {
    PINTLE_ASSIGN(code, file.code());
    if (code.empty()) return Error(Errc::internal, "The file is empty.");
    const ArgumentInfo info = code.front() == std::byte{0} ? ArgumentInfo::absent : ArgumentInfo::kept;
    const auto* bytes = reinterpret_cast<const unsigned char*>(code.data() + 1);
    const std::size_t size = code.size() - 1;
    cl_int of_binary = CL_SUCCESS, status = CL_SUCCESS;
    Owned<cl_program> program(
        api().clCreateProgramWithBinary(context_, 1, &found_.device, &size, &bytes, &of_binary, &status));
    PINTLE_TRY(check(status, "clCreateProgramWithBinary"));
    PINTLE_TRY(check(of_binary, "clCreateProgramWithBinary"));
    PINTLE_ASSIGN(built, build(std::move(program), info));
    return Built{std::move(built), info};
  }

  /// A source is never refused for an option of ours: the second error, without it, is the one that counts.
  template <class Create>
  Result<Built> build_either(Create create) const {
    for (const ArgumentInfo info : {ArgumentInfo::kept, ArgumentInfo::absent}) {
      PINTLE_ASSIGN(program, create());
      auto built = build(std::move(program), info);
      if (built) return Built{*std::move(built), info};
      if (info == ArgumentInfo::absent || built.error().code() != Errc::build_failed) return built.error();
    }
    return Error(Errc::internal, "No way to build is left.");
  }

  Result<Owned<cl_program>> build(Owned<cl_program> program, ArgumentInfo info) const {
    const std::string options = with(info, source_.options);
    const cl_int status = api().clBuildProgram(program.get(), 1, &found_.device, options.c_str(), nullptr, nullptr);
    const std::string log = told_text([&](std::size_t size, void* to, std::size_t* needed) {
      return api().clGetProgramBuildInfo(program.get(), found_.device, CL_PROGRAM_BUILD_LOG, size, to, needed);
    });
    if (status == CL_SUCCESS) {
      if (!log.empty()) base::log(LogLevel::debug, "opencl", "{} is built: {}", name_of(image_), log);
      return program;
    }
    const std::string how = options.empty() ? "" : fmt::format(" with the options ({})", options);
    return failure(status, fmt::format("{} does not compile{} on [{}]:\n{}", name_of(image_), how, found_.info.id,
                                       log.empty() ? "the driver says nothing" : log));
  }

  static Result<Code> kept_code(cl_program program, ArgumentInfo info) {
    std::size_t size = 0;
    PINTLE_TRY(check(api().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
                     "clGetProgramInfo"));
    Code code(size + 1);
    code.front() = std::byte{info == ArgumentInfo::kept};
    auto* bytes = reinterpret_cast<unsigned char*>(code.data() + 1);
    PINTLE_TRY(
        check(api().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr), "clGetProgramInfo"));
    if (size == 0) return Error(Errc::unsupported, "The driver gives no binary of the program.");
    return code;
  }

  const ProgramImage& image_;
  const FoundDevice& found_;
  const cl_context context_;
  const Source source_;
};

/// PoCL links each kernel at its first launch, and ends the process where it finds no linker.
Result<void> check_linker(const ProgramImage& image, const FoundDevice& found) {
  if (!found.needs_linker || base::find_program("ld")) return {};
  return Error(Errc::build_failed,
               fmt::format("{} cannot be built on [{}]: the driver ({}) needs the linker \"ld\", and PATH has none. "
                           "Install the package binutils, or add the linker's folder to PATH.",
                           name_of(image), found.info.id, found.info.driver));
}

/// Each names the array whose size is negative where a struct has another size than declared.
std::string size_name(std::size_t index) { return fmt::format("pintle_size_of_{}_", index); }

}  // namespace

void remember_comparison(const ProgramImage& image, const FoundDevice& found) {
  if (image.format != "opencl_c") return;
  if (const auto source = source_of(image, found)) Compared::instance().add(*source, image, found);
}

Result<void> check_by_clang(const ProgramImage& image, const FoundDevice& found) {
  if (image.format != "opencl_c") return {};
  PINTLE_ASSIGN(source, source_of(image, found));
  if (Compared::instance().has(source, image, found)) return {};
  const auto kernels = opencl_c::kernels_of("program.cl", source.text, image.source.language);
  if (!kernels) {
    base::log(LogLevel::info, "opencl", "Number and sizes alone are compared of the arguments of {}: {}",
              name_of(image), kernels.error().message());
    return {};
  }
  for (const Entry& entry : image.entries) {
    const auto kernel = std::ranges::find(*kernels, entry.name, &opencl_c::OpenClKernel::name);
    if (kernel == kernels->end()) continue;  // the driver's macros may choose another part of the source
    if (const auto wrong = opencl_c::difference(entry, *kernel)) return mismatch(entry, *wrong);
  }
  return {};
}

Result<void> check_struct_sizes(const ProgramImage& image, const FoundDevice& found, cl_context context,
                                std::span<const UntoldSize> sizes) {
  if (sizes.empty() || image.format != "opencl_c") return {};
  PINTLE_ASSIGN(source, source_of(image, found));
  if (Compared::instance().has(source, image, found)) return {};
  for (std::size_t index = 0; index < sizes.size(); ++index)
    source.text += fmt::format("\ntypedef char {}[sizeof({}) == {} ? 1 : -1];\n", size_name(index), sizes[index].type,
                               sizes[index].bytes);
  const auto built = Compilation(image, found, context, std::move(source)).from_source();
  if (built) return {};
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    if (built.error().message().find(size_name(index)) != std::string::npos)
      return Error(Errc::invalid_argument, sizes[index].refusal);
  }
  if (built.error().code() != Errc::build_failed) return built.error();
  return {};  // the compiler does not know the type by the name that the driver tells
}

Result<Owned<cl_program>> compile(const ProgramImage& image, const FoundDevice& found, cl_context context) {
  PINTLE_TRY(check_linker(image, found));
  if (image.format == "opencl_c") {
    PINTLE_ASSIGN(source, source_of(image, found));
    return Compilation(image, found, context, std::move(source)).program();
  }
  if (image.format != "spirv_opencl" || api().clCreateProgramWithIL == nullptr) {
    return Error(Errc::unsupported, fmt::format("Format {} of {} is none of [{}]'s ({}).", base::quote(image.format),
                                                name_of(image), found.info.id, fmt::join(found.info.formats, ", ")));
  }
  PINTLE_TRY(kit::refuse_options(image));
  return Compilation(image, found, context, {}).from_il();
}

}  // namespace pintle::opencl
