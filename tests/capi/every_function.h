/* What every_function.py's program calls with: an object of each kind, and one that was released. */

static const uint64_t one64 = 1;
static const char* const signatures[] = {"x() group 1"};
static const char pack_path[] = "there/is/none";
static const char bytes[] = "no pack";
static pintle_argument arguments[1];
static pintle_extent groups;

static const uint64_t no_tensor[16]; /* without a function that deletes it */

static void make_programs(void) {
  const char* const signature = "add(x: read_write f32[]) group 1";
  static const char code[] = "void add(const pintle_group* g, void* const* a) { (void)g; *(float*)a[0] += 1; }";
  right.kernel = saxpy_on(right.device);
  OK(pintle_pack_source("c", code, sizeof code - 1, &signature, 1, &right.pack, error));
  OK(pintle_program_load(right.device, right.pack, &right.program, error));
  OK(pintle_pack_serialize(right.pack, &right.bytes, error));
}

static void make_memory(void) {
  const pintle_planned_value place = {.size = sizeof place, .name = "x", .bytes = 64};
  const uint64_t chunk = 64;
  right.buffer = buffer_on(right.device);
  OK(pintle_image_create(right.device, PINTLE_TEXEL_R8UI, 4, 4, 0, NULL, &right.image, error));
  OK(pintle_pool_create(right.device, NULL, &right.pool, error));
  OK(pintle_pool_resource(right.pool, &right.resource, error));
  OK(pintle_pool_holders(right.pool, &right.holder_list, error));
  OK(pintle_plan_create(&place, 1, &chunk, 1, 64, &right.plan, error));
  OK(pintle_arena_create(right.device, right.plan, NULL, 0, NULL, &right.arena, error));
  OK(pintle_state_create(right.device, "x", PINTLE_F32, 1, &one64, NULL, &right.state, error));
  OK(pintle_state_set_create(&right.state_set, error));
}

static void make_work(void) {
  pintle_list list;
  const pintle_view view = all_of(right.buffer);
  const float value = 1;
  OK(pintle_queue_create(right.device, NULL, &right.queue, error));
  OK(pintle_signal_create(0, NULL, &right.signal, error));
  OK(pintle_list_create(&list, error));
  OK(pintle_list_fill(list, &view, &value, error));
  OK(pintle_recording_create(right.device, list, &right.recording, error));
  OK(pintle_list_create(&right.list, error));
}

static void make_ranks(void) {
  pintle_rank_group alone; /* a queue has its group to itself */
  OK(pintle_rank_group_join(NULL, &right.rank_group, error));
  OK(pintle_rank_group_join(NULL, &alone, error));
  OK(pintle_group_queue_create(alone, right.device, NULL, &right.group_queue, error));
  OK(pintle_rank_group_release(alone, error));
  OK(pintle_symmetric_heap_create(right.rank_group, 4096, NULL, &right.symmetric_heap, error));
  OK(pintle_symmetric_heap_allocate(right.symmetric_heap, PINTLE_F32, 1, &one64, PINTLE_TIMEOUT_DEFAULT,
                                    &right.symmetric_buffer, error));
  OK(pintle_symmetric_heap_allocate_signals(right.symmetric_heap, 1, PINTLE_TIMEOUT_DEFAULT, &right.symmetric_signals,
                                            error));
}

static void make_all(void) {
  right.device = opened();
  OK(pintle_devices_list(&right.device_list, error));
  OK(pintle_device_budget(right.device, &right.heap_list, error));
  OK(pintle_settings(&right.setting_list, error));
  make_programs();
  make_memory();
  make_work();
  make_ranks();
}

static void release_all(void) {
  OK(pintle_symmetric_heap_release(right.symmetric_heap, error));
  OK(pintle_rank_group_release(right.rank_group, error));
  OK(pintle_group_queue_release(right.group_queue, error));
  OK(pintle_list_release(right.list, error));
  OK(pintle_recording_release(right.recording, error));
  OK(pintle_signal_release(right.signal, error));
  OK(pintle_queue_release(right.queue, error));
  OK(pintle_state_set_release(right.state_set, error));
  OK(pintle_state_release(right.state, error));
  OK(pintle_arena_release(right.arena, error));
  OK(pintle_plan_release(right.plan, error));
  OK(pintle_holder_list_release(right.holder_list, error));
  OK(pintle_resource_release(right.resource, error));
  OK(pintle_pool_release(right.pool, error));
  OK(pintle_image_release(right.image, error));
  OK(pintle_buffer_release(right.buffer, error));
  OK(pintle_bytes_release(right.bytes, error));
  OK(pintle_program_release(right.program, error));
  OK(pintle_pack_release(right.pack, error));
  OK(pintle_kernel_release(right.kernel, error));
  OK(pintle_setting_list_release(right.setting_list, error));
  OK(pintle_heap_list_release(right.heap_list, error));
  OK(pintle_device_list_release(right.device_list, error));
  OK(pintle_device_release(right.device, error));
}

static void fill_some(void) {
  some.view.buffer = right.buffer;
  some.extent.x = 1;
  groups = some.extent;
  groups.is_groups = 1;
  some.point.signal = right.signal;
  some.conversion.from = some.conversion.to = PINTLE_F32;
  some.collective.kind = PINTLE_COLLECTIVE_BARRIER;
  some.planned_value.name = "x";
  some.arena_value.name = "x";
  some.arena_value.dtype = PINTLE_U8;
  some.arena_value.rank = 1;
  some.arena_value.dims[0] = 64;
  some.symmetric_view.buffer = right.symmetric_buffer;
  arguments[0] = of_buffer(right.buffer);
}

static void set_up(void) {
  make_all();
  memcpy(&released, &right, sizeof released);
  release_all();
  make_all();
  set_sizes();
  fill_some();
}

/* After every failed call, what was right is right still: all of it works and is released. */
static void tear_down(void) {
  pintle_point done = {.size = sizeof done};
  size_t size;
  OK(pintle_list_size(right.list, &size, error));
  CHECK(size == 0);
  OK(pintle_queue_replay(right.queue, right.recording, NULL, 0, NULL, &done, error));
  OK(pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
  release_all();
}
