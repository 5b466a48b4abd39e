// What each body is pulled by: places in x, y, z, the mass in w. A group reads 64 bodies at a time into memory of its own.
kernel void pull(global const float4* bodies, global float4* pulls, uint n) {
  local float4 some[64];
  const uint item = get_local_id(0);
  const float4 own = bodies[get_global_id(0)];
  float4 sum = (float4)(0);
  for (uint first = 0; first < n; first += 64) {
    some[item] = bodies[first + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 64; ++i) {
      const float3 way = some[i].xyz - own.xyz;
      const float square = dot(way, way) + 0.01f;
      sum.xyz += way * (some[i].w / (square * sqrt(square)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  pulls[get_global_id(0)] = sum;
}
