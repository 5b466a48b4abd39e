/* Another library's tensor by DLPack 1.3's functions for C: one tensor of the host, for whichever object is asked. What
 * is measured with it is the consumer alone. */
#include <stddef.h>
#include <stdint.h>

typedef struct Tensor {
  void* data;
  int32_t device_type, device_id, rank;
  uint8_t type_code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;

typedef struct Managed {
  uint32_t major, minor;
  void* context;
  void (*deleter)(struct Managed* self);
  uint64_t flags;
  Tensor tensor;
} Managed;

typedef struct Table {
  uint32_t major, minor;
  struct Table* before;
  int (*allocate)(Tensor* like, Managed** made, void* context, void (*fail)(void*, const char*, const char*));
  int (*from_object)(void* object, Managed** made);
  int (*to_object)(Managed* tensor, void** object);
  int (*lend)(void* object, Tensor* made);
  int (*stream)(int32_t device_type, int32_t device_id, void** stream);
} Table;

static _Alignas(64) float elements[256];
static int64_t shape[] = {256};

static void nothing(Managed* self) { (void)self; }

static int from_object(void* object, Managed** made) {
  static Managed tensor = {.major = 1, .deleter = nothing};
  (void)object;
  tensor.tensor =
      (Tensor){.data = elements, .device_type = 1, .rank = 1, .type_code = 2, .bits = 32, .lanes = 1, .shape = shape};
  *made = &tensor;
  return 0;
}

static int stream(int32_t device_type, int32_t device_id, void** stream) {
  (void)device_type;
  (void)device_id;
  *stream = NULL;
  return 0;
}

const Table* bench_exchange_table(void);
const Table* bench_exchange_table(void) {
  static const Table table = {.major = 1, .minor = 3, .from_object = from_object, .stream = stream};
  return &table;
}
