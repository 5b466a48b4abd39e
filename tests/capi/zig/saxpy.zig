//! y = y + 2 x on the device "cpu", by a kernel that is compiled from source.
const std = @import("std");
const short = @import("short.zig");
const c = short.c;
const code =
    \\void saxpy(const pintle_group* group, void* const* arguments) {
    \\  const float a = *(const float*)arguments[0], *x = arguments[1];
    \\  for (uint32_t i = group->id[0] * 256; i < group->id[0] * 256 + 256; ++i) ((float*)arguments[2])[i] += a * x[i];
    \\}
;
pub fn main() void {
    const signature: [*c]const u8 = "saxpy(a: f32, x: read f32[], y: read_write f32[]) group 256";
    var memory: [2][1024]f32 = .{ @splat(3), @splat(1) }; // x and y
    var views: [2]c.pintle_view = undefined;
    const device = short.made(c.pintle_device, c.pintle_device_open, .{"cpu"});
    const pack = short.made(c.pintle_pack, c.pintle_pack_source, .{ "c", code, code.len, &signature, 1 });
    const saxpy = short.made(c.pintle_kernel, c.pintle_kernel_load, .{ device, pack, "saxpy" });
    const queue = short.made(c.pintle_queue, c.pintle_queue_create, .{ device, null });
    const list = short.made(c.pintle_list, c.pintle_list_create, .{});
    for (&views, &memory) |*view, *values| {
        view.* = short.whole(short.made(c.pintle_buffer, c.pintle_buffer_allocate, .{ device, c.PINTLE_F32, 1, &@as(u64, 1024), null }));
        short.call(c.pintle_list_upload, .{ list, view, values, @sizeOf(@TypeOf(values.*)) });
    }
    const arguments = [_]c.pintle_argument{ short.scalar(2), short.argument(views[0].buffer), short.argument(views[1].buffer) };
    short.call(c.pintle_list_launch, .{ list, saxpy, &short.items(1024), &arguments, arguments.len });
    short.call(c.pintle_list_download, .{ list, &memory[1], @sizeOf(@TypeOf(memory[1])), &views[1] });
    short.call(c.pintle_point_wait, .{ &short.submitted(queue, list), c.PINTLE_TIMEOUT_DEFAULT });
    for (memory[1]) |value| if (value != 7) std.debug.panic("{d} is not 7", .{value});
}
