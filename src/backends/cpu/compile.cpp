// The format c: source compiled by the C compiler of the machine.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>

#include "backends/cpu/kernel_header.h"
#include "backends/cpu/program.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/platform.h"
#include "base/quote.h"
#include "base/settings.h"
#include "kit/host_cpus.h"
#include "kit/subprocess.h"

namespace pintle::cpu {
namespace {

using backend::Constant;
using backend::ProgramImage;
namespace files = std::filesystem;

constexpr auto version_time = std::chrono::seconds(10);
constexpr auto compile_time = std::chrono::minutes(2);

struct Compiler {
  std::string path;
  std::string version;
};

Result<std::string> find_compiler(std::span<const std::string> names) {
  std::string tried;
  for (const std::string& name : names) {
    if (auto path = kit::find_program(name)) return *std::move(path);
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", base::quote(name));
  }
  return Error(
      Errc::unavailable,
      fmt::format("No C compiler is found (tried {}). Install gcc or clang, or name one in PINTLE_CC.", tried));
}

Result<Compiler> ask_compiler(const std::string& path) {
  const std::array question{path, std::string("--version")};
  PINTLE_ASSIGN(answer, kit::run_process(question, Clock::now() + version_time));
  if (answer.status == 0) return Compiler{path, answer.output};
  return Error(Errc::unavailable, fmt::format("C compiler {} does not say its version (status {}): {}",
                                              base::quote(path, 4096), answer.status, answer.output));
}

/// Asked once for each path and time of change.
Result<Compiler> compiler() {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<std::string, files::file_time_type>, Compiler>;
  PINTLE_ASSIGN(settings, base::settings());
  const std::vector<std::string> names =
      settings->cc.empty() ? std::vector<std::string>{"cc", "gcc", "clang"} : std::vector<std::string>{settings->cc};
  PINTLE_ASSIGN(path, find_compiler(names));
  std::error_code none;
  const std::pair key(path, files::last_write_time(path, none));
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  PINTLE_ASSIGN(asked, ask_compiler(path));
  return known.emplace(key, asked).first->second;
}

/// What -march=native stands for.
const std::string& processor() {
  static const std::string& text =
      *new std::string(kit::cpuinfo_field("/", "model name") + "\n" + kit::cpuinfo_field("/", "flags") +
                       kit::cpuinfo_field("/", "Features") + kit::cpuinfo_field("/", "CPU part"));
  return text;
}

template <class T>
T value_as(const Constant& constant) {
  T value;
  std::memcpy(&value, constant.value.bytes.data(), sizeof value);
  return value;
}

/// Exact in C: hexadecimal, or the compiler's word for what has no digits.
std::string float_literal(double value, std::string_view suffix) {
  if (std::isnan(value)) return fmt::format("__builtin_nan{}(\"\")", suffix);
  if (std::isinf(value)) return fmt::format("({}__builtin_inf{}())", value < 0 ? "-" : "", suffix);
  return fmt::format("({:a}{})", value, suffix);
}

/// The least value has no literal of its own type.
std::string integer_literal(std::int64_t value) {
  return value == INT64_MIN ? "(-9223372036854775807ll - 1)" : fmt::format("({}ll)", value);
}

/// Cast to the constant's type, so that arithmetic with it has the width that was declared.
Result<std::string> literal(const Constant& constant) {
  switch (constant.dtype) {
    case DType::boolean: return std::string(value_as<std::uint8_t>(constant) != 0 ? "1" : "0");
    case DType::i8: return fmt::format("((int8_t){})", value_as<std::int8_t>(constant));
    case DType::i16: return fmt::format("((int16_t){})", value_as<std::int16_t>(constant));
    case DType::i32: return fmt::format("((int32_t){})", integer_literal(value_as<std::int32_t>(constant)));
    case DType::i64: return fmt::format("((int64_t){})", integer_literal(value_as<std::int64_t>(constant)));
    case DType::u8: return fmt::format("((uint8_t){})", value_as<std::uint8_t>(constant));
    case DType::u16: return fmt::format("((uint16_t){})", value_as<std::uint16_t>(constant));
    case DType::u32: return fmt::format("{}u", value_as<std::uint32_t>(constant));
    case DType::u64: return fmt::format("((uint64_t){}ull)", value_as<std::uint64_t>(constant));
    case DType::f32: return float_literal(static_cast<double>(value_as<float>(constant)), "f");
    case DType::f64: return float_literal(value_as<double>(constant), "");
    default: break;
  }
  return Error(Errc::unsupported, fmt::format("Constant {} has a dtype ({}) that C has no type for.",
                                              base::quote(constant.name), name(constant.dtype)));
}

/// A folder for the source and the result, gone afterwards.
class Workshop {
 public:
  [[nodiscard]] static Result<Workshop> open() {
    std::error_code none;
    const files::path parent = files::temp_directory_path(none);
    std::string name = fmt::format("{}/pintle-XXXXXX", none ? "/tmp" : parent.string());
    if (::mkdtemp(name.data()) != nullptr) return Workshop(name);
    return Error(Errc::io, fmt::format("Temporary folder {} cannot be created: {}.", base::quote(name, 4096),
                                       base::system_words(errno)));
  }
  Workshop(Workshop&& other) noexcept : folder_(std::move(other.folder_)) { other.folder_.clear(); }
  Workshop& operator=(Workshop&&) = delete;
  ~Workshop() {
    std::error_code none;
    if (!folder_.empty()) files::remove_all(folder_, none);
  }
  [[nodiscard]] files::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  explicit Workshop(std::string folder) : folder_(std::move(folder)) {}
  files::path folder_;
};

}  // namespace

std::string c_source(const ProgramImage& image) {
  const std::string file = image.name.empty() ? "kernel" : std::string(image.name);
  return fmt::format("{}\n#line 1 {}\n{}", kernel_header, base::quote(file + ".c", 200), base::text_in(image.code));
}

Result<Compilation> c_compilation(const ProgramImage& image) {
  PINTLE_ASSIGN(found, compiler());
  Compilation result;
  result.command = {
      found.path, "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-std=c11",
      "-x",       "c"};
  for (const Constant& constant : image.constants) {
    PINTLE_ASSIGN(text, literal(constant));
    result.command.push_back(fmt::format("-D{}={}", constant.name, text));
  }
  result.identity = fmt::format("{}\n{}", found.version, processor());
  for (const std::string& word : result.command) result.identity += "\n" + word;
  return result;
}

Result<std::vector<std::byte>> compile_c(const ProgramImage& image, std::span<const std::string> command) {
  PINTLE_ASSIGN(workshop, Workshop::open());
  const files::path source = workshop / "kernel.c", object = workshop / "kernel.so";
  PINTLE_TRY(base::write_file(source, base::bytes_in(c_source(image))));
  std::vector<std::string> whole(command.begin(), command.end());
  for (const std::string& word : {std::string("-o"), object.string(), source.string(), std::string("-lm")})
    whole.push_back(word);
  const auto compiled = kit::run_process(whole, Clock::now() + compile_time);
  if (!compiled) {
    const Errc code = compiled.error().code() == Errc::timeout ? Errc::build_failed : compiled.error().code();
    return Error(
        code, fmt::format("[Program {}] cannot be compiled: {}", base::quote(image.name), compiled.error().message()));
  }
  if (compiled->status == 0) return base::read_file(object);
  return Error(Errc::build_failed, fmt::format("[Program {}] does not compile ({} ends with status {}):\n{}",
                                               base::quote(image.name), whole[0], compiled->status, compiled->output));
}

}  // namespace pintle::cpu
