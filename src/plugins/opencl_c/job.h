// What Pintle asks of the plug-in: a file "entries" beside the source, and the answer beside it.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pintle::plugins::opencl_c {

/// A number or a vector in what a kernel takes by value.
struct Member {
  std::string name;
  std::string dtype;
  std::string kinds;  ///< What the code may have: "f" a floating-point number, "i" an integer, "fi" either.
  std::uint64_t bytes = 0;
  std::uint64_t lanes = 1;
  std::uint64_t offset = 0;
};

/// One parameter, as the signature has it.
struct Parameter {
  enum class Kind : std::uint8_t { buffer, scalar, value, local, image, sampler };
  Kind kind = Kind::buffer;
  std::string name;
  std::string declared;            ///< For messages: "read f32[]".
  std::string access;              ///< A buffer's: "r", "w" or "rw"; an image's: "read_only" and so on.
  std::uint64_t bytes = 0;         ///< The size of a value, else of its dtype.
  std::uint64_t dimensions = 0;    ///< An image's, 1 for a texel buffer; 0 for one that comes with its sampler.
  std::uint64_t texel = 0;         ///< An image's: the number of a pintle::Texel, or 0 for any.
  std::vector<std::string> types;  ///< The numbers' types in OpenCL C that fit; none: any.
  std::vector<Member> members;     ///< A value's.
};

/// One entry of the program, as the signature has it.
struct Entry {
  std::string name;
  std::array<std::uint64_t, 3> group{1, 1, 1};
  std::uint64_t subgroup = 0;     ///< Items of a subgroup that the signature or the source asks for; 0: any.
  std::uint64_t local_bytes = 0;  ///< What a `local` pointer behind the last parameter points to.
  std::vector<Parameter> parameters;
};

/// Which groups a function runs.
struct Groups {
  bool near = false;  ///< Those of near launches only.
  bool rows = false;  ///< Several at a time that are neighbours in x, as one group with more items.
};

/// One compilation.
struct Job {
  std::vector<Entry> entries;
  std::string builtins;                                       ///< The path of the bitcode of the built-in functions.
  std::vector<std::pair<std::string, std::string>> refusals;  ///< Entry and reason.
  std::string needs;                                          ///< Lines "ENTRY PARAMETER BYTES": alignments of buffers.

  void refuse(const Entry& entry, std::string reason) { refusals.emplace_back(entry.name, std::move(reason)); }
};

/// Reads "entries" in the folder of `source`. Without the file there are no entries, and the module stays as it is.
[[nodiscard]] Job read_job(llvm::StringRef source);
/// Writes "refusals": a line for each, "NAME REASON".
void write_refusals(const Job& job, llvm::StringRef source);

}  // namespace pintle::plugins::opencl_c
