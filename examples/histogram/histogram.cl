// How often each of 256 values occurs. A group counts in memory of its own first.
kernel void histogram(global const uint* from, global uint* counts, uint n) {
  local uint own[256];
  const uint item = get_local_id(0);
  own[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(0) < n) atomic_inc(&own[from[get_global_id(0)] & 255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[item], own[item]);
}
