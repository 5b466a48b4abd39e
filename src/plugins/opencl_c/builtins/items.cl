// Where an item is, and how items wait for each other. The functions pintle_* are the plug-in's.
#define PINTLE_DIMENSIONS(name) \
  ulong __attribute__((const)) name##x(void); \
  ulong __attribute__((const)) name##y(void); \
  ulong __attribute__((const)) name##z(void); \
  INLINE ulong name##of(uint d, ulong other) { \
    return d == 0 ? name##x() : d == 1 ? name##y() : d == 2 ? name##z() : other; \
  }
PINTLE_DIMENSIONS(pintle_local_id_)
PINTLE_DIMENSIONS(pintle_local_size_)
PINTLE_DIMENSIONS(pintle_group_id_)
PINTLE_DIMENSIONS(pintle_num_groups_)
void __attribute__((convergent)) pintle_barrier(void);

OVERLOAD uint get_work_dim(void) { return 3; }
OVERLOAD size_t get_local_id(uint d) { return pintle_local_id_of(d, 0); }
OVERLOAD size_t get_local_size(uint d) { return pintle_local_size_of(d, 1); }
OVERLOAD size_t get_enqueued_local_size(uint d) { return pintle_local_size_of(d, 1); }
OVERLOAD size_t get_group_id(uint d) { return pintle_group_id_of(d, 0); }
OVERLOAD size_t get_num_groups(uint d) { return pintle_num_groups_of(d, 1); }
OVERLOAD size_t get_global_offset(uint d) { return 0; }
OVERLOAD size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
OVERLOAD size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
OVERLOAD size_t get_global_linear_id(void) {
  return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}
OVERLOAD size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

// The items of a group run one after another between two barriers, so that fences have nothing to order.
OVERLOAD void __attribute__((convergent)) barrier(cl_mem_fence_flags flags) { pintle_barrier(); }
OVERLOAD void __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags) { pintle_barrier(); }
OVERLOAD void __attribute__((convergent)) work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { pintle_barrier(); }
OVERLOAD void mem_fence(cl_mem_fence_flags flags) {}
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) {}
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) {}
