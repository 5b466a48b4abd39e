#include "pintle/must.h"

namespace pintle {
namespace {

std::string place_text(const std::source_location& where) {
  return std::string("\n - At ") + where.file_name() + ":" + std::to_string(where.line());
}

}  // namespace

Exception::Exception(Error error, std::source_location where)
    : error_(std::move(error)), where_(where), text_(error_.text() + place_text(where)) {}
Exception::~Exception() = default;

const char* Exception::what() const noexcept { return text_.c_str(); }

void throw_exception(const Error& error, std::source_location where) { throw Exception(error, where); }

}  // namespace pintle
