// The types and numbers of PJRT's C interface (pjrt_c_api.h, version 0.81) that are used, laid out as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pintle::vendor::pjrt {

// What handles point to belongs to the plug-in.
struct ErrorObject;
struct EventObject;
struct ClientObject;
struct DeviceObject;
struct DeviceDescriptionObject;
struct MemoryObject;
struct BufferObject;
struct ExecutableObject;
struct LoadedExecutableObject;
struct SerializedObject;
using Error = ErrorObject*;                          // PJRT_Error*
using Event = EventObject*;                          // PJRT_Event*
using Client = ClientObject*;                        // PJRT_Client*
using Device = DeviceObject*;                        // PJRT_Device*
using DeviceDescription = DeviceDescriptionObject*;  // PJRT_DeviceDescription*
using Memory = MemoryObject*;                        // PJRT_Memory*
using Buffer = BufferObject*;                        // PJRT_Buffer*
using Executable = ExecutableObject*;                // PJRT_Executable*
using LoadedExecutable = LoadedExecutableObject*;    // PJRT_LoadedExecutable*
using Serialized = SerializedObject*;                // PJRT_SerializedExecutable*

/// PJRT_Error_Code: the codes of absl::Status.
enum class ErrorCode : std::uint32_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

/// PJRT_Buffer_Type. A newer plug-in may return a number that is not here.
enum class ElementType : std::uint32_t {
  invalid = 0,
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 13,
  c64 = 14,
  c128 = 15,
  f8e5m2 = 16,
  f8e4m3fn = 17,
  f8e4m3b11fnuz = 18,
  f8e5m2fnuz = 19,
  f8e4m3fnuz = 20,
  s4 = 21,
  u4 = 22,
  token = 23,
  s2 = 24,
  u2 = 25,
  f8e4m3 = 26,
  f8e3m4 = 27,
  f8e8m0fnu = 28,
  f4e2m1fn = 29,
};

/// PJRT_HostBufferSemantics: until when the caller leaves the bytes alone that a buffer is made from.
enum class HostBufferSemantics : std::uint32_t {
  until_call_returns = 0,
  until_transfer_is_done = 1,
  while_buffer_lives = 2,          ///< The buffer may be these bytes; nobody writes them.
  while_buffer_lives_mutable = 3,  ///< The buffer may be these bytes; the plug-in may write them.
};

enum class NamedValueKind : std::uint32_t { text = 0, number = 1, numbers = 2, real = 3, truth = 4 };

/// Two members that the interface has side by side: bytes, and how many. The plug-in's texts live as long as the object
/// that was asked, and do not end with a zero.
struct Text {
  const char* data = nullptr;
  std::size_t size = 0;

  constexpr Text() = default;
  constexpr Text(std::string_view text) noexcept : data(text.data()), size(text.size()) {}
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    return data == nullptr ? std::string_view() : std::string_view(data, size);
  }
};

/// The same of elements.
template <class T>
struct List {
  T* data = nullptr;
  std::size_t size = 0;

  constexpr List() = default;
  constexpr List(std::span<T> elements) noexcept : data(elements.data()), size(elements.size()) {}
  [[nodiscard]] constexpr std::span<T> span() const noexcept {
    return data == nullptr ? std::span<T>() : std::span<T>(data, size);
  }
};

/// What every struct begins with. `size` tells the plug-in which members its caller knows; it is the end of the last
/// member, so padding behind that does not count.
struct Head {
  std::size_t size = 0;
  void* extensions = nullptr;
};

/// PJRT_Api_Version.
struct Version {
  Head head{sizeof(Version)};
  int major = 0;
  int minor = 0;
};

/// What PJRT_Api has before its functions.
struct InterfaceHead {
  Head head;
  Version version;
};

struct NamedValue {
  union Value {
    const char* text;
    std::int64_t number;
    const std::int64_t* numbers;
    float real;
    bool truth;
  };

  Head head{sizeof(NamedValue)};
  Text name;
  NamedValueKind kind{};
  Value value{};
  std::size_t count = 0;  ///< Bytes of a text, elements of numbers; 1 of the others.
};

// ---- errors
struct ErrorDestroy {
  Head head{sizeof(ErrorDestroy)};
  Error error = nullptr;
};
struct ErrorMessage {
  Head head{sizeof(ErrorMessage)};
  Error error = nullptr;
  Text message;  ///< Set by the call.
};
struct ErrorGetCode {
  Head head{offsetof(ErrorGetCode, code) + sizeof(ErrorCode)};
  Error error = nullptr;
  ErrorCode code{};  ///< Set by the call.
};

// ---- the plug-in
struct PluginInitialize {
  Head head{sizeof(PluginInitialize)};
};
struct PluginAttributes {
  Head head{sizeof(PluginAttributes)};
  List<const NamedValue> attributes;  ///< Set by the call; they are never freed.
};

