/* limit: a threshold that a user's model can meet. Every room lists its own in ROOM_limits.h, one BL_LIMIT each:
 *
 *     BL_LIMIT(kkt_rank, 1e-9, "share of the largest pivot",
 *              "higher: independent equations count as redundant; lower: rounding errors count as an equation. "
 *              "Rounding times the length of loops stays below, digits that people type above", "unit_kkt_rows")
 *
 * name (begins with the room), value, unit, what it trades off and how it was chosen, the test that fails when it is far off. In the
 * library it is a constant. The test conform_study_limits compiles the rooms with BIELA_MOVED_LIMITS, where it is a macro that reads a
 * number of that test, multiplies each by 3 and by 1/3 and asks all studies again (tests/limits).
 *
 * A threshold decides about an answer: what counts as equal, zero, dependent or converged, when a search is given up, what is refused.
 * Not thresholds: coefficients of methods and of step controls, predicted costs and the sizes at which an equivalent algorithm is faster,
 * margins that take the first of equal ones, sizes of tables and of input files (model/reader.h), drawings. */
#ifndef BL_LIMIT_H
#define BL_LIMIT_H

#ifdef BIELA_MOVED_LIMITS
#define BL_LIMIT(name, value, unit, trade, test)
#else
#define BL_LIMIT(name, value, unit, trade, test) static const double name = value;
#endif

#endif
