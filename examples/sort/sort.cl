// One step of a bitonic sort: each pair of places that differ in the bit `step` is put in order.
kernel void order(global uint* x, uint run, uint step) {
  const uint low = get_global_id(0), high = low ^ step;
  if (high < low) return;
  const uint a = x[low], b = x[high];
  if ((a > b) == ((low & run) == 0)) { x[low] = b; x[high] = a; }
}
