// The kernels of the conformance suite for WebGPU: the same functions as kernels.c, an item each. conform_store_at is
// not there: WebGPU has no addresses. Buffers of what is smaller or larger than a word are arrays of words.

fn group_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return (group.z * groups.y + group.y) * groups.x + group.x;
}

struct SaxpyScalars { a: f32, n: u32 }
@group(0) @binding(0) var<storage, read> saxpy_x: array<f32>;
@group(0) @binding(1) var<storage, read_write> saxpy_y: array<f32>;
@group(0) @binding(2) var<uniform> saxpy_scalars: SaxpyScalars;
@compute @workgroup_size(256) fn conform_saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i < saxpy_scalars.n) {
    let product = saxpy_scalars.a * saxpy_x[i];
    saxpy_y[i] = product + saxpy_y[i];
  }
}

@group(0) @binding(0) var<storage, read_write> words: array<u32>;

struct FillScalars { width: u32, height: u32, depth: u32 }
@group(0) @binding(1) var<uniform> fill_scalars: FillScalars;
@compute @workgroup_size(4, 2, 2) fn conform_fill_index(@builtin(global_invocation_id) id: vec3<u32>) {
  let sides = vec3<u32>(fill_scalars.width, fill_scalars.height, fill_scalars.depth);
  if (all(id < sides)) { words[(id.z * sides.y + id.y) * sides.x + id.x] = (id.z * 1000u + id.y) * 1000u + id.x; }
}

@compute @workgroup_size(3, 2, 1)
fn conform_record_groups(@builtin(local_invocation_id) item: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
                         @builtin(num_workgroups) groups: vec3<u32>) {
  if (any(item != vec3<u32>(0u))) { return; }
  let sides = array<u32, 3>(3u, 2u, 1u);
  for (var axis = 0u; axis < 3u; axis++) {
    words[group_index(group, groups) * 9u + axis] = group[axis];
    words[group_index(group, groups) * 9u + 3u + axis] = groups[axis];
    words[group_index(group, groups) * 9u + 6u + axis] = sides[axis];
  }
}

@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums_of_groups: array<u32>;
struct CountScalars { n: u32 }
@group(0) @binding(2) var<uniform> count_scalars: CountScalars;
var<workgroup> sums: array<u32, 64>;
@compute @workgroup_size(64)
fn conform_reduce(@builtin(local_invocation_index) item: u32, @builtin(global_invocation_id) id: vec3<u32>,
                  @builtin(workgroup_id) group: vec3<u32>) {
  var value = 0u;
  if (id.x < count_scalars.n) { value = values[id.x]; }
  sums[item] = value;
  workgroupBarrier();
  for (var half = 32u; half > 0u; half /= 2u) {
    if (item < half) { sums[item] += sums[item + half]; }
    workgroupBarrier();
  }
  if (item == 0u) { sums_of_groups[group.x] = sums[0]; }
}

struct AffineScalars { m: u32, a: u32, n: u32 }
@group(0) @binding(1) var<uniform> affine_scalars: AffineScalars;
@compute @workgroup_size(64) fn conform_affine(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < affine_scalars.n) { words[id.x] = words[id.x] * affine_scalars.m + affine_scalars.a; }
}

struct AddScalars { add: u32, n: u32 }
@group(0) @binding(0) var<storage, read> add_from: array<u32>;
@group(0) @binding(1) var<storage, read_write> add_to: array<u32>;
@group(0) @binding(2) var<uniform> add_scalars: AddScalars;
@compute @workgroup_size(64) fn conform_add_to(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < add_scalars.n) { add_to[id.x] = add_from[id.x] + add_scalars.add; }
}

@compute @workgroup_size(1)
fn conform_count_groups(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  words[group_index(group, groups)] += 1u;
}

@compute @workgroup_size(1) fn conform_nothing() {}

// One value in every item. The first item of a word writes all of its items, and keeps what is behind the last one.
struct PutWordScalars { value: u32, n: u32 }
struct PutI32Scalars { value: i32, n: u32 }
struct PutF32Scalars { value: f32, n: u32 }
struct PutPairScalars { value: vec2<u32>, n: u32 }
@group(0) @binding(1) var<uniform> put_word: PutWordScalars;
@group(0) @binding(1) var<uniform> put_i32: PutI32Scalars;
@group(0) @binding(1) var<uniform> put_f32: PutF32Scalars;
@group(0) @binding(1) var<uniform> put_pair: PutPairScalars;
@group(0) @binding(0) var<storage, read_write> i32s: array<i32>;
@group(0) @binding(0) var<storage, read_write> f32s: array<f32>;
@group(0) @binding(0) var<storage, read_write> pairs: array<vec2<u32>>;

