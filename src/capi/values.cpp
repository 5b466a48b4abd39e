#include "capi/values.h"

#include <fmt/format.h>
#include <memory>

#include "capi/arrays.h"
#include "capi/choices.h"
#include "capi/image_objects.h"
#include "capi/lent_buffers.h"
#include "capi/scalar_values.h"
#include "capi/structs.h"

namespace pintle::capi {

static_assert(sizeof(pintle_argument::value) == sizeof(Scalar::bytes));

namespace {

/// A part of a buffer of the caller's, or of one that another object has lent.
template <class Memory>
Result<BufferView> part_of(const Memory& memory, std::uint32_t dtype, std::uint64_t offset, std::uint64_t bytes) {
  const BufferView& whole = memory.view();
  if (offset == 0 && (bytes == 0 || bytes == whole.size_bytes()) &&
      (dtype == 0 || dtype == static_cast<std::uint32_t>(whole.dtype())))
    return whole;
  DType type = whole.dtype();
  if (dtype != 0) {
    PINTLE_ASSIGN(given_type, enumerator(dtype, DType::complex64, "dtype"));
    type = given_type;
  }
  const std::uint64_t size = whole.size_bytes();
  if (offset > size || bytes > size - offset)
    return Error(Errc::invalid_argument,
                 fmt::format("The range ({} bytes from byte {} on) ends beyond the {} bytes of {}.", bytes, offset,
                             size, memory.text()));
  const std::uint64_t length = bytes == 0 ? size - offset : bytes;
  if (length % bytes_of(type) != 0)
    return Error(Errc::invalid_argument, fmt::format("The range ({} bytes) is no whole number of {} of {} bytes each.",
                                                     length, name(type), bytes_of(type)));
  PINTLE_ASSIGN(all, whole.as(DType::u8, Shape{size}));
  PINTLE_ASSIGN(part, all.slice(offset, length));
  return part.as(type, Shape{length / bytes_of(type)});
}

}  // namespace

Result<BufferView> view_of(pintle_buffer buffer, std::uint32_t dtype, std::uint64_t offset, std::uint64_t bytes) {
  if (is_lent(buffer)) {
    PINTLE_ASSIGN(lent, use(LentBuffer{buffer.id}));
    return part_of(*lent, dtype, offset, bytes);
  }
  PINTLE_ASSIGN(its, use(buffer));
  return part_of(*its, dtype, offset, bytes);
}

Result<BufferView> view_of(const pintle_view* view) {
  PINTLE_ASSIGN(in, readable(view, "pintle_view"));
  return view_of(in->buffer, in->dtype, in->offset, in->bytes);
}

Result<Slot> slot_of(std::uint64_t index) {
  if (index < Slot::limit) return Slot{static_cast<std::uint32_t>(index)};
  return Error(Errc::invalid_argument,
               fmt::format("The slot ({}) is none: the last one is {}.", index, Slot::limit - 1));
}

namespace {

Result<std::span<const std::byte>> bytes_of_value(const pintle_argument& argument) {
  PINTLE_TRY(given(argument.value.data, "pintle_argument.value.data"));
  return std::span(static_cast<const std::byte*>(argument.value.data), argument.bytes);
}

Result<Sampler> sampler_of(const pintle_argument& argument) {
  const auto& numbers = argument.value.sampler;
  PINTLE_ASSIGN(filter, enumerator_or(Filter::nearest, numbers.filter, Filter::linear, "filter"));
  PINTLE_ASSIGN(address, enumerator_or(Address::edge, numbers.address, Address::mirror, "address"));
  PINTLE_ASSIGN(coordinates, enumerator_or(Coordinates::normalized, numbers.coordinates, Coordinates::texels,
                                           "kind of coordinates"));
  return Sampler{filter, address, coordinates};
}

Result<TexelBuffer> texel_buffer_of(const pintle_argument& argument) {
  PINTLE_ASSIGN(texel, enumerator(argument.value.texel, Texel::rgba32f, "texel"));
  // The texel says what the bytes are, whatever dtype the buffer has.
  PINTLE_ASSIGN(bytes, view_of(argument.buffer, PINTLE_U8, argument.offset, argument.bytes));
  return TexelBuffer{bytes, texel};
}

/// The kinds that images and texels have; any other is refused.
Result<KernelArgument> image_argument_of(const pintle_argument& argument) {
  switch (argument.kind) {
    case PINTLE_ARGUMENT_IMAGE: {
      PINTLE_ASSIGN(image, use(argument.image));
      return KernelArgument(image->view());
    }
    case PINTLE_ARGUMENT_SAMPLER: {
      PINTLE_ASSIGN(sampler, sampler_of(argument));
      return KernelArgument(sampler);
    }
    case PINTLE_ARGUMENT_SAMPLED_IMAGE: {
      PINTLE_ASSIGN(image, use(argument.image));
      PINTLE_ASSIGN(sampler, sampler_of(argument));
      return KernelArgument(SampledImage{image->view(), sampler});
    }
    case PINTLE_ARGUMENT_TEXEL_BUFFER: {
      PINTLE_ASSIGN(texels, texel_buffer_of(argument));
      return KernelArgument(texels);
    }
    default:
      return Error(Errc::invalid_argument,
                   fmt::format("The kind of argument ({}) is none that a launch takes: it takes 1 to 5 and 7 to 11.",
                               argument.kind));
  }
}

}  // namespace

Result<KernelArgument> argument_of(const pintle_argument& argument) {
  switch (argument.kind) {
    case PINTLE_ARGUMENT_BUFFER: {
      PINTLE_ASSIGN(view, view_of(argument.buffer, argument.dtype, argument.offset, argument.bytes));
      return KernelArgument(view);
    }
    case PINTLE_ARGUMENT_SCALAR: {
      PINTLE_ASSIGN(scalar, scalar_of(argument.dtype, &argument.value));
      return KernelArgument(scalar);
    }
    case PINTLE_ARGUMENT_BYTES: {
      PINTLE_ASSIGN(bytes, bytes_of_value(argument));
      return KernelArgument(ByValue{bytes});
    }
    case PINTLE_ARGUMENT_LOCAL: return KernelArgument(Local{argument.bytes});
    case PINTLE_ARGUMENT_NULL: return KernelArgument(nullptr);
    case PINTLE_ARGUMENT_SLOT: {
      PINTLE_ASSIGN(slot, slot_of(argument.offset));
      return KernelArgument(slot);
    }
    default: return image_argument_of(argument);
  }
}

Result<void> make_slot_value(const pintle_argument& argument, SlotValue* out) {
  switch (argument.kind) {
    case PINTLE_ARGUMENT_BUFFER: {
      PINTLE_ASSIGN(view, view_of(argument.buffer, argument.dtype, argument.offset, argument.bytes));
      std::construct_at(out, view);
      return {};
    }
    case PINTLE_ARGUMENT_SCALAR: {
      PINTLE_ASSIGN(scalar, scalar_of(argument.dtype, &argument.value));
      std::construct_at(out, scalar);
      return {};
    }
    case PINTLE_ARGUMENT_BYTES: {
      PINTLE_ASSIGN(bytes, bytes_of_value(argument));
      std::construct_at(out, bytes);
      return {};
    }
    case PINTLE_ARGUMENT_TARGET:
      PINTLE_TRY(given(argument.value.out, "pintle_argument.value.out"));
      std::construct_at(out, std::span(static_cast<std::byte*>(argument.value.out), argument.bytes));
      return {};
    default:
      return Error(
          Errc::invalid_argument,
          fmt::format("The kind of argument ({}) is none that a slot takes: it takes buffers (1), scalars (2), "
                      "host memory to read (3) and to write (6).",
                      argument.kind));
  }
}

Result<Point> point_of(const pintle_point* point) {
  PINTLE_ASSIGN(in, readable(point, "pintle_point"));
  PINTLE_ASSIGN(signal, use(in->signal));
  return signal->signal.at(in->value);
}

Result<std::vector<Point>> points_of(const pintle_point* points, std::size_t count) {
  return values_of<Point>(points, count, "pintle_point", [](const pintle_point& point) { return point_of(&point); });
}

Result<SubmitOptions> options_of(const pintle_submit_options* options) {
  SubmitOptions out;
  if (options == nullptr) return out;
  PINTLE_ASSIGN(in, readable(options, "pintle_submit_options"));
  PINTLE_ASSIGN(after, points_of(in->after, in->after_count));
  PINTLE_ASSIGN(signal, points_of(in->signal, in->signal_count));
  PINTLE_ASSIGN(timeout, timeout_or_default(in->timeout));
  out.after = std::move(after);
  out.signal = std::move(signal);
  out.timeout = timeout;
  if (in->label != nullptr) out.label = in->label;
  return out;
}

}  // namespace pintle::capi
