// The public types, declared.
#pragma once

#include <cstdint>

namespace pintle {

class Buffer;
class BufferView;
class CommandList;
class Device;
class Group;
class GroupQueue;
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
struct LoadOptions;
struct QueueOptions;
struct Slot;

// What stands behind them; only the library sees inside.
namespace core {
class BufferTable;
class Crossings;
class DeviceState;
class HostRun;
class Incarnation;
class ListReader;
class PoolState;
class ProgramState;
class QueueState;
class RecordingState;
class SignalState;
class Worklist;
struct NewBuffer;
}  // namespace core

}  // namespace pintle
