// Running sums: within groups of 256, and what the groups before have in all.
kernel void scan(global uint* x, global uint* sums) {
  local uint part[256];
  const uint item = get_local_id(0);
  part[item] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < 256; step *= 2) {
    const uint before = item >= step ? part[item - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x[get_global_id(0)] = part[item];
  if (item == 255) sums[get_group_id(0)] = part[item];
}

kernel void add(global uint* x, global const uint* sums) {
  if (get_group_id(0) > 0) x[get_global_id(0)] += sums[get_group_id(0) - 1];
}
