// NVIDIA's PTX, which every driver compiles for its own GPU.
#include <fmt/format.h>

#include "base/file.h"
#include "base/quote.h"
#include "cli/compilers/gpu_clang.h"

namespace pintle::cli {

/// There is no linker, so a function that is declared and nowhere defined stays in the text as external.
Result<Code> compile_ptx(const io::PackSource& source, std::string_view target) {
  auto code =
      compile_with_gpu_prelude(source, {"-target", "nvptx64-nvidia-cuda", "-march=" + std::string(target), "-S"});
  if (!code) return code;
  const std::string_view text = base::text_in(*code);
  const auto at = text.find(".extern .func");
  if (at == std::string_view::npos) return code;
  return Error(Errc::build_failed, fmt::format("Source {} calls a function that is defined nowhere: {}.",
                                               base::quote(source.file), text.substr(at, text.find('\n', at) - at)));
}

}  // namespace pintle::cli
