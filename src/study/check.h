/* check: what the study `check` knows before it finds words. Private to check.c and findings.c. */
#ifndef BL_STUDY_CHECK_H
#define BL_STUDY_CHECK_H

#include "study/study.h"
#include "topology/topology.h"

typedef struct bl_checking {
    bl_context *ctx;
    const bl_model *model;
    bl_system *sys;
    bl_state start, place; /* assembled; beside it when the starting position is singular, else the same */
    bl_eval eval;          /* at place */
    double length;         /* typical size of a body */
    double *null;          /* [nv][freedoms] orthonormal motions at place, in scaled coordinates */
    bl_index freedoms;
    bool stuck; /* redundant rows, and no motion found that leads out of the starting position */
    bl_index nmassless;
    double *massless; /* [nv][nmassless] velocities that move no mass, each as local as possible */
    bl_twists twists;
    bl_dependencies dependencies;
    bl_check_report *report;
    bl_index room; /* for findings */
} bl_checking;

/* All findings, warnings first. */
bl_status bl_check_findings(bl_checking *c);

#endif
