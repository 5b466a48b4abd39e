// CUDA's driver as a table of functions, opened at run time.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/dylib.h"
#include "pintle/error.h"
#include "vendor/cuda/types.h"

namespace pintle::vendor::cuda {

inline constexpr std::array driver_names{"libcuda.so.1", "libcuda.so"};

/// The table owns its library. The functions are valid as long as the library is open.
struct Driver {
  base::Dylib library;
#define FUNCTION(name, exported, version, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION

  /// `unavailable` has the loader's words on each name; `not_found` names the function that an old driver lacks.
  [[nodiscard]] static Result<Driver> open(std::span<const char* const> names = driver_names);
};

/// "cuMemAlloc" for &Driver::cuMemAlloc.
template <auto Function>
inline constexpr std::string_view name_of_function = {};
#define FUNCTION(name, ...) \
  template <>               \
  inline constexpr std::string_view name_of_function<&Driver::name> = #name;
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION

/// Asks a library for functions: by its cuGetProcAddress, which knows versions, and by exported names where it has
/// none.
class DriverSymbols {
 public:
  explicit DriverSymbols(const base::Dylib& library) : library_(library) {
    if (const auto found = library.function<Ask>("cuGetProcAddress_v2")) ask_ = *found;
  }

  struct Wanted {
    const char* name;
    const char* exported;
    int version;
  };
  template <class Function>
  [[nodiscard]] Result<void> find(const Wanted& wanted, Function*& place) const {
    void* address = nullptr;
    auto query = ProcAddressQuery::found;
    if (ask_ != nullptr && ask_(wanted.name, &address, wanted.version, 0, &query) == Status::CUDA_SUCCESS &&
        address != nullptr) {
      place = reinterpret_cast<Function*>(address);
      return {};
    }
    return library_.find(wanted.exported, place);
  }

 private:
  using Ask = Status(const char*, void**, int, Flags64, ProcAddressQuery*);

  const base::Dylib& library_;
  Ask* ask_ = nullptr;
};

inline Result<Driver> Driver::open(std::span<const char* const> names) {
  PINTLE_ASSIGN(library, base::Dylib::open_any(names));
  Driver table;
  const DriverSymbols symbols(library);
#define FUNCTION(name, exported, version, ...) PINTLE_TRY(symbols.find({#name, #exported, version}, table.name));
#include "vendor/cuda/driver_symbols.inc"
#undef FUNCTION
  table.library = std::move(library);
  return table;
}

}  // namespace pintle::vendor::cuda
