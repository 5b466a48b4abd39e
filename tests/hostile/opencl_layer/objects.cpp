#include "objects.h"

#include <sstream>

#include "habit.h"

namespace pintle::hostile {
namespace {

std::string text_of(void* handle, std::string_view made_by) {
  std::ostringstream text;
  text << handle << " of " << made_by;
  return text.str();
}

}  // namespace

Objects& Objects::instance() {
  static Objects& objects = *new Objects;
  return objects;
}

void Objects::begin(void* handle, std::string_view call, void* parent) {
  if (handle == nullptr) return;
  const std::lock_guard lock(mutex_);
  all_[handle] = {++last_, call, 1, 0, parent};
  if (const auto whole = all_.find(parent); whole != all_.end()) ++whole->second.parts;
}

Objects::Object* Objects::find_live(void* handle, std::string_view call) {
  const auto found = all_.find(handle);
  if (found == all_.end()) return nullptr;
  if (found->second.references == 0)
    end_process(std::string(call) +
                " gets an object that has been released: " + text_of(handle, found->second.made_by));
  return &found->second;
}

void Objects::retain(void* handle, std::string_view call) {
  const std::lock_guard lock(mutex_);
  if (Object* const object = find_live(handle, call)) ++object->references;
}

void Objects::release(void* handle, std::string_view call) {
  const std::lock_guard lock(mutex_);
  Object* const object = find_live(handle, call);
  if (object == nullptr || --object->references > 0) return;
  if (object->parts > 0)
    end_process(std::string(call) + " releases an object before its parts: " + text_of(handle, object->made_by));
  if (const auto whole = all_.find(object->parent); whole != all_.end()) --whole->second.parts;
}

std::uint64_t Objects::number_of(void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(handle);
  return found == all_.end() || found->second.references == 0 ? 0 : found->second.number;
}

}  // namespace pintle::hostile
