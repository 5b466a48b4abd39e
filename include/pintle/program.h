// Programs: packs of variants, loaded programs, and their kernels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/entry.h"
#include "pintle/fwd.h"

namespace pintle {

/// One variant of a pack, as `ProgramPack::variants` lists it.
struct VariantInfo {
  std::string format;  ///< "c", "so", "native", "spirv" ...
  std::string target;  ///< What the variant was built for; empty: any.
  std::vector<Entry> entries;
  std::uint64_t code_bytes = 0;
};

/// Variants of one program in several formats. A value; copies share the bytes; immutable and thread-safe once made.
class ProgramPack {
 public:
  ProgramPack() noexcept = default;
  /// Reads a pack file or folder. `invalid_argument` with the offset or JSON path of the mistake; `io` with the path.
  [[nodiscard]] static Result<ProgramPack> open(const std::filesystem::path& path);
  /// Reads the bytes of a pack file. `invalid_argument` as for `open`.
  [[nodiscard]] static Result<ProgramPack> parse(std::span<const std::byte> bytes);
  /// Makes a pack of one variant in the process: `source("c", code, {"saxpy(a: f32, x: read f32[], y: read_write f32[],
  /// n: u32) group 256"})`. Without signatures the entries are those that the code says, as `pintle pack` reads them:
  /// WGSL, StableHLO, SPIR-V, OpenCL C and GLSL. The last two block while a compiler reads them. An entry that no
  /// signature can have is left out. `invalid_argument` where the code does not tell, or the compiler is not here, with
  /// what to do; `build_failed` with the compiler's words.
  [[nodiscard]] static Result<ProgramPack> source(std::string_view format, std::string_view code,
                                                  std::span<const std::string_view> signatures,
                                                  std::string name = "program");
  [[nodiscard]] static Result<ProgramPack> source(std::string_view format, std::string_view code,
                                                  std::initializer_list<std::string_view> signatures,
                                                  std::string name = "program") {
    return source(format, code, std::span(signatures.begin(), signatures.size()), std::move(name));
  }
  /// This pack with the variants of `other` behind its own; an empty pack where host memory runs out.
  [[nodiscard]] ProgramPack with(const ProgramPack& other) const noexcept;

  [[nodiscard]] std::string_view name() const noexcept;
  [[nodiscard]] std::span<const VariantInfo> variants() const noexcept;
  /// The pack as one file's bytes.
  [[nodiscard]] Result<std::vector<std::byte>> serialize() const;

  struct State;  // only the library sees inside

 private:
  friend class Inside;
  explicit ProgramPack(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// What is fixed when a program is loaded. A format that has no such thing is `unsupported`: only a source has macros,
/// folders and a language.
struct LoadOptions {
  /// Constants by name: specialisation constants, sides of groups (`group TILE=16`), or in a source macros that are
  /// numbers. A whole f64 also fits an integer; any other value must fit the kernel's type exactly.
  std::map<std::string, ScalarValue> constants{};
  std::map<std::string, std::string> macros{};           ///< Macros that are text: {"DATA_TYPE", "float"}.
  std::vector<std::filesystem::path> include_folders{};  ///< Where #include looks.
  std::string language{};                                ///< "CL2.0", "c17", "460"; empty: the device's choice.
  /// How long loading may take, where a driver loads on a thread of its device: then `timeout`, and what is loaded
  /// later is unloaded. A compiler of another driver is not cut short.
  Timeout timeout{};
};

/// An entry point of a loaded program. Copies are cheap; thread-safe. Keeps its program loaded.
class Kernel {
 public:
  Kernel() noexcept = default;
  [[nodiscard]] const Entry& entry() const noexcept;
  /// Its name in messages: `[Kernel "blur"]`.
  [[nodiscard]] std::string text() const noexcept;

 private:
  friend class Inside;
  Kernel(std::shared_ptr<core::ProgramState> program, std::uint32_t index) noexcept
      : program_(std::move(program)), index_(index) {}

  std::shared_ptr<core::ProgramState> program_;
  std::uint32_t index_ = 0;
};

/// A program loaded on one device. Copies share it; thread-safe. It is unloaded when the last copy and the last kernel
/// are gone and the last submission that uses it is reached.
class Program {
 public:
  Program() noexcept = default;
  /// Its name in messages: `[Program "filters"]`.
  [[nodiscard]] std::string text() const noexcept;
  /// The format that the device picked.
  [[nodiscard]] std::string_view format() const noexcept;
  [[nodiscard]] std::span<const Entry> entries() const noexcept;
  /// The kernel of an entry. `not_found` lists the entries of the program; `build_failed` says why the device cannot
  /// run this one of several.
  [[nodiscard]] Result<Kernel> kernel(std::string_view name) const;

 private:
  friend class Inside;
  explicit Program(std::shared_ptr<core::ProgramState> state) noexcept : state_(std::move(state)) {}

  std::shared_ptr<core::ProgramState> state_;
};

}  // namespace pintle
