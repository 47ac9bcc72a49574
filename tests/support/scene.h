/* Runs a scene and compares it with tests/reference/NAME.json. */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "biela/biela.h"

enum { SCENE_MAX_COLUMNS = 80, SCENE_MAX_SETS = 4 };

/* One case of a reference file. A column is "probe.x", "probe.vx",
 * "joint.angle", "joint.rate", "joint.angle1_rate", "body.e0", or a variable of
 * equations: "y", "y[3]", "y[3]_rate". */
typedef struct scene_case {
    char name[80];
    bl_index nset, ncolumn, nrow;
    bl_override set[SCENE_MAX_SETS];
    char set_name[SCENE_MAX_SETS][32], column[SCENE_MAX_COLUMNS][48];
    double scale[SCENE_MAX_COLUMNS]; /* typical size of a column: its error is
                                      measured in it */
    double *t, *value, *tolerance;   /* [nrow], [nrow][ncolumn], [nrow] */
    bool conservative, is_long;
} scene_case;

/* How to run. */
typedef struct scene_settings {
    const char *coordinates, *formulation, *integrator, *linsol, *ordering;
    double tolerance, step;
} scene_settings;

/* What a run gave. */
typedef struct scene_result {
    double *value; /* [nrow][ncolumn], as the case */
    double worst;  /* largest error / tolerance; 1 just passes */
    double worst_time;
    char worst_column[48];
    double largest_kinetic, largest_energy_error, largest_work, largest_drift;
    bl_run_summary summary;
} scene_result;

/* Reads every SCENES/NAME.yaml, in the order of their names, and calls visit with it. Returns how many there are; fails the test where one
 * cannot be read. */
typedef void scene_visit(bl_context *ctx, const bl_model *model, const char *name, void *user);
bl_index scene_each(scene_visit *visit, void *user);
/* What a scene is made of: rigid bodies, which suites about coordinates and constraints take; meshes. Else equations or matrices. */
bool scene_has_bodies(const bl_model *model);
bool scene_has_meshes(const bl_model *model);
/* Elastic bodies of many nodes, whose steps cost most of what all other scenes do: for long tests. */
bool scene_has_large_elastic_bodies(const bl_model *model);
/* Components of all nodes of its meshes: what a step costs grows with them. 0: it has no meshes. */
bl_index scene_mesh_size(const bl_model *model);
/* The time reached by this number of steps of a method; NULL: by the scene's own. 0: the method cannot take one. */
double scene_time_of_steps(bl_context *ctx, const bl_model *model, const char *integrator, int steps);

/* Cases of a reference file; fails the test when it cannot be read. Free with
 * scene_cases_free. */
bl_index scene_cases_read(const char *scene, scene_case **cases);
void scene_cases_free(scene_case *cases, bl_index n);

/* Runs SCENES/scene.yaml; fails the test with the library's message if the
 * run fails. */
void scene_run(const char *scene, const scene_case *reference, const scene_settings *settings, scene_result *result);
void scene_result_free(scene_result *result);

/* Fails the test unless the run follows the reference, keeps its energy balance
 * and its constraints. */
void scene_expect(const char *scene, const scene_case *reference, const scene_settings *settings, const scene_result *result);

#endif
