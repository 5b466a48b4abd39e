//! What saxpy.rs uses of `pintle/c/pintle.h`, and short words for its structs. Rust brings nothing that reads headers of C: rust.py compares
//! every struct, union and constant here with the header.
#![allow(dead_code, non_camel_case_types)]

use std::ffi::CStr;
use std::mem::{size_of, zeroed};
use std::os::raw::{c_char, c_void};

pub type pintle_status = i32;
pub const PINTLE_OK: i32 = 0;
pub const PINTLE_TIMEOUT_DEFAULT: i64 = -1;
pub const PINTLE_F32: u32 = 12;
pub const PINTLE_ARGUMENT_BUFFER: u16 = 1;
pub const PINTLE_ARGUMENT_SCALAR: u16 = 2;

macro_rules! handles {
    ($($name:ident)*) => { $(#[repr(C)] #[derive(Clone, Copy)] pub struct $name { pub id: u64 })* };
}
handles!(pintle_device pintle_buffer pintle_pack pintle_kernel pintle_list pintle_queue pintle_signal pintle_image);

#[repr(C)]
pub struct pintle_error {
    pub size: u32,
    pub code: pintle_status,
    pub text: *const c_char,
    pub message: *const c_char,
    pub context: *const *const c_char,
    pub context_count: usize,
    pub vendor_library: *const c_char,
    pub vendor_symbol: *const c_char,
    pub vendor_number: i64,
    pub device: *const c_char,
    pub generation: u64,
    pub owned: *mut c_void,
}

#[repr(C)]
pub struct pintle_view {
    pub size: u32,
    pub dtype: u32,
    pub buffer: pintle_buffer,
    pub offset: u64,
    pub bytes: u64,
}

#[repr(C)]
pub struct pintle_extent {
    pub size: u32,
    pub is_groups: u32,
    pub x: u64,
    pub y: u64,
    pub z: u64,
}

/// The member `value` of a pintle_argument, which has no name of its own in C.
#[repr(C)]
pub union value_of_argument {
    pub u: u64,
    pub f32: f32,
}

#[repr(C)]
pub struct pintle_argument {
    pub size: u32,
    pub kind: u16,
    pub dtype: u16,
    pub buffer: pintle_buffer,
    pub offset: u64,
    pub bytes: u64,
    pub value: value_of_argument,
    pub image: pintle_image,
}

#[repr(C)]
pub struct pintle_point {
    pub size: u32,
    pub reserved: u32,
    pub signal: pintle_signal,
    pub value: u64,
}

#[link(name = "pintle")]
extern "C" {
    pub fn pintle_device_open(id: *const c_char, device: *mut pintle_device, error: *mut pintle_error) -> pintle_status;
    pub fn pintle_pack_source(
        format: *const c_char, code: *const c_void, size: usize, signatures: *const *const c_char, count: usize,
        pack: *mut pintle_pack, error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_kernel_load(
        device: pintle_device, pack: pintle_pack, entry: *const c_char, kernel: *mut pintle_kernel, error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_buffer_allocate(
        device: pintle_device, dtype: u32, rank: usize, dims: *const u64, options: *const c_void, buffer: *mut pintle_buffer,
        error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_queue_create(
        device: pintle_device, options: *const c_void, queue: *mut pintle_queue, error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_list_create(list: *mut pintle_list, error: *mut pintle_error) -> pintle_status;
    pub fn pintle_list_upload(
        list: pintle_list, to: *const pintle_view, from: *const c_void, bytes: usize, error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_list_launch(
        list: pintle_list, kernel: pintle_kernel, extent: *const pintle_extent, arguments: *const pintle_argument, count: usize,
        error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_list_download(
        list: pintle_list, to: *mut c_void, bytes: usize, from: *const pintle_view, error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_queue_submit(
        queue: pintle_queue, list: pintle_list, options: *const c_void, point: *mut pintle_point, error: *mut pintle_error,
    ) -> pintle_status;
    pub fn pintle_point_wait(point: *const pintle_point, timeout: i64, error: *mut pintle_error) -> pintle_status;
}

/// A struct with its size set, as every function wants it, and else zeros.
macro_rules! sized {
    ($t:ident { $($member:ident: $value:expr),* }) => {
        $t { size: size_of::<$t>() as u32, $($member: $value,)* ..unsafe { zeroed() } }
    };
}

/// Panics with the library's words where the call fails.
pub fn ok(call: impl FnOnce(*mut pintle_error) -> pintle_status) {
    let mut error = sized!(pintle_error {});
    if call(&mut error) != PINTLE_OK {
        panic!("{}", unsafe { CStr::from_ptr(error.text) }.to_string_lossy());
    }
}

pub fn whole(buffer: pintle_buffer) -> pintle_view {
    sized!(pintle_view { buffer: buffer })
}

pub fn buffer_argument(buffer: pintle_buffer) -> pintle_argument {
    sized!(pintle_argument { kind: PINTLE_ARGUMENT_BUFFER, buffer: buffer })
}

pub fn f32_argument(f32: f32) -> pintle_argument {
    sized!(pintle_argument { kind: PINTLE_ARGUMENT_SCALAR, dtype: PINTLE_F32 as u16, value: value_of_argument { f32 } })
}

pub fn items(x: u64) -> pintle_extent {
    sized!(pintle_extent { x: x })
}

pub fn no_point() -> pintle_point {
    sized!(pintle_point {})
}

/// What the call makes: a handle.
pub fn made<T: Copy>(call: impl FnOnce(*mut T, *mut pintle_error) -> pintle_status) -> T {
    let mut out: T = unsafe { zeroed() };
    ok(|error| call(&mut out, error));
    out
}
