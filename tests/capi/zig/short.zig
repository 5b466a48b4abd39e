//! Short words for what saxpy.zig uses of the header: structs with their sizes, and calls that panic with the library's words.
const std = @import("std");
pub const c = @import("pintle"); // what translate-c makes of it

var failure = sized(c.pintle_error, .{});

/// A struct with its size set, as every function wants it, the members given, and else zeros.
fn sized(comptime T: type, members: anytype) T {
    var value = std.mem.zeroes(T);
    value.size = @sizeOf(T);
    inline for (comptime std.meta.fieldNames(@TypeOf(members))) |name| @field(value, name) = @field(members, name);
    return value;
}

/// Calls a function with all of its arguments but the last.
pub fn call(function: anytype, arguments: anytype) void {
    if (@call(.auto, function, arguments ++ .{&failure}) != c.PINTLE_OK) std.debug.panic("{s}", .{failure.text});
}

/// Calls a function with all of its arguments but the last two, and answers the handle that it makes.
pub fn made(comptime T: type, function: anytype, arguments: anytype) T {
    var handle: T = undefined;
    call(function, arguments ++ .{&handle});
    return handle;
}

pub fn whole(buffer: c.pintle_buffer) c.pintle_view {
    return sized(c.pintle_view, .{ .buffer = buffer });
}

pub fn argument(buffer: c.pintle_buffer) c.pintle_argument {
    return sized(c.pintle_argument, .{ .kind = c.PINTLE_ARGUMENT_BUFFER, .buffer = buffer });
}

pub fn scalar(value: f32) c.pintle_argument {
    var made_argument = sized(c.pintle_argument, .{ .kind = c.PINTLE_ARGUMENT_SCALAR, .dtype = c.PINTLE_F32 });
    made_argument.value.@"f32" = value;
    return made_argument;
}

pub fn items(count: u64) c.pintle_extent {
    return sized(c.pintle_extent, .{ .x = count });
}

pub fn submitted(queue: c.pintle_queue, list: c.pintle_list) c.pintle_point {
    var point = sized(c.pintle_point, .{});
    call(c.pintle_queue_submit, .{ queue, list, null, &point });
    return point;
}
