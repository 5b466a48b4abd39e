// Everything of Pintle's public API.
#pragma once

#include "pintle/buffer.h"
#include "pintle/commands.h"
#include "pintle/convert.h"
#include "pintle/deadline.h"
#include "pintle/device.h"
#include "pintle/dtype.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/grid.h"
#include "pintle/info.h"
#include "pintle/log.h"
#include "pintle/plan.h"
#include "pintle/program.h"
#include "pintle/queue.h"
#include "pintle/recording.h"
#include "pintle/signal.h"
