// The child that opens Slang's compiler library: a crash ends the child alone.
#include <array>
#include <cstdio>
#include <string_view>

#include "base/dylib.h"
#include "base/file.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_child.h"

namespace pintle::cli {
namespace {

/// The interface of a blob, as the library declares it (COM).
struct Blob {
  virtual int query(const void* id, void** out) = 0;
  virtual unsigned add_reference() = 0;
  virtual unsigned release() = 0;
  virtual const void* data() = 0;
  virtual std::size_t size() = 0;

 protected:
  ~Blob() = default;
};

using Session = void;
using Request = void;
using Reflection = void;

/// The functions of the library that are called.
struct Library {
  Session* (*create_session)(const char*) = nullptr;
  Request* (*create_request)(Session*) = nullptr;
  int (*read_arguments)(Request*, const char* const*, int) = nullptr;
  int (*compile)(Request*) = nullptr;
  const char* (*words)(Request*) = nullptr;
  int (*whole_code)(Request*, int target, Blob**) = nullptr;
  int (*entry_code)(Request*, int entry, int target, Blob**) = nullptr;
  Reflection* (*reflection)(Request*) = nullptr;
  int (*to_json)(Reflection*, Request*, Blob**) = nullptr;
};

template <class Function>
Result<void> fill(const base::Dylib& library, const char* name, Function*& function) {
  PINTLE_ASSIGN(found, library.function<Function>(name));
  function = found;
  return {};
}

Result<Library> functions_of(const base::Dylib& dylib) {
  Library library;
  PINTLE_TRY(fill(dylib, "spCreateSession", library.create_session));
  PINTLE_TRY(fill(dylib, "spCreateCompileRequest", library.create_request));
  PINTLE_TRY(fill(dylib, "spProcessCommandLineArguments", library.read_arguments));
  PINTLE_TRY(fill(dylib, "spCompile", library.compile));
  PINTLE_TRY(fill(dylib, "spGetDiagnosticOutput", library.words));
  PINTLE_TRY(fill(dylib, "spGetTargetCodeBlob", library.whole_code));
  PINTLE_TRY(fill(dylib, "spGetEntryPointCodeBlob", library.entry_code));
  PINTLE_TRY(fill(dylib, "spGetReflection", library.reflection));
  PINTLE_TRY(fill(dylib, "spReflection_ToJson", library.to_json));
  return library;
}

/// The blob has the library's own type, which this program does not know: a check of the type would refuse it.
__attribute__((no_sanitize("vptr"))) bool write(Blob& blob, const char* file) {
  const auto* const bytes = static_cast<const std::byte*>(blob.data());
  return base::write_file(file, {bytes, blob.size()}).has_value();
}

/// Writes the code to a file. False where there is none. Some targets have code of the whole program, which is asked
/// for first: the other question crashes there.
bool write_code(const Library& library, Request* request, const char* file) {
  Blob* blob = nullptr;
  if (library.whole_code(request, 0, &blob) < 0 || blob == nullptr) {
    if (library.entry_code(request, 0, 0, &blob) < 0 || blob == nullptr) return false;
  }
  return write(*blob, file);
}

/// The library's own option for this crashes where the source does not compile.
bool write_reflection(const Library& library, Request* request, const char* file) {
  Blob* blob = nullptr;
  Reflection* const reflection = library.reflection(request);
  return reflection != nullptr && library.to_json(reflection, request, &blob) >= 0 && blob != nullptr &&
         write(*blob, file);
}

struct Files {
  const char* code;  // empty: no code is wanted
  const char* reflection;
};

Result<int> compile(const char* path, const Files& files, std::span<char* const> arguments) {
  PINTLE_ASSIGN(dylib, base::Dylib::open(path));
  PINTLE_ASSIGN(library, functions_of(dylib));
  Request* const request = library.create_request(library.create_session(nullptr));
  const bool is_read = library.read_arguments(request, arguments.data(), static_cast<int>(arguments.size())) >= 0;
  const bool is_compiled = is_read && library.compile(request) >= 0;
  if (const char* const words = library.words(request)) std::fputs(words, stderr);
  if (!is_compiled) return slang_fails;
  const bool has_code = *files.code == '\0' || write_code(library, request, files.code);
  if (has_code && write_reflection(library, request, files.reflection)) return 0;
  std::fputs("error: Slang compiles the source and gives no code or no reflection.\n", stderr);
  return slang_fails;
}

}  // namespace

std::optional<int> slang_child(int count, char** words) {
  constexpr int first = 5;  // behind the program, the word, the library and the files for the code and the reflection
  if (count <= first || std::string_view(words[1]) != slang_word) return std::nullopt;
  const auto status = compile(words[2], {words[3], words[4]}, {words + first, static_cast<std::size_t>(count - first)});
  // The library's own threads and destructors are of no use any more.
  if (!status) std::fprintf(stderr, "%s\n", status.error().text().c_str());
  std::fflush(nullptr);
  std::_Exit(status ? *status : slang_is_absent);
}

}  // namespace pintle::cli
