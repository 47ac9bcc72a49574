/* Unit quaternions o = (e0, e): R = (e0^2 - e.e) I + 2 e e^T + 2 e0 sk(e), w = 2 [-e, e0 I - sk(e)] o' in body axes. Four parameters,
 * one equation, no singular configurations. */
#include "coords/orientation.h"

static const bl_bilinear axes[] = {{0, 0, 0, 1},  {0, 1, 1, 1},  {0, 2, 2, -1}, {0, 3, 3, -1}, {1, 1, 2, 2},  {1, 0, 3, 2},  {2, 1, 3, 2},
                                   {2, 0, 2, -2}, {3, 1, 2, 2},  {3, 0, 3, -2}, {4, 0, 0, 1},  {4, 1, 1, -1}, {4, 2, 2, 1},  {4, 3, 3, -1},
                                   {5, 2, 3, 2},  {5, 0, 1, 2},  {6, 1, 3, 2},  {6, 0, 2, 2},  {7, 2, 3, 2},  {7, 0, 1, -2}, {8, 0, 0, 1},
                                   {8, 1, 1, -1}, {8, 2, 2, -1}, {8, 3, 3, 1},  {0, 0, 0, 0}};

static const bl_bilinear spin[] = {{0, 1, 0, -2}, {0, 0, 1, 2},  {0, 3, 2, 2}, {0, 2, 3, -2}, {1, 2, 0, -2}, {1, 3, 1, -2}, {1, 0, 2, 2},
                                   {1, 1, 3, 2},  {2, 3, 0, -2}, {2, 2, 1, 2}, {2, 1, 2, -2}, {2, 0, 3, 2},  {0, 0, 0, 0}};

static const bl_bilinear rows[] = {{0, 0, 0, 1}, {0, 1, 1, 1}, {0, 2, 2, 1}, {0, 3, 3, 1}, {0, 0, 0, 0}};
static const char *const names[] = {"e0", "e1", "e2", "e3"}, *const row_names[] = {"unit quaternion"};
static const double start[] = {1, 0, 0, 0}, row_value[] = {1};

const bl_orientation bl_orientation_quaternion = {.name = "quaternion",
                                                  .help = "unit quaternions: four parameters, one constraint equation",
                                                  .names = names,
                                                  .n = 4,
                                                  .naxis = 9,
                                                  .nspin = 3,
                                                  .nrow = 1,
                                                  .start = start,
                                                  .axes = axes,
                                                  .spin = spin,
                                                  .rows = rows,
                                                  .row_value = row_value,
                                                  .row_names = row_names,
                                                  .tangent = &bl_orientation_quaternion_tangent};