// The items of a word from `first` on, below `n`, as bits of it.
fn bits_of(first: u32, n: u32, bytes: u32) -> u32 {
  let count = min(n - first, 4u / bytes);
  return 0xffffffffu >> (32u - count * bytes * 8u);
}
fn put_small(first: u32, bytes: u32) {
  let n = put_word.n;
  if (first >= n || first % (4u / bytes) != 0u) { return; }
  let ones = 0xffffffffu >> (32u - bytes * 8u);
  var all = 0u;
  for (var at = 0u; at < 32u; at += bytes * 8u) { all |= (put_word.value & ones) << at; }
  let mask = bits_of(first, n, bytes);
  let word = first * bytes / 4u;
  words[word] = (words[word] & ~mask) | (all & mask);
}

@group(0) @binding(0) var<storage, read> from_words: array<u32>;
@group(0) @binding(0) var<storage, read> from_i32s: array<i32>;
@group(0) @binding(0) var<storage, read> from_f32s: array<f32>;
@group(0) @binding(0) var<storage, read> from_pairs: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> to_words: array<u32>;
@group(0) @binding(1) var<storage, read_write> to_i32s: array<i32>;
@group(0) @binding(1) var<storage, read_write> to_f32s: array<f32>;
@group(0) @binding(1) var<storage, read_write> to_pairs: array<vec2<u32>>;
fn copy_small(first: u32, bytes: u32) {
  let n = count_scalars.n;
  if (first >= n || first % (4u / bytes) != 0u) { return; }
  let mask = bits_of(first, n, bytes);
  let word = first * bytes / 4u;
  to_words[word] = (to_words[word] & ~mask) | (from_words[word] & mask);
}
@compute @workgroup_size(64) fn conform_put_bool(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_copy_bool(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_put_i8(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_copy_i8(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_put_u8(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_copy_u8(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_put_f8_e4m3fn(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_copy_f8_e4m3fn(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_put_f8_e5m2(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_copy_f8_e5m2(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 1u);
}
@compute @workgroup_size(64) fn conform_put_i16(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_copy_i16(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_put_u16(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_copy_u16(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_put_f16(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_copy_f16(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_put_bf16(@builtin(global_invocation_id) id: vec3<u32>) {
  put_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_copy_bf16(@builtin(global_invocation_id) id: vec3<u32>) {
  copy_small(id.x, 2u);
}
@compute @workgroup_size(64) fn conform_put_i32(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_i32.n) { i32s[id.x] = put_i32.value; }
}
@compute @workgroup_size(64) fn conform_copy_i32(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_i32s[id.x] = from_i32s[id.x]; }
}
@compute @workgroup_size(64) fn conform_put_u32(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_word.n) { words[id.x] = put_word.value; }
}
@compute @workgroup_size(64) fn conform_copy_u32(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_words[id.x] = from_words[id.x]; }
}
@compute @workgroup_size(64) fn conform_put_f32(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_f32.n) { f32s[id.x] = put_f32.value; }
}
@compute @workgroup_size(64) fn conform_copy_f32(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_f32s[id.x] = from_f32s[id.x]; }
}
@compute @workgroup_size(64) fn conform_put_i64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_pair.n) { pairs[id.x] = put_pair.value; }
}
@compute @workgroup_size(64) fn conform_copy_i64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_pairs[id.x] = from_pairs[id.x]; }
}
@compute @workgroup_size(64) fn conform_put_u64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_pair.n) { pairs[id.x] = put_pair.value; }
}
@compute @workgroup_size(64) fn conform_copy_u64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_pairs[id.x] = from_pairs[id.x]; }
}
@compute @workgroup_size(64) fn conform_put_f64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_pair.n) { pairs[id.x] = put_pair.value; }
}
@compute @workgroup_size(64) fn conform_copy_f64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_pairs[id.x] = from_pairs[id.x]; }
}
@compute @workgroup_size(64) fn conform_put_complex64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < put_pair.n) { pairs[id.x] = put_pair.value; }
}
@compute @workgroup_size(64) fn conform_copy_complex64(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < count_scalars.n) { to_pairs[id.x] = from_pairs[id.x]; }
}
