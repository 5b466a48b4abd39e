// One sum for each group of 256 numbers.
kernel void sum(global const uint* from, global uint* to, uint n) {
  local uint part[256];
  const uint at = get_global_id(0), item = get_local_id(0);
  part[item] = at < n ? from[at] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 128; step > 0; step /= 2) {
    if (item < step) part[item] += part[item + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) to[get_group_id(0)] = part[0];
}
