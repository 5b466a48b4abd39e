/* The structs of DLPack, version 1 and before: what libraries of one process hand tensors to each other in. */
#ifndef PINTLE_PYTHON_DLPACK_H
#define PINTLE_PYTHON_DLPACK_H

#include <stdint.h>

enum { dlpack_cpu = 1, dlpack_major = 1, dlpack_minor = 0, dlpack_read_only = 1, dlpack_is_copied = 2 };

typedef struct DlTensor {
  void* data;
  int32_t device_type, device_id;
  int32_t rank;
  uint8_t type_code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides; /* Elements; NULL: C order without gaps. */
  uint64_t byte_offset;
} DlTensor;

struct DLManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(struct DLManagedTensor* self);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DlTensor tensor;
};

#endif
