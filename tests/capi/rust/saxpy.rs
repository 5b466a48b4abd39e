//! y = y + 2 x on the device "cpu", by a kernel that is compiled from source.
mod pintle;
use pintle::*;
use std::mem::{size_of, size_of_val, zeroed};
use std::ptr::null;

const CODE: &str = "void saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *(const float*)arguments[0], *x = arguments[1];
  float* y = arguments[2];
  for (uint32_t i = group->id[0] * 256; i < group->id[0] * 256 + 256; ++i) y[i] += a * x[i];
}";

fn main() {
    let signature = "saxpy(a: f32, x: read f32[], y: read_write f32[]) group 256\0".as_ptr().cast();
    let (x, mut y) = ([3f32; 1024], [1f32; 1024]);
    unsafe {
        let device = made(|out, error| pintle_device_open("cpu\0".as_ptr().cast(), out, error));
        let c = "c\0".as_ptr().cast();
        let pack = made(|out, error| pintle_pack_source(c, CODE.as_ptr().cast(), CODE.len(), &signature, 1, out, error));
        let saxpy = made(|out, error| pintle_kernel_load(device, pack, "saxpy\0".as_ptr().cast(), out, error));
        let queue = made(|out, error| pintle_queue_create(device, null(), out, error));
        let list = made(|out, error| pintle_list_create(out, error));
        let buffer = || made(|out, error| pintle_buffer_allocate(device, PINTLE_F32, 1, &1024, null(), out, error));
        let (dx, dy) = (buffer(), buffer());
        let all = |buffer| pintle_view { size: size_of::<pintle_view>() as u32, buffer, ..zeroed() };
        let of = |buffer| pintle_argument { size: size_of::<pintle_argument>() as u32, kind: PINTLE_ARGUMENT_BUFFER, buffer, ..zeroed() };
        let value = value_of_argument { f32: 2.0 };
        let two = pintle_argument { kind: PINTLE_ARGUMENT_SCALAR, dtype: PINTLE_F32 as u16, value, ..of(pintle_buffer { id: 0 }) };
        let (items, arguments) = (pintle_extent { size: size_of::<pintle_extent>() as u32, x: 1024, ..zeroed() }, [two, of(dx), of(dy)]);
        ok(|error| pintle_list_upload(list, &all(dx), x.as_ptr().cast(), size_of_val(&x), error));
        ok(|error| pintle_list_upload(list, &all(dy), y.as_ptr().cast(), size_of_val(&y), error));
        ok(|error| pintle_list_launch(list, saxpy, &items, arguments.as_ptr(), 3, error));
        ok(|error| pintle_list_download(list, y.as_mut_ptr().cast(), size_of_val(&y), &all(dy), error));
        let mut done = pintle_point { size: size_of::<pintle_point>() as u32, ..zeroed() };
        ok(|error| pintle_queue_submit(queue, list, null(), &mut done, error));
        ok(|error| pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
    }
    assert!(y.iter().all(|&value| value == 7.0), "{:?}", &y[..4]);
}
