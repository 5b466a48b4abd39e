// Images, and their copies from and to buffers.
#include "pintle/c/image.h"
#include "capi/choices.h"
#include "capi/enter.h"
#include "capi/image_objects.h"
#include "capi/list_step.h"
#include "capi/structs.h"
#include "capi/values.h"

using namespace pintle;
using namespace pintle::capi;

namespace {

Result<ImageOptions> options_of(const pintle_image_options* options) {
  ImageOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_image_options"));
  PINTLE_ASSIGN(access, enumerator_or(out.access, in->access, Access::read_write, "access"));
  PINTLE_ASSIGN(timeout, timeout_or_default(in->timeout));
  out.access = access;
  out.label = text_or_none(in->label);
  out.timeout = timeout;
  return out;
}

Result<ImagePart> part_of(const pintle_image_part* part) {
  ImagePart out;
  if (part == nullptr) return out;
  PINTLE_ASSIGN(in, readable(part, "pintle_image_part"));
  out.x = in->x;
  out.y = in->y;
  out.z = in->z;
  out.extent = {in->width, in->height, in->depth};
  out.row_bytes = in->row_bytes;
  out.slice_bytes = in->slice_bytes;
  return out;
}

/// One copy of a list. `add(list, view, part)` adds it.
template <class Add>
pintle_status copy(pintle_list list, pintle_image image, const pintle_image_part* part, pintle_error* error, Add add) {
  return with_list(list, error, [&](CommandList& its) -> Result<void> {
    PINTLE_ASSIGN(texels, use(image));
    PINTLE_ASSIGN(place, part_of(part));
    return add(its, texels->view(), place);
  });
}

}  // namespace

pintle_status pintle_image_create(pintle_device device, uint32_t texel, uint32_t width, uint32_t height, uint32_t depth,
                                  const pintle_image_options* options, pintle_image* image, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_TRY(given(image, "image"));
    PINTLE_ASSIGN(kind, enumerator(texel, Texel::rgba32f, "texel"));
    PINTLE_ASSIGN(how, options_of(options));
    PINTLE_ASSIGN(its, use(device));
    PINTLE_ASSIGN(made, its->create_image({width, height, depth}, kind, std::move(how)));
    return make(image, std::move(made));
  });
}

pintle_status pintle_image_get_info(pintle_image image, pintle_image_info* info, pintle_error* error) {
  return enter(error, [&]() -> Result<void> {
    PINTLE_ASSIGN(out, writable(info, "pintle_image_info"));
    PINTLE_ASSIGN(its, use(image));
    const ImageView& view = its->view();
    out->texel = static_cast<std::uint32_t>(view.texel());
    out->width = view.extent().width;
    out->height = view.extent().height;
    out->depth = view.extent().depth;
    out->access = static_cast<std::uint32_t>(view.access());
    out->bytes = view.size_bytes();
    return {};
  });
}

pintle_status pintle_image_release(pintle_image image, pintle_error* error) {
  return enter(error, [&] { return release(image); });
}

pintle_status pintle_list_copy_to_image(pintle_list list, pintle_image to, const pintle_view* from,
                                        const pintle_image_part* part, pintle_error* error) {
  return copy(list, to, part, error,
              [&](CommandList& its, const ImageView& texels, const ImagePart& place) -> Result<void> {
                PINTLE_ASSIGN(rows, view_of(from));
                its.copy(texels, rows, place);
                return {};
              });
}

pintle_status pintle_list_copy_from_image(pintle_list list, const pintle_view* to, pintle_image from,
                                          const pintle_image_part* part, pintle_error* error) {
  return copy(list, from, part, error,
              [&](CommandList& its, const ImageView& texels, const ImagePart& place) -> Result<void> {
                PINTLE_ASSIGN(rows, view_of(to));
                its.copy(rows, texels, place);
                return {};
              });
}

pintle_status pintle_list_copy_slot_to_image(pintle_list list, pintle_image to, uint32_t from,
                                             const pintle_image_part* part, pintle_error* error) {
  return copy(list, to, part, error,
              [&](CommandList& its, const ImageView& texels, const ImagePart& place) -> Result<void> {
                PINTLE_ASSIGN(slot, slot_of(from));
                its.copy(texels, slot, place);
                return {};
              });
}

pintle_status pintle_list_copy_image_to_slot(pintle_list list, uint32_t to, pintle_image from,
                                             const pintle_image_part* part, pintle_error* error) {
  return copy(list, from, part, error,
              [&](CommandList& its, const ImageView& texels, const ImagePart& place) -> Result<void> {
                PINTLE_ASSIGN(slot, slot_of(to));
                its.copy(slot, texels, place);
                return {};
              });
}
