enable f16;
alias Row = array<vec4<f32>, side>;
const side = 4;
@id(7) override tile: u32 = 8;
override on = true;
struct In { @align(16) m: mat3x2<f16>, v: vec3<i32>, rows: array<Row, 2> }
@group(1) @binding(0) var<storage> t: In;
@group(1) @binding(3) var<storage, read_write> o: array<atomic<u32>>;
var<immediate> p: vec2<u32>;
var<workgroup> w: array<u32, 64>;
fn g(q: ptr<function, u32>) -> u32 { return *q + p.x; }
@compute @workgroup_size(tile, 2) fn main(@builtin(local_invocation_index) i: u32) {
  var k = i; w[i] = g(&k); workgroupBarrier(); if (on) { atomicAdd(&o[i], w[i]); }
}
