/* signal_limits: thresholds of events and samples (base/limit.h). */
#ifndef BL_SIGNAL_LIMITS_H
#define BL_SIGNAL_LIMITS_H

#include "base/limit.h"

BL_LIMIT(signal_together, 1e-14, "of the time",
         "times of samples and events nearer to each other than this are the same time: 3 times 0.1 s is not exactly 0.3 s. Higher: events "
         "that follow each other are confused; lower: the same time computed in two ways counts as two",
         "conform_signal_events")

#endif
