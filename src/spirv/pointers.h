// Where the pointers of a module's functions lead: from a storage buffer through members and elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv/listing.h"
#include "spirv/tables.h"

namespace pintle::spirv {

/// A pointer into a variable outside of functions: the indices of all its access chains.
struct Path {
  std::uint32_t variable = 0;
  std::vector<std::uint32_t> indices;
};

/// An index that may leave what it indexes.
struct Step {
  std::uint32_t index = 0;   ///< The id of the index.
  std::uint32_t stride = 0;  ///< Bytes.
  std::uint32_t length = 0;  ///< The id of a constant; 0: an array without an end, or `count`.
  std::uint32_t count = 0;   ///< The length of a vector or matrix.
  bool is_endless = false;   ///< The array whose length the binding decides.
  std::uint32_t member = 0;  ///< The number of an endless array in the struct that is at `depth`.
  std::size_t depth = 0;
};

/// A path as steps from the beginning of the block.
struct Walk {
  std::uint32_t offset = 0;  ///< Bytes of all that is constant.
  std::vector<Step> steps;   ///< Those that must be checked.
};

class Pointers {
 public:
  Pointers(const Tables& tables, const Listing& listing);

  /// Empty where the pointer begins at no variable outside of functions, as far as can be told.
  [[nodiscard]] std::optional<Path> path_of(std::uint32_t pointer) const;
  /// True for a variable that is a storage buffer, or an array of them.
  [[nodiscard]] bool is_storage(std::uint32_t variable) const;
  /// Empty where a type on the way is not known.
  [[nodiscard]] std::optional<Walk> walk(const Path& path) const;
  /// The type of a value; 0 where it is not known.
  [[nodiscard]] std::uint32_t type_of(std::uint32_t id) const;
  [[nodiscard]] bool is_global(std::uint32_t id) const { return globals_.contains(id); }
  /// The storage class of a pointer; empty where it is none.
  [[nodiscard]] std::optional<std::uint32_t> class_of(std::uint32_t pointer) const;

 private:
  struct Chain {
    std::uint32_t base = 0;
    std::vector<std::uint32_t> indices;
  };
  class Walker;

  void add_global(const Line& line);
  void add_local(const Line& line);

  const Tables& tables_;
  std::unordered_map<std::uint32_t, Chain> chains_;
  std::unordered_map<std::uint32_t, std::uint32_t> types_;
  std::unordered_map<std::uint32_t, std::uint32_t> globals_;  // types of what is defined outside of functions
  std::unordered_map<std::uint32_t, std::uint32_t> lengths_;  // constants, by array type
};

}  // namespace pintle::spirv
