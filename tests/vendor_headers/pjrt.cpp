// Every declaration of vendor/pjrt beside PJRT's header: nearly all of it is compared when this is compiled. The
// plug-in that comes with the header is opened, and must speak the header's version.
#include <pjrt_c_api.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

#include "vendor/pjrt/table.h"

namespace pintle::vendor::pjrt {
namespace {

template <class Ours, class Theirs>
constexpr bool are_alike = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

// ---- functions: their places, what they return, and the sizes that their arguments say
template <class Ours>
using Returning = std::conditional_t<std::is_void_v<Ours>, void, PJRT_Error*>;

#define IS_AT_ITS_PLACE(name) static_assert(offset_of(Place::name) == offsetof(PJRT_Api, PJRT_##name), #name)
#define STRUCT(ours, theirs)                                        \
  static_assert(sizeof(ours) == sizeof(theirs), #theirs);           \
  static_assert(ours().head.size == theirs##_STRUCT_SIZE, #theirs); \
  static_assert(offsetof(ours, head.extensions) == offsetof(theirs, extension_start), #theirs)
#define FUNCTION(name, result, arguments)                                                    \
  IS_AT_ITS_PLACE(name);                                                                     \
  static_assert(std::is_same_v<PJRT_##name, Returning<result>(PJRT_##name##_Args*)>, #name); \
  STRUCT(arguments, PJRT_##name##_Args);
#define REQUIRED(name, result, arguments) FUNCTION(name, result, arguments)
#define OPTIONAL(name, result, arguments) FUNCTION(name, result, arguments)
#define UNUSED(name) IS_AT_ITS_PLACE(name);
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED
static_assert(spoken_major == PJRT_API_MAJOR);

// ---- numbers
constexpr unsigned of(auto value) { return static_cast<unsigned>(value); }

#define NUMBER(ours, theirs) static_assert(of(ours) == of(theirs), #theirs)
NUMBER(ErrorCode::ok, PJRT_Error_Code_OK);
NUMBER(ErrorCode::cancelled, PJRT_Error_Code_CANCELLED);
NUMBER(ErrorCode::unknown, PJRT_Error_Code_UNKNOWN);
NUMBER(ErrorCode::invalid_argument, PJRT_Error_Code_INVALID_ARGUMENT);
NUMBER(ErrorCode::deadline_exceeded, PJRT_Error_Code_DEADLINE_EXCEEDED);
NUMBER(ErrorCode::not_found, PJRT_Error_Code_NOT_FOUND);
NUMBER(ErrorCode::already_exists, PJRT_Error_Code_ALREADY_EXISTS);
NUMBER(ErrorCode::permission_denied, PJRT_Error_Code_PERMISSION_DENIED);
NUMBER(ErrorCode::resource_exhausted, PJRT_Error_Code_RESOURCE_EXHAUSTED);
NUMBER(ErrorCode::failed_precondition, PJRT_Error_Code_FAILED_PRECONDITION);
NUMBER(ErrorCode::aborted, PJRT_Error_Code_ABORTED);
NUMBER(ErrorCode::out_of_range, PJRT_Error_Code_OUT_OF_RANGE);
NUMBER(ErrorCode::unimplemented, PJRT_Error_Code_UNIMPLEMENTED);
NUMBER(ErrorCode::internal, PJRT_Error_Code_INTERNAL);
NUMBER(ErrorCode::unavailable, PJRT_Error_Code_UNAVAILABLE);
NUMBER(ErrorCode::data_loss, PJRT_Error_Code_DATA_LOSS);
NUMBER(ErrorCode::unauthenticated, PJRT_Error_Code_UNAUTHENTICATED);
NUMBER(ElementType::invalid, PJRT_Buffer_Type_INVALID);
NUMBER(ElementType::pred, PJRT_Buffer_Type_PRED);
NUMBER(ElementType::s8, PJRT_Buffer_Type_S8);
NUMBER(ElementType::s16, PJRT_Buffer_Type_S16);
NUMBER(ElementType::s32, PJRT_Buffer_Type_S32);
NUMBER(ElementType::s64, PJRT_Buffer_Type_S64);
NUMBER(ElementType::u8, PJRT_Buffer_Type_U8);
NUMBER(ElementType::u16, PJRT_Buffer_Type_U16);
NUMBER(ElementType::u32, PJRT_Buffer_Type_U32);
NUMBER(ElementType::u64, PJRT_Buffer_Type_U64);
NUMBER(ElementType::f16, PJRT_Buffer_Type_F16);
NUMBER(ElementType::f32, PJRT_Buffer_Type_F32);
NUMBER(ElementType::f64, PJRT_Buffer_Type_F64);
NUMBER(ElementType::bf16, PJRT_Buffer_Type_BF16);
NUMBER(ElementType::c64, PJRT_Buffer_Type_C64);
NUMBER(ElementType::c128, PJRT_Buffer_Type_C128);
NUMBER(ElementType::f8e5m2, PJRT_Buffer_Type_F8E5M2);
NUMBER(ElementType::f8e4m3fn, PJRT_Buffer_Type_F8E4M3FN);
NUMBER(ElementType::f8e4m3b11fnuz, PJRT_Buffer_Type_F8E4M3B11FNUZ);
NUMBER(ElementType::f8e5m2fnuz, PJRT_Buffer_Type_F8E5M2FNUZ);
NUMBER(ElementType::f8e4m3fnuz, PJRT_Buffer_Type_F8E4M3FNUZ);
NUMBER(ElementType::s4, PJRT_Buffer_Type_S4);
NUMBER(ElementType::u4, PJRT_Buffer_Type_U4);
NUMBER(ElementType::token, PJRT_Buffer_Type_TOKEN);
NUMBER(ElementType::s2, PJRT_Buffer_Type_S2);
NUMBER(ElementType::u2, PJRT_Buffer_Type_U2);
NUMBER(ElementType::f8e4m3, PJRT_Buffer_Type_F8E4M3);
NUMBER(ElementType::f8e3m4, PJRT_Buffer_Type_F8E3M4);
NUMBER(ElementType::f8e8m0fnu, PJRT_Buffer_Type_F8E8M0FNU);
NUMBER(ElementType::f4e2m1fn, PJRT_Buffer_Type_F4E2M1FN);
NUMBER(HostBufferSemantics::until_call_returns, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
NUMBER(HostBufferSemantics::until_transfer_is_done, PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
NUMBER(HostBufferSemantics::while_buffer_lives, PJRT_HostBufferSemantics_kImmutableZeroCopy);
NUMBER(HostBufferSemantics::while_buffer_lives_mutable, PJRT_HostBufferSemantics_kMutableZeroCopy);
NUMBER(NamedValueKind::text, PJRT_NamedValue_kString);
NUMBER(NamedValueKind::number, PJRT_NamedValue_kInt64);
NUMBER(NamedValueKind::numbers, PJRT_NamedValue_kInt64List);
NUMBER(NamedValueKind::real, PJRT_NamedValue_kFloat);
NUMBER(NamedValueKind::truth, PJRT_NamedValue_kBool);
#undef NUMBER

// ---- structs: each member's place and size
STRUCT(Version, PJRT_Api_Version);
STRUCT(NamedValue, PJRT_NamedValue);
STRUCT(Program, PJRT_Program);
STRUCT(ExecuteOptions, PJRT_ExecuteOptions);
#undef STRUCT
#define MEMBER(ours, member, theirs, their_member)                                        \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member), #their_member); \
  static_assert(are_alike<decltype(ours().member), decltype(theirs().their_member)>, #their_member)
MEMBER(InterfaceHead, head.size, PJRT_Api, struct_size);
MEMBER(InterfaceHead, version, PJRT_Api, pjrt_api_version);
MEMBER(Version, major, PJRT_Api_Version, major_version);
MEMBER(Version, minor, PJRT_Api_Version, minor_version);
MEMBER(NamedValue, name.data, PJRT_NamedValue, name);
MEMBER(NamedValue, name.size, PJRT_NamedValue, name_size);
MEMBER(NamedValue, kind, PJRT_NamedValue, type);
MEMBER(NamedValue, value, PJRT_NamedValue, int64_value);
MEMBER(NamedValue, count, PJRT_NamedValue, value_size);
MEMBER(Program, code.data, PJRT_Program, code);
MEMBER(Program, code.size, PJRT_Program, code_size);
MEMBER(Program, format.data, PJRT_Program, format);
MEMBER(Program, format.size, PJRT_Program, format_size);
MEMBER(ExecuteOptions, send_callbacks, PJRT_ExecuteOptions, send_callbacks);
MEMBER(ExecuteOptions, receive_callbacks, PJRT_ExecuteOptions, recv_callbacks);
MEMBER(ExecuteOptions, send_count, PJRT_ExecuteOptions, num_send_ops);
MEMBER(ExecuteOptions, receive_count, PJRT_ExecuteOptions, num_recv_ops);
MEMBER(ExecuteOptions, launch_id, PJRT_ExecuteOptions, launch_id);
MEMBER(ExecuteOptions, kept_inputs.data, PJRT_ExecuteOptions, non_donatable_input_indices);
MEMBER(ExecuteOptions, kept_inputs.size, PJRT_ExecuteOptions, num_non_donatable_input_indices);
MEMBER(ExecuteOptions, context, PJRT_ExecuteOptions, context);
MEMBER(ExecuteOptions, call_location, PJRT_ExecuteOptions, call_location);
MEMBER(ExecuteOptions, task_count, PJRT_ExecuteOptions, num_tasks);
MEMBER(ExecuteOptions, task_ids, PJRT_ExecuteOptions, task_ids);
MEMBER(ExecuteOptions, incarnation_ids, PJRT_ExecuteOptions, incarnation_ids);
MEMBER(ErrorDestroy, error, PJRT_Error_Destroy_Args, error);
MEMBER(ErrorMessage, error, PJRT_Error_Message_Args, error);
MEMBER(ErrorMessage, message.data, PJRT_Error_Message_Args, message);
MEMBER(ErrorMessage, message.size, PJRT_Error_Message_Args, message_size);
MEMBER(ErrorGetCode, error, PJRT_Error_GetCode_Args, error);
MEMBER(ErrorGetCode, code, PJRT_Error_GetCode_Args, code);
MEMBER(PluginAttributes, attributes.data, PJRT_Plugin_Attributes_Args, attributes);
MEMBER(PluginAttributes, attributes.size, PJRT_Plugin_Attributes_Args, num_attributes);
MEMBER(EventDestroy, event, PJRT_Event_Destroy_Args, event);
MEMBER(EventIsReady, event, PJRT_Event_IsReady_Args, event);
MEMBER(EventIsReady, is_ready, PJRT_Event_IsReady_Args, is_ready);
MEMBER(EventError, event, PJRT_Event_Error_Args, event);
MEMBER(EventOnReady, event, PJRT_Event_OnReady_Args, event);
MEMBER(EventOnReady, callback, PJRT_Event_OnReady_Args, callback);
MEMBER(EventOnReady, context, PJRT_Event_OnReady_Args, user_arg);
MEMBER(ClientCreate, options.data, PJRT_Client_Create_Args, create_options);
MEMBER(ClientCreate, options.size, PJRT_Client_Create_Args, num_options);
MEMBER(ClientCreate, get_callback, PJRT_Client_Create_Args, kv_get_callback);
MEMBER(ClientCreate, get_context, PJRT_Client_Create_Args, kv_get_user_arg);
MEMBER(ClientCreate, put_callback, PJRT_Client_Create_Args, kv_put_callback);
MEMBER(ClientCreate, put_context, PJRT_Client_Create_Args, kv_put_user_arg);
MEMBER(ClientCreate, client, PJRT_Client_Create_Args, client);
MEMBER(ClientCreate, try_get_callback, PJRT_Client_Create_Args, kv_try_get_callback);
MEMBER(ClientCreate, try_get_context, PJRT_Client_Create_Args, kv_try_get_user_arg);
MEMBER(ClientDestroy, client, PJRT_Client_Destroy_Args, client);
MEMBER(ClientPlatformName, client, PJRT_Client_PlatformName_Args, client);
MEMBER(ClientPlatformName, name.data, PJRT_Client_PlatformName_Args, platform_name);
MEMBER(ClientPlatformName, name.size, PJRT_Client_PlatformName_Args, platform_name_size);
MEMBER(ClientPlatformVersion, client, PJRT_Client_PlatformVersion_Args, client);
MEMBER(ClientPlatformVersion, version.data, PJRT_Client_PlatformVersion_Args, platform_version);
MEMBER(ClientPlatformVersion, version.size, PJRT_Client_PlatformVersion_Args, platform_version_size);
MEMBER(ClientAddressableDevices, client, PJRT_Client_AddressableDevices_Args, client);
MEMBER(ClientAddressableDevices, devices.data, PJRT_Client_AddressableDevices_Args, addressable_devices);
MEMBER(ClientAddressableDevices, devices.size, PJRT_Client_AddressableDevices_Args, num_addressable_devices);
MEMBER(ClientCompile, client, PJRT_Client_Compile_Args, client);
MEMBER(ClientCompile, program, PJRT_Client_Compile_Args, program);
MEMBER(ClientCompile, options.data, PJRT_Client_Compile_Args, compile_options);
MEMBER(ClientCompile, options.size, PJRT_Client_Compile_Args, compile_options_size);
MEMBER(ClientCompile, executable, PJRT_Client_Compile_Args, executable);
MEMBER(ClientBufferFromHostBuffer, client, PJRT_Client_BufferFromHostBuffer_Args, client);
MEMBER(ClientBufferFromHostBuffer, data, PJRT_Client_BufferFromHostBuffer_Args, data);
MEMBER(ClientBufferFromHostBuffer, type, PJRT_Client_BufferFromHostBuffer_Args, type);
MEMBER(ClientBufferFromHostBuffer, dims.data, PJRT_Client_BufferFromHostBuffer_Args, dims);
MEMBER(ClientBufferFromHostBuffer, dims.size, PJRT_Client_BufferFromHostBuffer_Args, num_dims);
MEMBER(ClientBufferFromHostBuffer, byte_strides.data, PJRT_Client_BufferFromHostBuffer_Args, byte_strides);
MEMBER(ClientBufferFromHostBuffer, byte_strides.size, PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides);
MEMBER(ClientBufferFromHostBuffer, semantics, PJRT_Client_BufferFromHostBuffer_Args, host_buffer_semantics);
MEMBER(ClientBufferFromHostBuffer, device, PJRT_Client_BufferFromHostBuffer_Args, device);
MEMBER(ClientBufferFromHostBuffer, memory, PJRT_Client_BufferFromHostBuffer_Args, memory);
MEMBER(ClientBufferFromHostBuffer, device_layout, PJRT_Client_BufferFromHostBuffer_Args, device_layout);
MEMBER(ClientBufferFromHostBuffer, done_with_data, PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer);
MEMBER(ClientBufferFromHostBuffer, buffer, PJRT_Client_BufferFromHostBuffer_Args, buffer);
MEMBER(DeviceDescriptionId, description, PJRT_DeviceDescription_Id_Args, device_description);
MEMBER(DeviceDescriptionId, id, PJRT_DeviceDescription_Id_Args, id);
MEMBER(DeviceDescriptionKind, description, PJRT_DeviceDescription_Kind_Args, device_description);
MEMBER(DeviceDescriptionKind, kind.data, PJRT_DeviceDescription_Kind_Args, device_kind);
MEMBER(DeviceDescriptionKind, kind.size, PJRT_DeviceDescription_Kind_Args, device_kind_size);
MEMBER(DeviceDescriptionToString, description, PJRT_DeviceDescription_ToString_Args, device_description);
MEMBER(DeviceDescriptionToString, text.data, PJRT_DeviceDescription_ToString_Args, to_string);
MEMBER(DeviceDescriptionToString, text.size, PJRT_DeviceDescription_ToString_Args, to_string_size);
MEMBER(DeviceGetDescription, device, PJRT_Device_GetDescription_Args, device);
MEMBER(DeviceGetDescription, description, PJRT_Device_GetDescription_Args, device_description);
MEMBER(DeviceIsAddressable, device, PJRT_Device_IsAddressable_Args, device);
MEMBER(DeviceIsAddressable, is_addressable, PJRT_Device_IsAddressable_Args, is_addressable);
MEMBER(DeviceMemoryStats, device, PJRT_Device_MemoryStats_Args, device);
MEMBER(DeviceMemoryStats, in_use, PJRT_Device_MemoryStats_Args, bytes_in_use);
MEMBER(DeviceMemoryStats, peak_in_use.value, PJRT_Device_MemoryStats_Args, peak_bytes_in_use);
MEMBER(DeviceMemoryStats, peak_in_use.is_set, PJRT_Device_MemoryStats_Args, peak_bytes_in_use_is_set);
MEMBER(DeviceMemoryStats, allocations.value, PJRT_Device_MemoryStats_Args, num_allocs);
MEMBER(DeviceMemoryStats, allocations.is_set, PJRT_Device_MemoryStats_Args, num_allocs_is_set);
MEMBER(DeviceMemoryStats, largest_allocation.value, PJRT_Device_MemoryStats_Args, largest_alloc_size);
MEMBER(DeviceMemoryStats, largest_allocation.is_set, PJRT_Device_MemoryStats_Args, largest_alloc_size_is_set);
MEMBER(DeviceMemoryStats, limit.value, PJRT_Device_MemoryStats_Args, bytes_limit);
MEMBER(DeviceMemoryStats, limit.is_set, PJRT_Device_MemoryStats_Args, bytes_limit_is_set);
MEMBER(DeviceMemoryStats, reserved.value, PJRT_Device_MemoryStats_Args, bytes_reserved);
MEMBER(DeviceMemoryStats, reserved.is_set, PJRT_Device_MemoryStats_Args, bytes_reserved_is_set);
MEMBER(DeviceMemoryStats, peak_reserved.value, PJRT_Device_MemoryStats_Args, peak_bytes_reserved);
MEMBER(DeviceMemoryStats, peak_reserved.is_set, PJRT_Device_MemoryStats_Args, peak_bytes_reserved_is_set);
MEMBER(DeviceMemoryStats, reservable_limit.value, PJRT_Device_MemoryStats_Args, bytes_reservable_limit);
MEMBER(DeviceMemoryStats, reservable_limit.is_set, PJRT_Device_MemoryStats_Args, bytes_reservable_limit_is_set);
MEMBER(DeviceMemoryStats, largest_free_block.value, PJRT_Device_MemoryStats_Args, largest_free_block_bytes);
MEMBER(DeviceMemoryStats, largest_free_block.is_set, PJRT_Device_MemoryStats_Args, largest_free_block_bytes_is_set);
MEMBER(DeviceMemoryStats, pool.value, PJRT_Device_MemoryStats_Args, pool_bytes);
MEMBER(DeviceMemoryStats, pool.is_set, PJRT_Device_MemoryStats_Args, pool_bytes_is_set);
MEMBER(DeviceMemoryStats, peak_pool.value, PJRT_Device_MemoryStats_Args, peak_pool_bytes);
MEMBER(DeviceMemoryStats, peak_pool.is_set, PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set);
MEMBER(ExecutableDestroy, executable, PJRT_Executable_Destroy_Args, executable);
MEMBER(ExecutableNumOutputs, executable, PJRT_Executable_NumOutputs_Args, executable);
MEMBER(ExecutableNumOutputs, count, PJRT_Executable_NumOutputs_Args, num_outputs);
MEMBER(ExecutableSerialize, executable, PJRT_Executable_Serialize_Args, executable);
MEMBER(ExecutableSerialize, bytes.data, PJRT_Executable_Serialize_Args, serialized_bytes);
MEMBER(ExecutableSerialize, bytes.size, PJRT_Executable_Serialize_Args, serialized_bytes_size);
MEMBER(ExecutableSerialize, owner, PJRT_Executable_Serialize_Args, serialized_executable);
MEMBER(ExecutableSerialize, destroy, PJRT_Executable_Serialize_Args, serialized_executable_deleter);
MEMBER(LoadedExecutableDestroy, executable, PJRT_LoadedExecutable_Destroy_Args, executable);
MEMBER(LoadedExecutableGetExecutable, loaded, PJRT_LoadedExecutable_GetExecutable_Args, loaded_executable);
MEMBER(LoadedExecutableGetExecutable, executable, PJRT_LoadedExecutable_GetExecutable_Args, executable);
MEMBER(LoadedExecutableExecute, executable, PJRT_LoadedExecutable_Execute_Args, executable);
MEMBER(LoadedExecutableExecute, options, PJRT_LoadedExecutable_Execute_Args, options);
MEMBER(LoadedExecutableExecute, arguments, PJRT_LoadedExecutable_Execute_Args, argument_lists);
MEMBER(LoadedExecutableExecute, device_count, PJRT_LoadedExecutable_Execute_Args, num_devices);
MEMBER(LoadedExecutableExecute, argument_count, PJRT_LoadedExecutable_Execute_Args, num_args);
MEMBER(LoadedExecutableExecute, outputs, PJRT_LoadedExecutable_Execute_Args, output_lists);
MEMBER(LoadedExecutableExecute, done, PJRT_LoadedExecutable_Execute_Args, device_complete_events);
MEMBER(LoadedExecutableExecute, device, PJRT_LoadedExecutable_Execute_Args, execute_device);
MEMBER(ExecutableDeserializeAndLoad, client, PJRT_Executable_DeserializeAndLoad_Args, client);
MEMBER(ExecutableDeserializeAndLoad, bytes.data, PJRT_Executable_DeserializeAndLoad_Args, serialized_executable);
MEMBER(ExecutableDeserializeAndLoad, bytes.size, PJRT_Executable_DeserializeAndLoad_Args, serialized_executable_size);
MEMBER(ExecutableDeserializeAndLoad, loaded, PJRT_Executable_DeserializeAndLoad_Args, loaded_executable);
MEMBER(ExecutableDeserializeAndLoad, options.data, PJRT_Executable_DeserializeAndLoad_Args,
       overridden_serialized_compile_options);
MEMBER(ExecutableDeserializeAndLoad, options.size, PJRT_Executable_DeserializeAndLoad_Args,
       overridden_serialized_compile_options_size);
MEMBER(BufferDestroy, buffer, PJRT_Buffer_Destroy_Args, buffer);
MEMBER(BufferElementType, buffer, PJRT_Buffer_ElementType_Args, buffer);
MEMBER(BufferElementType, type, PJRT_Buffer_ElementType_Args, type);
MEMBER(BufferDimensions, buffer, PJRT_Buffer_Dimensions_Args, buffer);
MEMBER(BufferDimensions, dims.data, PJRT_Buffer_Dimensions_Args, dims);
MEMBER(BufferDimensions, dims.size, PJRT_Buffer_Dimensions_Args, num_dims);
MEMBER(BufferOnDeviceSizeInBytes, buffer, PJRT_Buffer_OnDeviceSizeInBytes_Args, buffer);
MEMBER(BufferOnDeviceSizeInBytes, bytes, PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes);
MEMBER(BufferDelete, buffer, PJRT_Buffer_Delete_Args, buffer);
MEMBER(BufferIsDeleted, buffer, PJRT_Buffer_IsDeleted_Args, buffer);
MEMBER(BufferIsDeleted, is_deleted, PJRT_Buffer_IsDeleted_Args, is_deleted);
MEMBER(BufferCopyToDevice, buffer, PJRT_Buffer_CopyToDevice_Args, buffer);
MEMBER(BufferCopyToDevice, device, PJRT_Buffer_CopyToDevice_Args, dst_device);
MEMBER(BufferCopyToDevice, copy, PJRT_Buffer_CopyToDevice_Args, dst_buffer);
MEMBER(BufferToHostBuffer, buffer, PJRT_Buffer_ToHostBuffer_Args, src);
MEMBER(BufferToHostBuffer, layout, PJRT_Buffer_ToHostBuffer_Args, host_layout);
MEMBER(BufferToHostBuffer, to, PJRT_Buffer_ToHostBuffer_Args, dst);
MEMBER(BufferToHostBuffer, bytes, PJRT_Buffer_ToHostBuffer_Args, dst_size);
MEMBER(BufferToHostBuffer, done, PJRT_Buffer_ToHostBuffer_Args, event);
MEMBER(BufferReadyEvent, buffer, PJRT_Buffer_ReadyEvent_Args, buffer);
MEMBER(BufferReadyEvent, event, PJRT_Buffer_ReadyEvent_Args, event);
MEMBER(ExecutableOutputElementTypes, executable, PJRT_Executable_OutputElementTypes_Args, executable);
MEMBER(ExecutableOutputElementTypes, types.data, PJRT_Executable_OutputElementTypes_Args, output_types);
MEMBER(ExecutableOutputElementTypes, types.size, PJRT_Executable_OutputElementTypes_Args, num_output_types);
MEMBER(ExecutableOutputDimensions, executable, PJRT_Executable_OutputDimensions_Args, executable);
MEMBER(ExecutableOutputDimensions, output_count, PJRT_Executable_OutputDimensions_Args, num_outputs);
MEMBER(ExecutableOutputDimensions, dims, PJRT_Executable_OutputDimensions_Args, dims);
MEMBER(ExecutableOutputDimensions, ranks, PJRT_Executable_OutputDimensions_Args, dim_sizes);
MEMBER(BufferCopyRawToHost, buffer, PJRT_Buffer_CopyRawToHost_Args, buffer);
MEMBER(BufferCopyRawToHost, to, PJRT_Buffer_CopyRawToHost_Args, dst);
MEMBER(BufferCopyRawToHost, offset, PJRT_Buffer_CopyRawToHost_Args, offset);
MEMBER(BufferCopyRawToHost, bytes, PJRT_Buffer_CopyRawToHost_Args, transfer_size);
MEMBER(BufferCopyRawToHost, done, PJRT_Buffer_CopyRawToHost_Args, event);
MEMBER(ClientCreateUninitializedBuffer, client, PJRT_Client_CreateUninitializedBuffer_Args, client);
MEMBER(ClientCreateUninitializedBuffer, dims.data, PJRT_Client_CreateUninitializedBuffer_Args, shape_dims);
MEMBER(ClientCreateUninitializedBuffer, dims.size, PJRT_Client_CreateUninitializedBuffer_Args, shape_num_dims);
MEMBER(ClientCreateUninitializedBuffer, type, PJRT_Client_CreateUninitializedBuffer_Args, shape_element_type);
MEMBER(ClientCreateUninitializedBuffer, layout, PJRT_Client_CreateUninitializedBuffer_Args, shape_layout);
MEMBER(ClientCreateUninitializedBuffer, device, PJRT_Client_CreateUninitializedBuffer_Args, device);
MEMBER(ClientCreateUninitializedBuffer, memory, PJRT_Client_CreateUninitializedBuffer_Args, memory);
MEMBER(ClientCreateUninitializedBuffer, buffer, PJRT_Client_CreateUninitializedBuffer_Args, buffer);
#undef MEMBER

/// How many functions the table of the plug-in lacks, with their names.
int missing_in(const Table& table) {
  int missing = 0;
#define REQUIRED(name, result, arguments)
#define OPTIONAL(name, result, arguments) \
  if (table.name == nullptr) ++missing, std::printf("%s is missing\n", #name);
#define UNUSED(name)
#include "vendor/pjrt/symbols.inc"
#undef REQUIRED
#undef OPTIONAL
#undef UNUSED
  return missing;
}

bool is_as_its_header(const char* path) {
  const auto table = Table::open(path);
  if (!table) {
    std::printf("%s\n", table.error().text().c_str());
    return false;
  }
  std::printf("the plug-in speaks version %d.%d, its header %d.%d\n", table->major, table->minor, PJRT_API_MAJOR,
              PJRT_API_MINOR);
  return table->major == PJRT_API_MAJOR && table->minor == PJRT_API_MINOR && missing_in(*table) == 0;
}

}  // namespace
}  // namespace pintle::vendor::pjrt

int main(int count, char** arguments) {
  return count == 2 && pintle::vendor::pjrt::is_as_its_header(arguments[1]) ? 0 : 1;
}
