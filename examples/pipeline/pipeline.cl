// The two halves of the work.
kernel void square(global uint* x, uint n) {
  if (get_global_id(0) < n) x[get_global_id(0)] *= x[get_global_id(0)];
}

kernel void add(global uint* x, uint by, uint n) {
  if (get_global_id(0) < n) x[get_global_id(0)] += by;
}
