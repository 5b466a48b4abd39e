#include "conformance/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <span>

#include "conformance/kernel_source.h"
#include "conformance/native_kernels.h"
#include "pintle/native/cpu.h"

namespace pintle::conformance {
namespace {

constexpr std::array<std::string_view, 9> plain_signatures{
    "conform_saxpy(a: f32, x: read f32[], y: read_write f32[], n: u32) group 256",
    "conform_fill_index(out: write u32[], width: u32, height: u32, depth: u32) group 4,2,2",
    "conform_record_groups(out: write u32[]) group 3,2,1",
    "conform_reduce(in: read u32[], out: write u32[], n: u32) group 64 local 256",
    "conform_affine(x: read_write u32[], m: u32, a: u32, n: u32) group 64",
    "conform_add_to(from: read u32[], to: write u32[], add: u32, n: u32) group 64",
    "conform_count_groups(out: read_write u32[])",
    "conform_store_at(address: u64, value: u32, n: u32) group 64",
    "conform_nothing()",
};

std::vector<std::string> list_signatures() {
  std::vector<std::string> signatures(plain_signatures.begin(), plain_signatures.end());
  for (const DType dtype : all_dtypes()) {
    const auto name = pintle::name(dtype);
    signatures.push_back(fmt::format("conform_put_{0}(value: {0}, out: write {0}[], n: u32) group 64", name));
    signatures.push_back(fmt::format("conform_copy_{0}(from: read {0}[], to: write {0}[], n: u32) group 64", name));
  }
  return signatures;
}

Result<ProgramPack> pack_of_all(std::span<const Source> sources) {
  const auto& signatures = kernel_signatures();
  const std::vector<std::string_view> views(signatures.begin(), signatures.end());
  return pack_of(sources, views, "conformance");
}

Result<void> register_all() {
  for (const NativeKernel& kernel : native_kernels()) PINTLE_TRY(cpu::register_kernel(kernel.symbol, kernel.function));
  return {};
}

Result<void> registered() {
  static std::atomic<bool> is_done{false};
  if (is_done) return {};
  PINTLE_TRY(register_all());
  is_done = true;
  return {};
}

constexpr std::array<Source, 5> quick_sources{{{"native", ""},
                                               {"opencl_c", opencl_c_source},
                                               {"wgsl", wgsl_source},
                                               {"glsl", glsl_source},
                                               {"stablehlo", stablehlo_source}}};

}  // namespace

const std::vector<DType>& all_dtypes() {
  static const auto& dtypes = *new std::vector<DType>([] {
    std::vector<DType> all;
    for (std::uint8_t number = 1; number <= static_cast<std::uint8_t>(DType::complex64); ++number)
      all.push_back(DType{number});
    return all;
  }());
  return dtypes;
}

bool is_about_groups(std::string_view entry) noexcept {
  return entry == "record_groups" || entry == "count_groups" || entry == "reduce";
}

const std::vector<std::string>& kernel_signatures() {
  static const auto& signatures = *new std::vector<std::string>(list_signatures());
  return signatures;
}

namespace {

struct Word {
  std::string_view opencl_c, cuda_c;
};
constexpr std::array<Word, 4> words{
    {{"kernel", "extern \"C\" __global__"}, {"global", ""}, {"local", "__shared__"}, {"constant", "const"}}};

bool is_of_word(char letter) noexcept { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// Local memory is declared in a kernel only: as a parameter it has no translation.
std::string in_cuda_c(std::string_view text) {
  std::string all(opencl_as_cuda);
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, is_of_word);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const auto known = std::ranges::find(words, word, &Word::opencl_c);
    all += known == words.end() ? word : known->cuda_c;
    if (word.size() < text.size()) all += text[word.size()];
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return all;
}

}  // namespace

std::vector<SourceText> with_cuda_c(std::span<const Source> sources) {
  std::vector<SourceText> all;
  std::string opencl_c, cuda_c;
  for (const Source& source : sources) {
    all.push_back({std::string(source.format), std::string(source.code)});
    if (source.format == "opencl_c") opencl_c = source.code;
    if (source.format == "cuda_c") cuda_c = source.code;
  }
  if (!opencl_c.empty() && cuda_c.empty()) all.push_back({"cuda_c", cuda_c = in_cuda_c(opencl_c)});
  if (!cuda_c.empty()) all.push_back({"hip_c", cuda_c});
  return all;
}

std::optional<SourceText> find_source(const DeviceInfo& info, std::span<const Source> sources) {
  for (SourceText& source : with_cuda_c(sources)) {
    if (std::ranges::find(info.formats, source.format) != info.formats.end()) return std::move(source);
  }
  return std::nullopt;
}

// No source is translated for the answer.
bool compiles(const DeviceInfo& info, std::span<const Source> sources) {
  const auto takes = [&](std::string_view format) {
    return std::ranges::find(info.formats, format) != info.formats.end();
  };
  return std::ranges::any_of(sources, [&](const Source& source) {
    const bool is_cuda_c = source.format == "opencl_c" || source.format == "cuda_c";
    return takes(source.format) || (is_cuda_c && (takes("cuda_c") || takes("hip_c")));
  });
}

Result<ProgramPack> pack_of(std::span<const Source> sources, std::span<const std::string_view> signatures,
                            std::string name) {
  ProgramPack all;
  for (const SourceText& source : with_cuda_c(sources)) {
    PINTLE_ASSIGN(pack, ProgramPack::source(source.format, source.code, signatures, name));
    all = all.variants().empty() ? std::move(pack) : all.with(pack);
    if (all.variants().empty()) return Error(Errc::out_of_memory, "No memory was left to join two packs.");
  }
  return all;
}

Result<ProgramPack> source_pack() {
  constexpr std::array<Source, 5> sources{{{"c", c_source},
                                           {"opencl_c", opencl_c_source},
                                           {"wgsl", wgsl_source},
                                           {"glsl", glsl_source},
                                           {"stablehlo", stablehlo_source}}};
  return pack_of_all(sources);
}

Result<ProgramPack> suite_pack() {
  PINTLE_TRY(registered());
  return pack_of_all(quick_sources);
}

Result<ProgramPack> suite_pack_for(const Device& device) {
  PINTLE_TRY(registered());
  const DeviceInfo info = device.info();
  const auto fits = [&](const Source& source) { return compiles(info, std::span(&source, 1)); };
  const auto found = std::ranges::find_if(quick_sources, fits);
  return pack_of_all(std::span(found == quick_sources.end() ? quick_sources.begin() : found, 1));
}

Result<Kernel> LoadedKernels::kernel(const Device& device, std::string_view entry) {
  std::lock_guard lock(mutex_);
  if (!program_ || generation_ != device.generation()) {
    PINTLE_ASSIGN(source, source_pack());
    auto loaded = device.load(source);
    if (!loaded && loaded.error().code() == Errc::build_failed) {
      PINTLE_ASSIGN(built_in, suite_pack());
      loaded = device.load(built_in);
    }
    if (!loaded) return loaded.error();
    program_ = std::move(*loaded);
    generation_ = device.generation();
  }
  return program_->kernel(fmt::format("conform_{}", entry));
}

}  // namespace pintle::conformance
