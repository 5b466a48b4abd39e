// to = share * from + to.
kernel void blend(global const float* from, global float* to, float share, uint n) {
  if (get_global_id(0) < n) to[get_global_id(0)] += share * from[get_global_id(0)];
}
