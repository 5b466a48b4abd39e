// Forward declarations of the public types.
#pragma once

#include <cstdint>

namespace pintle {

class Buffer;
class BufferView;
class CommandList;
class Device;
class Group;
class GroupQueue;
class Image;
class ImageView;
class Kernel;
class Point;
class Program;
class ProgramPack;
class Queue;
class Recording;
class Resource;
class Signal;
class Submission;
class SymmetricHeap;
struct Limits;
struct LoadOptions;
struct QueueOptions;
struct Slot;

// The types behind them; only the library sees them.
class Inside;
namespace core {
class BufferTable;
class DeviceState;
class PoolState;
class ProgramState;
class QueueState;
class RecordingState;
class SignalState;
struct ListState;
}  // namespace core

}  // namespace pintle
