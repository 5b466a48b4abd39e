@group(0) @binding(0) var<storage, read_write> values: array<u32>;
struct Scalars { rounds: u32 }
@group(0) @binding(1) var<uniform> scalars: Scalars;

@compute @workgroup_size(1) fn bench_nothing() {}

@compute @workgroup_size(64) fn bench_turn(@builtin(global_invocation_id) id: vec3<u32>) {
  var value = values[id.x];
  for (var i = 0u; i < scalars.rounds; i++) { value = value * 1664525u + 1013904223u; }
  values[id.x] = value;
}
