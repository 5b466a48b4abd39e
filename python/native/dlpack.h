/* The structs of DLPack, version 1 and before: what libraries of one process hand tensors to each other in, and the
 * table of functions by which they do so without Python (version 1.3). */
#ifndef PINTLE_PYTHON_DLPACK_H
#define PINTLE_PYTHON_DLPACK_H

#include <stdint.h>

enum {
  dlpack_cpu = 1,
  dlpack_cuda = 2,
  dlpack_rocm = 10,
  dlpack_major = 1,
  dlpack_minor = 0,          /* For tensors. */
  dlpack_exchange_minor = 3, /* For the table. */
  dlpack_read_only = 1,
  dlpack_is_copied = 2
};

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

/* What a type offers in the capsule `dlpack_exchange_api`. Functions that answer an int answer 0, or -1 with an
 * exception of Python. No-sync ones neither wait for work nor order any. */
typedef struct DlExchange {
  uint32_t major, minor;
  struct DlExchange* before; /* The table of an older version. */
  /* A tensor like another one, which the caller fills. Needs no GIL; `fail` gets an exception's name and a message. */
  int (*allocate)(DlTensor* like, struct DLManagedTensorVersioned** made, void* context,
                  void (*fail)(void* context, const char* kind, const char* message));
  int (*from_object)(void* object, struct DLManagedTensorVersioned** made);
  int (*to_object)(struct DLManagedTensorVersioned* tensor, void** object);
  int (*lend)(void* object, DlTensor* made); /* May be NULL. */
  int (*stream)(int32_t device_type, int32_t device_id, void** stream);
} DlExchange;

#endif
