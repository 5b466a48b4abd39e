// How a declaration of ours is compared with the vendor's, and the names of it with a library.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <span>
#include <type_traits>

namespace pintle::vendor {

// ---- types: of one size and one kind; what a pointer points to may be a type without a definition.
template <class T>
concept Complete = requires { sizeof(T); };

/// Where a type of ours is of another kind than theirs on purpose, and is passed as theirs is: a test says so.
template <class Ours, class Theirs>
inline constexpr bool is_passed_as = false;

template <class Ours, class Theirs>
constexpr bool are_alike() {
  if constexpr (is_passed_as<Ours, Theirs>) {
    return true;
  } else if constexpr (std::is_pointer_v<Ours> != std::is_pointer_v<Theirs>) {
    return false;
  } else if constexpr (std::is_pointer_v<Ours>) {
    using Our = std::remove_pointer_t<Ours>;
    using Their = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_const_v<Our> != std::is_const_v<Their>) return false;
    else if constexpr (std::is_void_v<Our> || std::is_void_v<Their>)
      return std::is_void_v<Our> && std::is_void_v<Their>;
    else if constexpr (Complete<Our> && Complete<Their>) return are_alike<Our, Their>();
    else return std::is_class_v<Our> == std::is_class_v<Their>;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
           std::is_class_v<Ours> == std::is_class_v<Theirs>;
  }
}

template <class Ours, class Theirs>
struct Signatures : std::false_type {};
template <class A, class... As, class B, class... Bs>
  requires(sizeof...(As) == sizeof...(Bs))
struct Signatures<A(As...), B(Bs...)> : std::bool_constant<are_alike<A, B>() && (are_alike<As, Bs>() && ... && true)> {
};

// ---- numbers
constexpr unsigned of(auto value) { return static_cast<unsigned>(value); }

// ---- names
/// How many of the names the library lacks; all of them where it does not open.
inline int missing_in(const char* path, std::span<const char* const> names) {
  void* const library = ::dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  int missing = 0;
  for (const char* const name : names) {
    if (library != nullptr && ::dlsym(library, name) != nullptr) continue;
    std::printf("%s is not in %s\n", name, path);
    ++missing;
  }
  return missing;
}

}  // namespace pintle::vendor
