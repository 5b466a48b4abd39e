// A driver's habit: with -cl-kernel-arg-info it builds no source that has a kernel without parameters. Without the
// option it tells nothing of arguments, as the standard allows.
#include <cctype>
#include <mutex>
#include <set>

#include "habit.h"

namespace pintle::hostile {
namespace {

cl_icd_dispatch next;
std::mutex mutex;
std::set<cl_program> untold;  // built without the option

/// Reads a source from one place on.
class Reader {
 public:
  Reader(std::string_view text, std::size_t at) noexcept : text_(text), at_(at) {}

  [[nodiscard]] std::string_view word() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool take(char symbol) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }
  void skip_parentheses() {
    if (!take('(')) return;
    for (int depth = 1; at_ < text_.size() && depth > 0; ++at_)
      depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
  }

  static bool is_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  std::string_view text_;
  std::size_t at_;
};

/// What follows the word "kernel" up to the body.
bool has_no_parameters(Reader reader) {
  for (std::string_view word = reader.word(); !word.empty(); word = reader.word()) {
    if (word == "__attribute__") reader.skip_parentheses();
  }
  if (!reader.take('(')) return false;
  const std::string_view inside = reader.word();
  return (inside.empty() || inside == "void") && reader.take(')') && reader.take('{');
}

/// KERNEL is a macro of the suite's source, which is not expanded here.
bool has_kernel_without_parameters(std::string_view source) {
  for (const std::string_view word : {std::string_view("kernel"), std::string_view("KERNEL")}) {
    for (auto at = source.find(word); at != std::string_view::npos; at = source.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (end < source.size() && Reader::is_letter(source[end])) continue;
      if (has_no_parameters(Reader(source, end))) return true;
    }
  }
  return false;
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                         void(CL_CALLBACK* told)(cl_program, void*), void* state) {
  const bool is_told = options != nullptr && std::string_view(options).find("-cl-kernel-arg-info") != std::string::npos;
  if (is_told && has_kernel_without_parameters(source_of(next, program))) return CL_BUILD_PROGRAM_FAILURE;
  {
    const std::lock_guard lock(mutex);
    if (is_told) untold.erase(program);
    else untold.insert(program);
  }
  return next.clBuildProgram(program, count, devices, options, told, state);
}

cl_int CL_API_CALL argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t size, void* value,
                                 size_t* needed) {
  cl_program program = nullptr;
  next.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  {
    const std::lock_guard lock(mutex);
    if (untold.contains(program)) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  }
  return next.clGetKernelArgInfo(kernel, index, what, size, value, needed);
}

}  // namespace

void install_argument_info(cl_icd_dispatch& table) {
  next = table;
  table.clBuildProgram = &build;
  table.clGetKernelArgInfo = &argument_info;
}

}  // namespace pintle::hostile
