// PJRT in this process: the plug-ins, what they answer, and objects that end themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/error.h"
#include "pintle/info.h"
#include "vendor/pjrt/table.h"

namespace pintle::pjrt {

namespace pj = vendor::pjrt;

/// A plug-in that is open for ever: its threads outlive what is asked of it.
struct Plugin {
  pj::Table api;
  std::string path;
  std::string stem;  ///< "xla_cpu_pjrt": the name of its file without the ending.
};

/// The plug-ins that PINTLE_PJRT_PLUGINS names, or those of an active virtual environment of Python; each is opened
/// once. One that is missing or none is an absence, and is tried again by the next call.
struct Plugins {
  std::vector<const Plugin*> all;
  std::vector<Absence> absences;
};
[[nodiscard]] Plugins plugins();

/// Why there is no device; `what` goes before the error's words. Throws std::bad_alloc where memory ran out: that is no
/// absence.
[[nodiscard]] Absence absence_of(const Error& error, std::string_view what, std::string_view hint);

/// What the plug-in says of a failure. Takes the error.
[[nodiscard]] Error error_of(const pj::Table& api, pj::Error error, std::string_view what);

/// Calls a function of the plug-in. `what` is being done: "uploading a tensor".
template <class Arguments>
[[nodiscard]] Result<void> call(const pj::Table& api, pj::Error (*function)(Arguments*), Arguments& arguments,
                                std::string_view what) {
  if (function == nullptr)
    return Error(Errc::unsupported, std::string("The plug-in has no function for ").append(what).append("."));
  const pj::Error error = function(&arguments);
  if (error == nullptr) return {};
  return error_of(api, error, what);
}

/// Lets an error go that changes nothing.
void drop(const pj::Table& api, pj::Error error) noexcept;

void destroy(const pj::Table& api, pj::Event event) noexcept;
void destroy(const pj::Table& api, pj::Buffer buffer) noexcept;
void destroy(const pj::Table& api, pj::Executable executable) noexcept;
void destroy(const pj::Table& api, pj::LoadedExecutable executable) noexcept;

/// An object of the plug-in that ends with its owner.
template <class Handle>
class Owned {
 public:
  Owned() noexcept = default;
  Owned(const pj::Table& api, Handle handle) noexcept : api_(&api), handle_(handle) {}
  Owned(Owned&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) destroy(*api_, handle_);
  }
  [[nodiscard]] Handle get() const noexcept { return handle_; }

 private:
  const pj::Table* api_ = nullptr;
  Handle handle_ = nullptr;
};

/// Waits for the event, which may never come, and answers its error.
[[nodiscard]] Result<void> await(const pj::Table& api, Owned<pj::Event> event, std::string_view what);

}  // namespace pintle::pjrt
