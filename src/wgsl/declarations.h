// What a WGSL text declares beside the bodies of its functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"
#include "wgsl/tokens.h"

namespace pintle::wgsl {

/// A type as it is written: `array<vec4<f32>, 4>`.
struct TypeName {
  std::string_view name;        ///< Empty for what is no plain name: an expression.
  std::vector<TypeName> parts;  ///< Between the angle brackets.
};

/// `@name(argument, ...)`. An argument of more than one token is empty.
struct Attribute {
  std::string_view name;
  std::vector<std::string_view> arguments;
};
using Attributes = std::vector<Attribute>;

struct StructMember {
  std::string_view name;
  TypeName type;
  Attributes attributes;
};

/// A variable of the module.
struct Variable {
  std::string_view name{};
  std::string_view space{};   ///< "storage", "uniform", "workgroup", "immediate"; empty for a resource.
  std::string_view access{};  ///< "read", "write", "read_write"; empty where none is written.
  std::optional<std::size_t> behind_access{};  ///< The text's offset behind the access, or where one would be written.
  TypeName type{};
  Attributes attributes;
};

/// `override` or `const`.
struct Named {
  std::string_view name{};
  std::optional<TypeName> type{};
  std::string_view value{};  ///< Its one token, with a sign before it; empty for none and for an expression.
  Attributes attributes;
};

struct Function {
  std::string_view name{};
  Attributes attributes;
  std::vector<std::string_view> parameters{};
  std::size_t begin = 0;  ///< Its body's first token, and the one behind the last.
  std::size_t end = 0;
};

struct Declarations {
  std::vector<Token> tokens;
  std::map<std::string_view, std::vector<StructMember>> structs;
  std::map<std::string_view, TypeName> aliases;
  std::vector<Variable> variables;
  std::vector<Named> overrides;
  std::vector<Named> constants;
  std::vector<Function> functions;

  /// The value of an integer: a literal, or a constant that is one. Empty for what has to be computed.
  [[nodiscard]] std::optional<std::uint64_t> integer(std::string_view text) const;
};

/// The attribute of that name; null where there is none.
[[nodiscard]] const Attribute* find(const Attributes& attributes, std::string_view name) noexcept;

/// Reads the module-scope declarations. They refer to `text`. `invalid_argument` names line and column of what is none.
[[nodiscard]] Result<Declarations> declarations_of(std::string_view text);

}  // namespace pintle::wgsl
