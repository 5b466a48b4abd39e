// The text of LLVM's modules: parts of instructions, and metadata.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::opencl_c {

using Texts = std::vector<std::string_view>;

[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The parts between commas that stand in no parentheses, brackets or quotes.
[[nodiscard]] Texts parts_of(std::string_view text);
/// The place of the parenthesis that closes the one at `open`.
[[nodiscard]] std::size_t closing(std::string_view text, std::size_t open);
/// The last value name of an operand, "%12" of "ptr addrspace(1) nocapture %12"; empty where it has none.
[[nodiscard]] std::string_view value_in(std::string_view operand);
/// The text in !"..." or "..." of a part.
[[nodiscard]] std::string quoted(std::string_view part);

/// A record of metadata: `!DIBasicType(name: "float", size: 32)`.
struct LlvmRecord {
  std::string_view kind;  ///< "DIBasicType"; empty where there is none.
  Texts fields;           ///< "size: 32"

  /// What a field has; empty where the record does not have it.
  [[nodiscard]] std::string_view field(std::string_view name) const;
};

/// The metadata of a module, which must outlive this.
class Metadata {
 public:
  explicit Metadata(std::string_view text);

  /// The parts of the list that `definition` names behind `kind`; empty where it names none.
  [[nodiscard]] Texts of(std::string_view definition, std::string_view kind) const;
  /// The parts of the list with this name, "!7".
  [[nodiscard]] Texts list(std::string_view name) const;
  [[nodiscard]] LlvmRecord record(std::string_view name) const;

 private:
  std::map<std::string_view, std::string_view> lists_;
  std::map<std::string_view, std::string_view> records_;
};

}  // namespace pintle::opencl_c
