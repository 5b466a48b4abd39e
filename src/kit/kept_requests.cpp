#include "kit/kept_requests.h"

#include <utility>

namespace pintle::kit {

KeptProgramImage::KeptProgramImage(const backend::ProgramImage& image)
    : name_(image.name),
      format_(image.format),
      language_(image.source.language),
      code_(image.code.begin(), image.code.end()),
      entries_(image.entries.begin(), image.entries.end()),
      constants_(image.constants.begin(), image.constants.end()),
      macros_(image.source.macros.begin(), image.source.macros.end()),
      folders_(image.source.include_folders.begin(), image.source.include_folders.end()) {
  words_.reserve(constants_.size() + 2 * macros_.size());  // words do not move once a view names them
  const auto keep = [&](std::string_view& word) { word = words_.emplace_back(word); };
  for (backend::Constant& constant : constants_) keep(constant.name);
  for (backend::Macro& macro : macros_) {
    keep(macro.name);
    keep(macro.text);
  }
  image_ = {.name = name_,
            .format = format_,
            .code = code_,
            .entries = entries_,
            .constants = constants_,
            .left_out = image.left_out != nullptr ? &left_out_ : nullptr,
            .source = {.macros = macros_, .include_folders = folders_, .language = language_},
            .alignments = image.alignments != nullptr ? &alignments_ : nullptr,
            .deadline = image.deadline};
}

void KeptProgramImage::tell(const backend::ProgramImage& original) {
  if (original.left_out != nullptr) *original.left_out = std::move(left_out_);
  if (original.alignments != nullptr) *original.alignments = std::move(alignments_);
}

}  // namespace pintle::kit
