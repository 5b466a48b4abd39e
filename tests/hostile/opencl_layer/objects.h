// The objects that the program holds, by the handles that it has.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

namespace pintle::hostile {

/// Drivers give a handle again once its object has gone, so each object has a number of its own. Thread-safe.
class Objects {
 public:
  static Objects& instance();

  /// `call` has made the object; `parent` is what it is a part of.
  void begin(void* handle, std::string_view call, void* parent = nullptr);
  /// Ends the process where the object has gone.
  void retain(void* handle, std::string_view call);
  /// Ends the process where the object has gone, or goes before a part of it.
  void release(void* handle, std::string_view call);
  /// The number of an object that the program holds; 0 where it holds none of the handle.
  [[nodiscard]] std::uint64_t number_of(void* handle);

 private:
  struct Object {
    std::uint64_t number = 0;
    std::string_view made_by;
    std::uint32_t references = 0;
    std::uint32_t parts = 0;
    void* parent = nullptr;
  };

  /// Null for a handle that this layer has not seen made.
  Object* find_live(void* handle, std::string_view call);

  std::mutex mutex_;
  std::map<void*, Object> all_;  // those that have gone, too
  std::uint64_t last_ = 0;
};

}  // namespace pintle::hostile
