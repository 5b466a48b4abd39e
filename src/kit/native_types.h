// Typed access to the vendor's objects behind a device, a queue or memory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "pintle/error.h"

namespace pintle::kit {

/// The question that `backend::Device::native` gets.
struct NativeQuery {
  std::string_view type;
  std::uint64_t object = 0;  ///< 0 for the device.
  void* out = nullptr;
};

/// The struct `T` of a backend's public header. `of(object)` fills it in; its result is empty for an object of another
/// kind.
template <class T, class Of>
struct NativeType {
  using Type = T;
  std::string_view kind;  ///< "a queue", for messages.
  Of of;                  ///< Returns a Result<std::optional<T>>.
};

/// The struct of the device itself.
template <class T>
[[nodiscard]] auto native_device(T value) {
  const auto of = [value](std::uint64_t object) -> Result<std::optional<T>> {
    return object == 0 ? std::optional<T>(value) : std::nullopt;
  };
  return NativeType<T, decltype(of)>{"the device", of};
}
template <class T, class Of>
[[nodiscard]] auto native_type(std::string_view kind, Of of) {
  return NativeType<T, Of>{kind, std::move(of)};
}

/// `unsupported`: `type` is none of these types of a backend.
template <class... Types>
[[nodiscard]] Error unknown_native_type(std::string_view type, std::string_view backend) {
  std::string known;
  ((known += known.empty() ? "" : ", ", known += Types::native_type), ...);
  return {Errc::unsupported,
          fmt::format("Native type {} is none of the {} backend's ({}).", base::quote(type), backend, known)};
}

/// Fills in the type that `query` names. `unsupported` for a type that is not here; `invalid_argument` for a type that
/// belongs to another kind of object.
template <class... Types>
[[nodiscard]] Result<void> answer_native(const NativeQuery& query, std::string_view backend, const Types&... types) {
  Result<void> answer = unknown_native_type<typename Types::Type...>(query.type, backend);
  const auto try_one = [&]<class One>(const One& one) -> Result<void> {
    PINTLE_ASSIGN(found, one.of(query.object));
    if (!found) {
      return Error(Errc::invalid_argument,
                   fmt::format("Native type {} is that of {}, and the object is of another kind.",
                               base::quote(query.type), one.kind));
    }
    *static_cast<typename One::Type*>(query.out) = *found;
    return {};
  };
  static_cast<void>(((query.type == Types::Type::native_type && (answer = try_one(types), true)) || ...));
  return answer;
}

}  // namespace pintle::kit
