// One pass of a transform over n complex numbers (Stockham). The host gives the turns: the sine of a GPU may be coarse.
kernel void pass(global const float2* from, global float2* to, global const float2* turns, uint n, uint half_size) {
  const uint at = get_global_id(0);
  if (at >= n / 2) return;
  const uint k = at % half_size, to_place = (at / half_size) * 2 * half_size + k;
  const float2 w = turns[k * (n / 2 / half_size)], a = from[at], b = from[at + n / 2];
  const float2 turned = (float2)(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
  to[to_place] = a + turned;
  to[to_place + half_size] = a - turned;
}
