//! y = y + 2 x on the device "cpu", by a kernel that is compiled from source.
mod pintle;
use pintle::*;
use std::{mem::size_of_val, ptr::null};

const CODE: &str = "void saxpy(const pintle_group* group, void* const* arguments) {
  const float a = *(const float*)arguments[0], *x = arguments[1];
  for (uint32_t i = group->id[0] * 256; i < group->id[0] * 256 + 256; ++i) ((float*)arguments[2])[i] += a * x[i];
}";

fn main() {
    let signature = "saxpy(a: f32, x: read f32[], y: read_write f32[]) group 256\0".as_ptr().cast();
    let (x, mut y, mut done) = ([3f32; 1024], [1f32; 1024], no_point());
    unsafe {
        let device = made(|out, error| pintle_device_open("cpu\0".as_ptr().cast(), out, error));
        let pack = made(|out, error| pintle_pack_source("c\0".as_ptr().cast(), CODE.as_ptr().cast(), CODE.len(), &signature, 1, out, error));
        let saxpy = made(|out, error| pintle_kernel_load(device, pack, "saxpy\0".as_ptr().cast(), out, error));
        let [dx, dy] = [(); 2].map(|_| made(|out, error| pintle_buffer_allocate(device, PINTLE_F32, 1, &1024, null(), out, error)));
        let queue = made(|out, error| pintle_queue_create(device, null(), out, error));
        let list = made(|out, error| pintle_list_create(out, error));
        ok(|error| pintle_list_upload(list, &whole(dx), x.as_ptr().cast(), size_of_val(&x), error));
        ok(|error| pintle_list_upload(list, &whole(dy), y.as_ptr().cast(), size_of_val(&y), error));
        let arguments = [f32_argument(2.0), buffer_argument(dx), buffer_argument(dy)];
        ok(|error| pintle_list_launch(list, saxpy, &items(1024), arguments.as_ptr(), 3, error));
        ok(|error| pintle_list_download(list, y.as_mut_ptr().cast(), size_of_val(&y), &whole(dy), error));
        ok(|error| pintle_queue_submit(queue, list, null(), &mut done, error));
        ok(|error| pintle_point_wait(&done, PINTLE_TIMEOUT_DEFAULT, error));
    }
    assert!(y.iter().all(|&value| value == 7.0), "{:?}", &y[..4]);
}
