//! y = y + 2 x on the device "cpu", by a kernel that is compiled from source. `pintle` is what translate-c makes of the header.
const std = @import("std");
const c = @import("pintle");

const code =
    \\void saxpy(const pintle_group* group, void* const* arguments) {
    \\  const float a = *(const float*)arguments[0], *x = arguments[1];
    \\  float* y = arguments[2];
    \\  for (uint32_t i = group->id[0] * 256; i < group->id[0] * 256 + 256; ++i) y[i] += a * x[i];
    \\}
;

var failure: c.pintle_error = sized(c.pintle_error);

fn sized(comptime T: type) T {
    var value = std.mem.zeroes(T);
    value.size = @sizeOf(T);
    return value;
}

fn ok(status: c.pintle_status) void {
    if (status != c.PINTLE_OK) std.debug.panic("{s}", .{failure.text});
}

pub fn main() void {
    const signature: [*c]const u8 = "saxpy(a: f32, x: read f32[], y: read_write f32[]) group 256";
    const dims: u64 = 1024;
    var x: [1024]f32 = @splat(3);
    var y: [1024]f32 = @splat(1);
    var device: c.pintle_device = undefined;
    var pack: c.pintle_pack = undefined;
    var kernel: c.pintle_kernel = undefined;
    var queue: c.pintle_queue = undefined;
    var list: c.pintle_list = undefined;
    var views = [2]c.pintle_view{ sized(c.pintle_view), sized(c.pintle_view) };
    var arguments = [3]c.pintle_argument{ sized(c.pintle_argument), sized(c.pintle_argument), sized(c.pintle_argument) };
    ok(c.pintle_device_open("cpu", &device, &failure));
    ok(c.pintle_pack_source("c", code, code.len, &signature, 1, &pack, &failure));
    ok(c.pintle_kernel_load(device, pack, "saxpy", &kernel, &failure));
    ok(c.pintle_queue_create(device, null, &queue, &failure));
    ok(c.pintle_list_create(&list, &failure));
    arguments[0].kind = c.PINTLE_ARGUMENT_SCALAR;
    arguments[0].dtype = c.PINTLE_F32;
    arguments[0].value.@"f32" = 2;
    for (&views, arguments[1..], [_][*]f32{ &x, &y }) |*view, *argument, values| {
        ok(c.pintle_buffer_allocate(device, c.PINTLE_F32, 1, &dims, null, &view.buffer, &failure));
        argument.kind = c.PINTLE_ARGUMENT_BUFFER;
        argument.buffer = view.buffer;
        ok(c.pintle_list_upload(list, view, values, @sizeOf(@TypeOf(x)), &failure));
    }
    var items = sized(c.pintle_extent);
    items.x = 1024;
    ok(c.pintle_list_launch(list, kernel, &items, &arguments, 3, &failure));
    ok(c.pintle_list_download(list, &y, @sizeOf(@TypeOf(y)), &views[1], &failure));
    var done = sized(c.pintle_point);
    ok(c.pintle_queue_submit(queue, list, null, &done, &failure));
    ok(c.pintle_point_wait(&done, c.PINTLE_TIMEOUT_DEFAULT, &failure));
    for (y) |value| if (value != 7) std.debug.panic("{d} is not 7", .{value});
}
