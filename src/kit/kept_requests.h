// What a call of the seam lends for its time, as values: for a call that may go on when its caller has given up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// A MemoryRequest with all that it names.
class KeptMemoryRequest {
 public:
  explicit KeptMemoryRequest(const backend::MemoryRequest& request) : request_(request), label_(request.label) {
    if (request.image != nullptr) image_ = *request.image;
  }

  [[nodiscard]] backend::MemoryRequest request() const noexcept {
    backend::MemoryRequest request = request_;
    request.label = label_;
    request.image = image_ ? &*image_ : nullptr;
    return request;
  }

 private:
  backend::MemoryRequest request_;
  std::string label_;
  std::optional<backend::ImageRequest> image_;
};

/// A ProgramImage with all that it names, and what the backend says of it. Does not move.
class KeptProgramImage {
 public:
  explicit KeptProgramImage(const backend::ProgramImage& image);
  KeptProgramImage(const KeptProgramImage&) = delete;
  KeptProgramImage& operator=(const KeptProgramImage&) = delete;
  ~KeptProgramImage() = default;

  [[nodiscard]] const backend::ProgramImage& image() const noexcept { return image_; }
  /// Gives what the backend has said to the image that this one was made of.
  void tell(const backend::ProgramImage& original);

 private:
  std::string name_, format_, language_;
  std::vector<std::byte> code_;
  std::vector<Entry> entries_;
  std::vector<std::string> words_;  // the names of constants, then the names and texts of macros
  std::vector<backend::Constant> constants_;
  std::vector<backend::Macro> macros_;
  std::vector<std::string> folders_;
  std::vector<backend::LeftOut> left_out_;
  std::vector<backend::Alignment> alignments_;
  backend::ProgramImage image_;
};

}  // namespace pintle::kit