// ---- events
struct EventDestroy {
  Head head{sizeof(EventDestroy)};
  Event event = nullptr;
};
struct EventIsReady {
  Head head{offsetof(EventIsReady, is_ready) + sizeof(bool)};
  Event event = nullptr;
  bool is_ready = false;  ///< Set by the call.
};
/// For events that are ready only. The caller destroys the error that is returned.
struct EventError {
  Head head{sizeof(EventError)};
  Event event = nullptr;
};
struct EventOnReady {
  Head head{sizeof(EventOnReady)};
  Event event = nullptr;
  void (*callback)(Error error, void* context) = nullptr;  ///< Destroys the error.
  void* context = nullptr;
};

// ---- clients
struct ClientCreate {
  Head head{sizeof(ClientCreate)};
  List<const NamedValue> options;
  void* get_callback = nullptr;  ///< These are for clients of several processes.
  void* get_context = nullptr;
  void* put_callback = nullptr;
  void* put_context = nullptr;
  Client client = nullptr;  ///< Set by the call.
  void* try_get_callback = nullptr;
  void* try_get_context = nullptr;
};
struct ClientDestroy {
  Head head{sizeof(ClientDestroy)};
  Client client = nullptr;
};
struct ClientPlatformName {
  Head head{sizeof(ClientPlatformName)};
  Client client = nullptr;
  Text name;  ///< Set by the call.
};
struct ClientPlatformVersion {
  Head head{sizeof(ClientPlatformVersion)};
  Client client = nullptr;
  Text version;  ///< Set by the call.
};
struct ClientAddressableDevices {
  Head head{sizeof(ClientAddressableDevices)};
  Client client = nullptr;
  List<const Device> devices;  ///< Set by the call.
};
struct Program {
  Head head{sizeof(Program)};
  Text code;    ///< ClientCompile does not write it.
  Text format;  ///< "mlir" for MLIR as text or bytecode, "hlo" for an HloModuleProto.
};
struct ClientCompile {
  Head head{sizeof(ClientCompile)};
  Client client = nullptr;
  const Program* program = nullptr;
  Text options;                           ///< A serialized CompileOptionsProto.
  LoadedExecutable executable = nullptr;  ///< Set by the call.
};
struct ClientCreateUninitializedBuffer {
  Head head{sizeof(ClientCreateUninitializedBuffer)};
  Client client = nullptr;
  List<const std::int64_t> dims;
  ElementType type{};
  void* layout = nullptr;  ///< Null is row by row.
  Device device = nullptr;
  Memory memory = nullptr;  ///< In place of a device.
  Buffer buffer = nullptr;  ///< Set by the call.
};
struct ClientBufferFromHostBuffer {
  Head head{sizeof(ClientBufferFromHostBuffer)};
  Client client = nullptr;
  const void* data = nullptr;
  ElementType type{};
  List<const std::int64_t> dims;
  List<const std::int64_t> byte_strides;  ///< Nothing is row by row.
  HostBufferSemantics semantics{};
  Device device = nullptr;
  Memory memory = nullptr;         ///< In place of a device.
  void* device_layout = nullptr;   ///< Null is row by row.
  Event done_with_data = nullptr;  ///< Set by the call, and the caller's to destroy.
  Buffer buffer = nullptr;         ///< Set by the call.
};

// ---- devices
struct DeviceGetDescription {
  Head head{sizeof(DeviceGetDescription)};
  Device device = nullptr;
  DeviceDescription description = nullptr;  ///< Set by the call; the device's.
};
struct DeviceIsAddressable {
  Head head{offsetof(DeviceIsAddressable, is_addressable) + sizeof(bool)};
  Device device = nullptr;
  bool is_addressable = false;  ///< Set by the call.
};
struct DeviceMemoryStats {
  struct Amount {
    std::int64_t value = 0;
    bool is_set = false;
  };

  Head head{offsetof(DeviceMemoryStats, peak_pool.is_set) + sizeof(bool)};
  Device device = nullptr;
  std::int64_t in_use = 0;  ///< Bytes, as all but `allocations`. This and the rest are set by the call.
  Amount peak_in_use;
  Amount allocations;
  Amount largest_allocation;
  Amount limit;
  Amount reserved;
  Amount peak_reserved;
  Amount reservable_limit;
  Amount largest_free_block;
  Amount pool;
  Amount peak_pool;
};
struct DeviceDescriptionId {
  Head head{offsetof(DeviceDescriptionId, id) + sizeof(int)};
  DeviceDescription description = nullptr;
  int id = 0;  ///< Set by the call.
};
struct DeviceDescriptionKind {
  Head head{sizeof(DeviceDescriptionKind)};
  DeviceDescription description = nullptr;
  Text kind;  ///< Set by the call.
};
struct DeviceDescriptionToString {
  Head head{sizeof(DeviceDescriptionToString)};
  DeviceDescription description = nullptr;
  Text text;  ///< Set by the call.
};

