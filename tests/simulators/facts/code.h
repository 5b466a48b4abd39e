// The kernels on their way from the compiler to a driver.
#pragma once

#include <string>

#include "facts/api.h"

namespace facts {

/// What the vendor's compiler makes of the kernels for the first device: PTX, or a code object. The driver has begun.
[[nodiscard]] pintle::Result<std::string> compile_kernels(const Api& api);

/// A file that many processes read; it goes with this.
class CodeFile {
 public:
  CodeFile();
  CodeFile(const CodeFile&) = delete;
  CodeFile& operator=(const CodeFile&) = delete;
  ~CodeFile();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// All of the file; empty where there is none.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace facts
