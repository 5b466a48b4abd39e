/* Commands in lists of the library. */
#include "objects.h"

bool command_buffers(Command* command, bool (*each)(Buffer* buffer, void* data), void* data) {
  for (size_t i = 0; i < command->arguments.buffer_count; ++i)
    if (!each(command->arguments.buffers[i], data)) return false;
  for (size_t i = 0; i < 2; ++i)
    if (command->views[i] != NULL && !each(command->views[i], data)) return false;
  return true;
}

static bool buffer_is_live(Buffer* buffer, void* data) {
  (void)data;
  return is_live(&buffer->base);
}

bool command_check(Command* command) {
  if (command->kernel != NULL && !is_live(&command->kernel->base)) return false;
  return command_buffers(command, buffer_is_live, NULL);
}

static pintle_kernel kernel_of(const Command* command) {
  return (pintle_kernel){command->kernel == NULL ? 0 : command->kernel->base.id};
}

/* The list's share ends when the library says so, or here where it refuses. */
static pintle_status append_retained(const Command* command, pintle_list list, pintle_error* error) {
  retained_share(command->retained);
  const pintle_status status = pintle_list_upload_retained(
      list, &command->to, command->host.buf, (size_t)command->host.len, retained_end, command->retained, error);
  if (status != PINTLE_OK) retained_end(command->retained);
  return status;
}

/* Commands with a slot in the place of a buffer or an array. */
static pintle_status append_slot(const Command* command, pintle_list list, pintle_error* error) {
  const Arguments* const arguments = &command->arguments;
  switch (command->kind) {
    case command_upload_slot: return pintle_list_upload_slot(list, &command->to, command->slot, error);
    case command_download_slot: return pintle_list_download_slot(list, command->slot, &command->to, error);
    case command_slot_to_image:
      return pintle_list_copy_slot_to_image(list, command->image, command->slot, &command->part, error);
    case command_image_to_slot:
      return pintle_list_copy_image_to_slot(list, command->slot, command->image, &command->part, error);
    case command_copy_from_slot: return pintle_list_copy_from_slot(list, &command->to, command->from_slot, error);
    case command_copy_to_slot: return pintle_list_copy_to_slot(list, command->slot, &command->from, error);
    case command_copy_slots: return pintle_list_copy_slots(list, command->slot, command->from_slot, error);
    case command_fill_slot: return pintle_list_fill_slot(list, command->slot, command->to.dtype, command->value, error);
    case command_timestamp_slot: return pintle_list_timestamp_slot(list, command->slot, error);
    case command_uses_slot: return pintle_list_uses_slot(list, command->slot, command->access, error);
    case command_indirect_slot:
      return pintle_list_launch_indirect_slot(list, kernel_of(command), command->slot, &command->extent,
                                              arguments->arguments, arguments->count, error);
    default: return PINTLE_INTERNAL;
  }
}

static pintle_status append(const Command* command, pintle_list list, pintle_error* error) {
  const Arguments* const arguments = &command->arguments;
  switch (command->kind) {
    case command_launch:
      return pintle_list_launch(list, kernel_of(command), &command->extent, arguments->arguments, arguments->count,
                                error);
    case command_indirect:
      return pintle_list_launch_indirect(list, kernel_of(command), &command->to, &command->extent, arguments->arguments,
                                         arguments->count, error);
    case command_copy: return pintle_list_copy(list, &command->to, &command->from, error);
    case command_fill: return pintle_list_fill(list, &command->to, command->value, error);
    case command_upload:
      return pintle_list_upload(list, &command->to, command->host.buf, (size_t)command->host.len, error);
    case command_retained_upload: return append_retained(command, list, error);
    case command_download:
      return pintle_list_download(list, command->host.buf, (size_t)command->host.len, &command->to, error);
    case command_barrier: return pintle_list_barrier(list, error);
    case command_timestamp: return pintle_list_timestamp(list, &command->to, error);
    case command_to_image: return pintle_list_copy_to_image(list, command->image, &command->to, &command->part, error);
    case command_from_image:
      return pintle_list_copy_from_image(list, &command->to, command->image, &command->part, error);
    case command_uses: return pintle_list_uses(list, &command->to, command->access, error);
    case command_holds: return pintle_list_holds(list, command->to.buffer, error);
    default: return append_slot(command, list, error);
  }
}

pintle_status command_append(Command* command, pintle_list list, pintle_error* error) {
  const pintle_status status = command->text == NULL ? PINTLE_OK : pintle_list_label(list, command->text, error);
  if (status != PINTLE_OK) return status;
  return append(command, list, error);
}