// ---- executables
struct LoadedExecutableDestroy {
  Head head{sizeof(LoadedExecutableDestroy)};
  LoadedExecutable executable = nullptr;
};
struct LoadedExecutableGetExecutable {
  Head head{sizeof(LoadedExecutableGetExecutable)};
  LoadedExecutable loaded = nullptr;
  Executable executable = nullptr;  ///< Set by the call, and the caller's to destroy.
};
struct ExecuteOptions {
  Head head{sizeof(ExecuteOptions)};
  void* send_callbacks = nullptr;
  void* receive_callbacks = nullptr;
  std::size_t send_count = 0;
  std::size_t receive_count = 0;
  int launch_id = 0;
  List<const std::int64_t> kept_inputs;  ///< Numbers of arguments that the program must not take over for its outputs.
  void* context = nullptr;
  const char* call_location = nullptr;
  std::size_t task_count = 0;
  void* task_ids = nullptr;
  void* incarnation_ids = nullptr;
};
struct LoadedExecutableExecute {
  Head head{sizeof(LoadedExecutableExecute)};
  LoadedExecutable executable = nullptr;
  ExecuteOptions* options = nullptr;
  const Buffer* const* arguments = nullptr;  ///< A list for each device.
  std::size_t device_count = 1;
  std::size_t argument_count = 0;    ///< Arguments for each device.
  Buffer* const* outputs = nullptr;  ///< The caller's list for each device; the call sets the elements.
  Event* done = nullptr;             ///< The caller's list with an element for each device, or null.
  Device device = nullptr;           ///< Null for the devices that it was compiled for.
};
struct ExecutableDestroy {
  Head head{sizeof(ExecutableDestroy)};
  Executable executable = nullptr;
};
struct ExecutableNumOutputs {
  Head head{sizeof(ExecutableNumOutputs)};
  Executable executable = nullptr;
  std::size_t count = 0;  ///< Set by the call.
};
struct ExecutableOutputElementTypes {
  Head head{sizeof(ExecutableOutputElementTypes)};
  Executable executable = nullptr;
  List<ElementType> types;  ///< Set by the call.
};
struct ExecutableOutputDimensions {
  Head head{sizeof(ExecutableOutputDimensions)};
  Executable executable = nullptr;
  std::size_t output_count = 0;        ///< This and the rest are set by the call.
  const std::int64_t* dims = nullptr;  ///< Those of all outputs, one output after another.
  const std::size_t* ranks = nullptr;  ///< How many of these each output has.
};
struct ExecutableSerialize {
  Head head{sizeof(ExecutableSerialize)};
  Executable executable = nullptr;
  Text bytes;                             ///< This and the rest are set by the call.
  Serialized owner = nullptr;             ///< The owner of the bytes.
  void (*destroy)(Serialized) = nullptr;  ///< The caller calls it once.
};
struct ExecutableDeserializeAndLoad {
  Head head{sizeof(ExecutableDeserializeAndLoad)};
  Client client = nullptr;
  Text bytes;
  LoadedExecutable loaded = nullptr;  ///< Set by the call.
  Text options;                       ///< In place of the options it was compiled with, where there are any.
};

// ---- buffers
struct BufferDestroy {
  Head head{sizeof(BufferDestroy)};
  Buffer buffer = nullptr;
};
struct BufferElementType {
  Head head{offsetof(BufferElementType, type) + sizeof(ElementType)};
  Buffer buffer = nullptr;
  ElementType type{};  ///< Set by the call.
};
struct BufferDimensions {
  Head head{sizeof(BufferDimensions)};
  Buffer buffer = nullptr;
  List<const std::int64_t> dims;  ///< Set by the call.
};
struct BufferOnDeviceSizeInBytes {
  Head head{sizeof(BufferOnDeviceSizeInBytes)};
  Buffer buffer = nullptr;
  std::size_t bytes = 0;  ///< Set by the call.
};
/// Frees the device's memory; the handle remains.
struct BufferDelete {
  Head head{sizeof(BufferDelete)};
  Buffer buffer = nullptr;
};
struct BufferIsDeleted {
  Head head{offsetof(BufferIsDeleted, is_deleted) + sizeof(bool)};
  Buffer buffer = nullptr;
  bool is_deleted = false;  ///< Set by the call.
};
struct BufferCopyRawToHost {
  Head head{sizeof(BufferCopyRawToHost)};
  Buffer buffer = nullptr;
  void* to = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  Event done = nullptr;  ///< Set by the call, and the caller's to destroy.
};
struct BufferCopyToDevice {
  Head head{sizeof(BufferCopyToDevice)};
  Buffer buffer = nullptr;
  Device device = nullptr;
  Buffer copy = nullptr;  ///< Set by the call.
};
struct BufferToHostBuffer {
  Head head{sizeof(BufferToHostBuffer)};
  Buffer buffer = nullptr;
  void* layout = nullptr;  ///< Null is the buffer's own.
  void* to = nullptr;      ///< Null asks for `bytes`.
  std::size_t bytes = 0;
  Event done = nullptr;  ///< Set by the call, and the caller's to destroy.
};
struct BufferReadyEvent {
  Head head{sizeof(BufferReadyEvent)};
  Buffer buffer = nullptr;
  Event event = nullptr;  ///< Set by the call, and the caller's to destroy.
};

}  // namespace pintle::vendor::pjrt
