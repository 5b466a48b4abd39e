kernel void bench_nothing(void) {}

kernel void bench_turn(global uint* values, uint rounds) {
  uint value = values[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  values[get_global_id(0)] = value;
}
