/* All nine elements of the rotation matrix, its columns o = (r1, r2, r3): w_1 = (r3.r2' - r2.r3')/2 and so on in body axes, six
 * equations. */
#include "coords/orientation.h"

static const bl_bilinear axes[] = {{0, 0, -1, 1}, {1, 1, -1, 1}, {2, 2, -1, 1}, {3, 3, -1, 1}, {4, 4, -1, 1},
                                   {5, 5, -1, 1}, {6, 6, -1, 1}, {7, 7, -1, 1}, {8, 8, -1, 1}, {0, 0, 0, 0}};

static const bl_bilinear spin[] = {{0, 6, 3, 0.5},  {0, 3, 6, -0.5}, {0, 7, 4, 0.5},  {0, 4, 7, -0.5}, {0, 8, 5, 0.5},
                                   {0, 5, 8, -0.5}, {1, 0, 6, 0.5},  {1, 6, 0, -0.5}, {1, 1, 7, 0.5},  {1, 7, 1, -0.5},
                                   {1, 2, 8, 0.5},  {1, 8, 2, -0.5}, {2, 3, 0, 0.5},  {2, 0, 3, -0.5}, {2, 4, 1, 0.5},
                                   {2, 1, 4, -0.5}, {2, 5, 2, 0.5},  {2, 2, 5, -0.5}, {0, 0, 0, 0}};

static const bl_bilinear rows[] = {{0, 0, 0, 1}, {0, 1, 1, 1}, {0, 2, 2, 1}, {1, 3, 3, 1}, {1, 4, 4, 1}, {1, 5, 5, 1}, {2, 6, 6, 1},
                                   {2, 7, 7, 1}, {2, 8, 8, 1}, {3, 0, 3, 1}, {3, 1, 4, 1}, {3, 2, 5, 1}, {4, 3, 6, 1}, {4, 4, 7, 1},
                                   {4, 5, 8, 1}, {5, 6, 0, 1}, {5, 7, 1, 1}, {5, 8, 2, 1}, {0, 0, 0, 0}};

static const char *const names[] = {"r1x", "r1y", "r1z", "r2x", "r2y", "r2z", "r3x", "r3y", "r3z"};
static const char *const row_names[] = {"unit length of axis 1",    "unit length of axis 2",    "unit length of axis 3",
                                        "right angle of axes 1, 2", "right angle of axes 2, 3", "right angle of axes 3, 1"};
static const double start[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, row_value[] = {1, 1, 1, 0, 0, 0};

const bl_orientation bl_orientation_matrix = {.name = "matrix",
                                              .help = "the full rotation matrix: nine parameters, six constraint equations",
                                              .names = names,
                                              .n = 9,
                                              .naxis = 9,
                                              .nspin = 3,
                                              .nrow = 6,
                                              .start = start,
                                              .axes = axes,
                                              .spin = spin,
                                              .rows = rows,
                                              .row_value = row_value,
                                              .row_names = row_names,
                                              .tangent = &bl_orientation_matrix_tangent};
