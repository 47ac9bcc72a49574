/* signal_limits: thresholds of events and samples (base/limit.h). */
#ifndef BL_SIGNAL_LIMITS_H
#define BL_SIGNAL_LIMITS_H

#include "base/limit.h"

BL_LIMIT(signal_together, 1e-14, "of the time",
         "times of samples and events nearer to each other than this are the same time: 3 times 0.1 s is not exactly 0.3 s. Higher: events "
         "that follow each other are confused; lower: the same time computed in two ways counts as two",
         "conform_signal_events")
BL_LIMIT(
    signal_waiting, 1e6, "values that wait for the end of a delay",
    "longer delays of periodic actions are refused. Higher: memory, 8 bytes a value; lower: long delays of fast controllers are refused",
    "conform_signal_events")

BL_LIMIT(
    signal_shortest_lead, 1e-12, "of the time",
    "an input cannot be led to a value within a shorter time. Higher: short cubics are refused; lower: their coefficients are rounding",
    "conform_signal_lead")
BL_LIMIT(
    signal_driver_jump, 1e-9, "relative to value or rate, or to the smallest scale of a coordinate",
    "a driver that follows signals and changes by more at an event is discontinuous and refused. Higher: a jump goes unnoticed; lower: "
    "rounding at the end of a cubic counts as one",
    "conform_signal_lead")

#endif
