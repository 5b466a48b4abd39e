// A line of cells: each becomes the exclusive or of its neighbours (Wolfram's rule 90).
kernel void advance(global const uint* now, global uint* next, uint n) {
  const uint at = get_global_id(0);
  if (at < n) next[at] = now[(at + n - 1) % n] ^ now[(at + 1) % n];
}
