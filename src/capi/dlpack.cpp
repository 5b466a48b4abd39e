// DLPack, both ways.
#include <memory>
#include <string>
#include <utility>

#include "capi/check.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/objects.h"
#include "capi/structs.h"
#include "capi/values.h"
#include "pintle/c/dlpack.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

template <class Managed>
using Tensor = std::unique_ptr<Managed, DlpackDeleter>;

/// The library takes the tensor over once it is asked, whatever it answers.
template <class Managed>
Result<Buffer> take(const Device& device, Tensor<Managed>& tensor, const pintle_dlpack_options* options) {
  if (options == nullptr) return from_dlpack(device, tensor.release());
  PINTLE_ASSIGN(in, readable(options, "pintle_dlpack_options"));
  std::string label = text_or_none(in->label);
  if (in->copy == 0) return from_dlpack(device, tensor.release(), std::move(label));
  PINTLE_ASSIGN(copy, enumerator(in->copy, DlpackCopy::always, "copy"));
  PINTLE_ASSIGN(on, use(in->queue));
  return from_dlpack(device, on->queue, tensor.release(), copy, std::move(label));
}

template <class Managed>
pintle_status take(pintle_device device, Managed* tensor, const pintle_dlpack_options* options, pintle_buffer* buffer,
                   pintle_error* error) {
  Tensor<Managed> taken(tensor);  // first of all, so that every error lets it go
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(tensor, "tensor"));
    PINTLE_TRY(given(buffer, "buffer"));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, take(*its, taken, options));
    return make(buffer, std::move(made));
  });
}

/// `give(Buffer&&)` answers a tensor, and leaves the buffer alone where it cannot.
template <class Managed, class Give>
pintle_status hand_out(pintle_buffer buffer, Managed** tensor, pintle_error* error, Give give) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(tensor, "tensor"));
    PINTLE_ASSIGN(its, use(buffer));
    PINTLE_ASSIGN(made, give(std::move(*its)));
    (void)Kind<pintle_buffer>::table.release(buffer.id);
    *tensor = made.release();
    return {};
  });
}

/// `give(queue, view, timeout)` answers a tensor with a copy.
template <class Managed, class Give>
pintle_status copy_out(const pintle_view* view, pintle_queue queue, int64_t timeout, Managed** tensor,
                       pintle_error* error, Give give) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(tensor, "tensor"));
    PINTLE_ASSIGN(bound, timeout_of(timeout));
    PINTLE_ASSIGN(on, use(queue));
    PINTLE_ASSIGN(from, view_of(view));
    PINTLE_ASSIGN(made, give(on->queue, from, bound));
    *tensor = made.release();
    return {};
  });
}

}  // namespace

pintle_status pintle_buffer_from_dlpack(pintle_device device, DLManagedTensorVersioned* tensor,
                                        const pintle_dlpack_options* options, pintle_buffer* buffer,
                                        pintle_error* error) {
  return take(device, tensor, options, buffer, error);
}

pintle_status pintle_buffer_from_old_dlpack(pintle_device device, DLManagedTensor* tensor,
                                            const pintle_dlpack_options* options, pintle_buffer* buffer,
                                            pintle_error* error) {
  return take(device, tensor, options, buffer, error);
}

pintle_status pintle_buffer_to_dlpack(pintle_buffer buffer, DLManagedTensorVersioned** tensor, pintle_error* error) {
  return hand_out(buffer, tensor, error, [](Buffer&& its) { return to_dlpack(std::move(its)); });
}

pintle_status pintle_buffer_to_old_dlpack(pintle_buffer buffer, DLManagedTensor** tensor, pintle_error* error) {
  return hand_out(buffer, tensor, error, [](Buffer&& its) { return to_old_dlpack(std::move(its)); });
}

pintle_status pintle_view_to_dlpack(const pintle_view* view, pintle_queue queue, int64_t timeout,
                                    DLManagedTensorVersioned** tensor, pintle_error* error) {
  return copy_out(view, queue, timeout, tensor, error,
                  [](Queue& on, const BufferView& from, Timeout bound) { return to_dlpack(on, from, bound); });
}

pintle_status pintle_view_to_old_dlpack(const pintle_view* view, pintle_queue queue, int64_t timeout,
                                        DLManagedTensor** tensor, pintle_error* error) {
  return copy_out(view, queue, timeout, tensor, error,
                  [](Queue& on, const BufferView& from, Timeout bound) { return to_old_dlpack(on, from, bound); });
}
