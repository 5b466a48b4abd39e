// c = a * b for square matrices, in tiles that a group shares.
kernel void matmul(global const float* a, global const float* b, global float* c, uint n) {
  local float tile_a[16][16], tile_b[16][16];
  const uint x = get_global_id(0), y = get_global_id(1), column = get_local_id(0), row = get_local_id(1);
  float sum = 0;
  for (uint k = 0; k < n; k += 16) {
    tile_a[row][column] = a[y * n + k + column];
    tile_b[row][column] = b[(k + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 16; ++i) sum += tile_a[row][i] * tile_b[i][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
