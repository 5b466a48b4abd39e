// Tensors of the plug-in: a type, and a buffer that never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/pjrt/api.h"
#include "pintle/dtype.h"

namespace pintle::pjrt {

/// An element type and a shape, outermost side first.
struct TensorType {
  pj::ElementType element = pj::ElementType::invalid;
  std::vector<std::int64_t> sides;

  [[nodiscard]] std::uint64_t elements() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  /// "f32[4,8]".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

[[nodiscard]] pj::ElementType element_of(DType dtype) noexcept;
/// Empty where Pintle has no such dtype.
[[nodiscard]] std::optional<DType> dtype_of(pj::ElementType element) noexcept;

/// All results of an executable share their types.
using SharedType = std::shared_ptr<const TensorType>;

/// One buffer of the plug-in. It may not be computed yet.
class Tensor {
 public:
  Tensor(Owned<pj::Buffer> buffer, SharedType type) noexcept
      : buffer_(std::move(buffer)), type_(std::move(type)), size_(type_->bytes()) {}

  [[nodiscard]] pj::Buffer get() const noexcept { return buffer_.get(); }
  [[nodiscard]] const TensorType& type() const noexcept { return *type_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  const Owned<pj::Buffer> buffer_;
  const SharedType type_;
  const std::uint64_t size_;
};
using SharedTensor = std::shared_ptr<const Tensor>;

}  // namespace pintle::pjrt
