/* Every kind of bad model is refused with its position, the reason and, where a word was wrong, the nearest one.
 * In the texts '~' marks the position to which the message must point (it is removed before reading). */
#include "support/testing.h"

#include "biela/biela.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct refusal {
    const char *text;   /* with '~' */
    const char *what;   /* must appear in the message */
    const char *advice; /* must appear in the advice; NULL: any */
} refusal;

#define BODY "{name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}"
#define BODIES "bodies: [" BODY "]\n"
#define J1 "joints: [{name: j1, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}]\n"

static const refusal refusals[] = {
    /* nothing there */
    {"~", "empty", NULL},
    {"~\n  \n\t\n", "empty", NULL},
    {"~# only a comment\n", "empty", NULL},
    {"~---\n...\n", "empty", NULL},
    {"~just words", "must be a map", NULL},
    {"~[1, 2]", "must be a map", NULL},
    {"~model: x\n", "no bodies", NULL},
    {"~model: x\nbodies: []\n", "no bodies", NULL},
    {"~model: x\nbodies:\n", "no bodies", NULL},
    /* unknown keys */
    {"~bodys: []\n", "unknown key 'bodys'", "'bodies'"},
    {BODIES "model: x\n~graviti: [0, 0, 0]\n", "unknown key 'graviti'", "'gravity'"},
    {"bodies: [{name: a, ~mas: 1, center: [0, 0, 0]}]\n", "unknown key 'mas'", "'mass'"},
    {"bodies: [{name: a, mass: 1, rod: {~form: [0, 0, 0], to: [1, 0, 0]}}]\n", "unknown key 'form'", "'from'"},
    {"bodies: [{name: a, mass: 1, box: {center: [0, 0, 0], ~sise: [1, 1, 1]}}]\n", "unknown key 'sise'", "'size'"},
    {"bodies: [{name: a, points: [{mass: 1, ~as: [0, 0, 0]}]}]\n", "unknown key 'as'", NULL},
    {"bodies: [{name: a, mass: 0, carry: [{~pont: [0, 0, 0]}]}]\n", "unknown key 'pont'", "'point'"},
    {BODIES "joints: [{type: revolute, bodies: [ground, a], at: [0, 0, 0], ~axes: [0, 0, 1]}]\n", "unknown key 'axes'", "'axis'"},
    {BODIES "forces: [{type: spring, bodies: [ground, a], at: [0, 0, 0], to: [1, 0, 0], ~stifness: 3}]\n", "unknown key 'stifness'",
     "'stiffness'"},
    {BODIES J1 "drivers: [{variable: j1.angle, ~valeu: 3}]\n", "unknown key 'valeu'", "'value'"},
    {BODIES "probes: {p: {~bdy: a}}\n", "unknown key 'bdy'", "'body'"},
    {BODIES "simulate: {~untill: 3}\n", "unknown key 'untill'", "'until'"},
    {BODIES "initial: {a: {~velocty: [0, 0, 0]}}\n", "unknown key 'velocty'", "'velocity'"},
    {"bodies: [{repeat: {~cont: 3, do: []}}]\n", "unknown key 'cont'", "'count'"},
    /* wrong sort of value */
    {"bodies: [{name: a, mass: ~heavy, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must be a number, found 'heavy'", NULL},
    {"bodies: [{name: a, mass: ~\"1\", center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must be a number", "without quotes"},
    {"bodies: [{name: a, mass: ~2*3, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must be a number", "'='"},
    {"parameters: {m: 1}\nbodies: [{name: a, mass: ~m, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must be a number", "'=m'"},
    {"bodies: [{name: a, mass: ~[1], center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must be a number, found a list", NULL},
    {"bodies: [{name: a, mass: ~{}, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must be a number, found a map", NULL},
    {"bodies: ~{a: {mass: 1}}\n", "bodies must be a list", NULL},
    {"bodies: [~a]\n", "a body must be a map", NULL},
    {BODIES "joints: [~[1, 2]]\n", "a joint must be a map", NULL},
    {BODIES "dimension: ~4\n", "dimension must be 2 or 3", NULL},
    {BODIES "gravity: ~down\n", "gravity must be a list of 3 numbers", NULL},
    {BODIES "gravity: ~[0, -9.81]\n", "gravity needs 3 components, found 2", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 1, center: ~[0, 0, 0], inertia: 1}]\n", "center needs 2 components, found 3", NULL},
    {"points: {A: ~[1, 2, 3, 4]}\n" BODIES, "needs 3 components, found 4", NULL},
    {"points: {A: [1, 2, ~z]}\n" BODIES, "must be a number", NULL},
    {BODIES "joints: [{type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: ~z}]\n", "axis must be a list", NULL},
    {BODIES "joints: [{type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], cut: ~maybe}]\n", "true or false", NULL},
    {"model: ~[1]\n" BODIES, "model must be a word", NULL},
    /* signals and events */
    {BODIES "inputs: {torque: ~heavy}\n", "input 'torque' must be a number", NULL},
    {BODIES "inputs: {w: {~valeu: 1}}\n", "unknown key 'valeu'", "'value'"},
    {BODIES "inputs: {w: ~{rate: 1}}\n", "needs 'value'", NULL},
    {BODIES "held: {F: {value: 1, ~rate: 2}}\n", "unknown key 'rate'", NULL},
    {BODIES "inputs: {~sin: 1}\n", "'sin' cannot be the name of an input: it already has a meaning", NULL},
    {BODIES "held: {~a.b: 1}\n", "'a.b' cannot be the name of a held number", NULL},
    {"parameters: {k: 1}\n" BODIES "inputs: {~k: 1}\n",
     "'k' cannot be the name of an input: it is already the name of a parameter (bad.yaml:1)", "its own"},
    {"held: {k: 1}\n" BODIES "states: [{name: ~k, start: 0, rate: 1}]\n", "already the name of a held number (", NULL},
    {BODIES "states: [{name: i, start: 0, rate: 1}, {name: ~i, start: 0, rate: 1}]\n", "already the name of a state", NULL},
    {BODIES "states: [~{name: i, rate: 1}]\n", "needs 'start'", "start: 0"},
    {BODIES "states: [~{name: i, start: 1}]\n", "needs 'rate'", "`held`"},
    {BODIES "controllers: [{name: c, every: 1, states: {~e}, update: {e: 1}, output: =e}]\n", "'e' of controller 'c' has no value",
     "{e: 0}"},
    {BODIES "controllers: [{name: c, every: 1, update: {~e: 1}, output: =e}]\n", "controller 'c' has no state 'e'", "states: {e: 0}"},
    {"inputs: {torque: 0}\n" BODIES "controllers: [{name: c, output: =2*~torqe}]\n", "unknown name 'torqe'", "torque"},
    {BODIES "states: [~{name: i, start: 0}]\n", "needs 'rate'", NULL},
    {BODIES "states: [{name: i, start: 0, rate: =2*~j}]\n", "unknown name 'j'", NULL},
    {BODIES J1 "states: [{name: i, start: 0, rate: =~j1.angel}]\n", "unknown name 'j1.angel'", "'j1.angle'"},
    {BODIES "states: [{name: current, start: 0, rate: =~curent}]\n", "unknown name 'curent'", "'current'"},
    {BODIES "states: [{name: i, start: 0, rate: 1, scale: ~0}]\n", "scale must be positive", NULL},
    {BODIES "states: [{name: i, start: 0, rate: =~x}]\n", "'x' cannot be used here", NULL},
    {"held: {F: 1}\nbodies: [{name: a, mass: =~F, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "'F' cannot be used here", "fixed"},
    {"held: {F: 1}\n" BODIES J1 "drivers: [{variable: j1.angle, value: =~F*t}]\n", "'F', which is held", "filter of second order"},
    {"held: {F: 1}\n" BODIES "events: [~{at: 1}]\n", "the event does nothing", "set: {F: 5}"},
    {"held: {F: 1}\n" BODIES "events: [~{set: {F: 2}}]\n", "exactly one of 'at', 'every' and 'when', found 0", NULL},
    {"held: {F: 1}\n" BODIES "events: [~{at: 1, every: 2, set: {F: 2}}]\n", "exactly one of 'at', 'every' and 'when', found 2", NULL},
    {"held: {F: 1}\n" BODIES "events: [{at: ~-1, set: {F: 2}}]\n", "at must not be negative", NULL},
    {"held: {F: 1}\n" BODIES "events: [{every: ~0, set: {F: 2}}]\n", "every must be positive", NULL},
    {"held: {F: 1}\n" BODIES "events: [{every: ~-0.1, set: {F: 2}}]\n", "every must be positive", NULL},
    {"held: {F: 1}\n" BODIES "events: [{every: ~1e-14, set: {F: 2}}]\nsimulate: {until: 1}\n", "too short to be counted", "1e-12"},
    {"held: {F: 1}\n" BODIES "events: [{at: 1, offset: ~1, set: {F: 2}}]\n", "'offset' can only be used with 'every'", NULL},
    {"held: {F: 1}\n" BODIES "events: [{at: 1, direction: ~up, set: {F: 2}}]\n", "'direction' can only be used with 'when'", NULL},
    {"held: {F: 1}\n" BODIES J1 "events: [{when: j1.angle, direction: ~upp, set: {F: 2}}]\n", "up, down or both", "'up'"},
    {"held: {F: 1}\n" BODIES "events: [{when: ~2 + 3, set: {F: 2}}]\n", "never goes through zero", "`at` or `every`"},
    {"held: {F: 1}\n" BODIES "events: [{at: 1, set: {~G: 2}}]\n", "there is no held number or state 'G'", "'F'"},
    {"inputs: {F: 1}\n" BODIES "events: [{at: 1, set: {~F: 2}}]\n", "'F' cannot be set: it is an input", "held: {F: ...}"},
    {"parameters: {F: 1}\n" BODIES "events: [{at: 1, set: {~F: 2}}]\n", "'F' cannot be set: it is a parameter", NULL},
    {"held: {F: 1}\n" BODIES J1 "events: [{at: 1, set: {~j1.angle: 2}}]\n", "'j1.angle' cannot be set: it is a variable", NULL},
    {"held: {F: 1}\n" BODIES "events: [{at: 1, set: {F: =2*~G}}]\n", "unknown name 'G'", NULL},
    {"held: {F: 1}\n" BODIES J1 "events: [{when: j1.angle, stop: true, set: ~{F: 2}}]\n", "ends the run (stop: true) cannot set", NULL},
    {"held: {F: 1}\n" BODIES "events: [{at: 1, stop: ~true}]\n", "'stop' can only be used with 'when'", "until"},
    /* controllers */
    {BODIES "controllers: [{name: c, type: ~pdi, of: 1}]\n", "there is no controller of type 'pdi'", "'pd'"},
    {BODIES "controllers: [~{name: c, type: pid}]\n", "needs 'of'", NULL},
    {BODIES "controllers: [~{name: c}]\n", "needs 'output'", NULL},
    {BODIES J1 "controllers: [{name: c, type: pd, of: j1.angle, ~kpp: 1}]\n", "unknown key 'kpp'", "'kp'"},
    {BODIES J1 "controllers: [{name: c, type: pd, of: ~j1.angel, kp: 1}]\n", "unknown name 'j1.angel'", "'j1.angle'"},
    {BODIES J1 "controllers: [{name: c, type: pd, of: ~j1.rate, kd: 1}]\n", "depends on a velocity", "`rate: ...`"},
    {"inputs: {w: 1}\n" BODIES "controllers: [{name: c, type: pd, of: ~w, kd: 1}]\n", "'w' is an input", NULL},
    {BODIES "controllers: [{name: c, type: pd, of: ~d, kd: 1}, {name: d, type: low_pass, of: t, time: 1}]\n",
     "'d' is defined after this controller", NULL},
    {BODIES "controllers: [{name: c, every: ~0, output: 1}]\n", "every must be positive", NULL},
    {BODIES "controllers: [{name: c, every: ~-1, output: 1}]\n", "every must be positive", NULL},
    {BODIES "controllers: [{name: c, every: 1, delay: ~-1, output: 1}]\n", "delay must not be negative", NULL},
    {BODIES "controllers: [{name: c, every: 1, delay: ~5, output: 1}]\nsimulate: {until: 5}\n", "longer than the run of 5 s", NULL},
    {BODIES "controllers: [{name: c, delay: ~1, output: 1}]\n", "'delay' needs a sampled controller", NULL},
    {BODIES "controllers: [~{name: c, type: filter, of: t, frequency: 1, every: 1}]\n", "always continuous", NULL},
    {BODIES "controllers: [{name: c, every: 1, states: {~e: 0}, output: =e}]\n", "state 'e' of controller 'c' never changes",
     "update: {e: ...}"},
    {BODIES "controllers: [{name: c, every: 1, states: {e: 0}, update: {e: 1, ~f: 2}, output: =e}]\n", "has no state 'f'",
     "states: {f: 0}"},
    {BODIES "controllers: [{name: c, every: 1, states: {e: 0}, rate: ~{e: 1}, output: =e}]\n", "is sampled: its states have 'update'",
     NULL},
    {BODIES "controllers: [{name: c, states: {e: 0}, update: ~{e: 1}, output: =e}]\n", "is continuous: its states have 'rate'", NULL},
    {BODIES "controllers: [{name: c, type: feedback, gains: ~{}}]\n", "gains is empty", NULL},
    {BODIES "controllers: [{name: c, type: feedback, gains: {~q: 1}}]\n", "unknown name 'q'", NULL},
    {BODIES "controllers: [{name: ~c, output: =c}]\n", "algebraic loop: c -> c", "a state"},
    {BODIES "controllers: [{name: a1, output: =b1}, {name: ~b1, output: =c1 + 1}, {name: c1, output: =2*b1}]\n",
     "algebraic loop: b1 -> c1 -> b1", NULL},
    {"parameters: {c: 1}\n" BODIES "controllers: [{name: ~c, output: 1}]\n", "already the name of a parameter", NULL},
    {BODIES "controllers: [{name: c, output: 1}]\nevents: [{at: 1, set: {~c: 2}}]\n", "it is the output of a controller", NULL},
    {BODIES J1 "controllers: [{name: c, output: '=~hysteresis(j1.angle, 1, 1)'}]\n", "needs low < high", NULL},
    {BODIES J1 "controllers: [{name: c, output: '=~hysteresis(3, 1, 2)'}]\n", "of a constant never changes", NULL},
    {BODIES J1 "controllers: [{name: c, output: '=~delay(j1.angle, 0)'}]\n", "must be positive, found 0", NULL},
    {BODIES J1 "controllers: [{name: c, output: '=~delay(j1.angle, -1)'}]\n", "must be positive, found -1", NULL},
    {BODIES J1 "controllers: [{name: c, output: '=~delay(j1.angle, t)'}]\n", "must be constant", "parameters"},
    {BODIES J1 "controllers: [{name: c, output: '=~delay(j1.angle, 5)'}]\nsimulate: {until: 2}\n", "longer than the run of 2 s", NULL},
    {"parameters: {p: '=~delay(2, 1)'}\n" BODIES, "'delay' cannot be used here", NULL},
    {"parameters: {p: '=~hysteresis(2, 1, 2)'}\n" BODIES, "'hysteresis' cannot be used here", NULL},
    {BODIES J1 "forces: [{type: rotational_spring, variable: j1.angle, torque: '=x*~hysteresis(j1.angle, 1, 2)'}]\n",
     "cannot be used together with x and xd", NULL},
    {"equations: {states: [{name: x, start: 0, rate: 1}]}\nheld: ~{F: 1}\n", "'held' can only be used in models with rigid bodies", NULL},
    /* not finite */
    {"bodies: [{name: a, mass: ~.nan, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "finite", NULL},
    {"bodies: [{name: a, mass: ~.inf, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "finite", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, ~-.Inf, 0], inertia: [1, 1, 1]}]\n", "finite", NULL},
    {"bodies: [{name: a, mass: ~NaN, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "finite", NULL},
    {"bodies: [{name: a, mass: ~1e999, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "finite", NULL},
    {"bodies: [{name: a, mass: =~1/0, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "not a finite number", NULL},
    {"bodies: [{name: a, mass: =~sqrt(-1), center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "not a finite number", NULL},
    {"parameters: {p: =~log(0)}\n" BODIES, "not a finite number", NULL},
    {"parameters: {zero: 0}\n" BODIES "forces: [{type: torque, body: a, torque: [0, 0, =~1/zero]}]\n", "not a finite number", NULL},
    /* mass and inertia */
    {"bodies: [{name: a, mass: ~-1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "mass must not be negative", NULL},
    {"bodies: [{name: a, points: [{mass: ~-1, at: [0, 0, 0]}]}]\n", "mass must not be negative", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: ~[1, 1, -1]}]\n", "principal moment is -1", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: ~[1, 1, 1, 2, 0, 0]}]\n", "principal moment is -1", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: ~[1, 1, 3]}]\n", "sum of the other two", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: ~[[1, 0, 0], [0.5, 1, 0], [0, 0, 1]]}]\n", "not symmetric", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: ~[1, 1]}]\n", "inertia must be", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: ~1}]\n", "inertia must be", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: ~-1}]\n", "must not be negative", NULL},
    {"bodies: [~{name: a, mass: 1, center: [0, 0, 0]}]\n", "needs 'inertia'", NULL},
    {"bodies: [~{name: a, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "needs 'mass'", NULL},
    {"bodies: [~{mass: 1}]\n", "needs 'name'", NULL},
    {"bodies: [{name: a, points: ~[]}]\n", "has no mass", NULL},
    {"bodies: [{name: a, mass: 1, density: ~1, sphere: {center: [0, 0, 0], radius: 1}}]\n", "mass and density", NULL},
    {"bodies: [{name: a, density: ~1, rod: {from: [0, 0, 0], to: [1, 0, 0]}}]\n", "density needs a shape with a volume", NULL},
    {"bodies: [{name: a, mass: 1, rod: ~{from: [1, 0, 0], to: [1, 0, 0]}}]\n", "no length", NULL},
    {"bodies: [{name: a, mass: 1, sphere: {center: [0, 0, 0], radius: ~0}}]\n", "radius must be positive", NULL},
    {"bodies: [{name: a, mass: 1, box: {center: [0, 0, 0], size: [1, ~-1, 1]}}]\n", "size must be positive", NULL},
    {"bodies: [{name: a, mass: 1, disc: ~{center: [0, 0, 0], radius: 1}}]\n", "only be used in planar models (dimension: 2)", "sphere"},
    {"bodies: [{name: a, mass: 1, rod: {from: [0, 0, 0], to: [1, 0, 0]}, sphere: ~{center: [0, 0, 0], radius: 1}}]\n", "described twice",
     NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], axes: ~[[1, 0, 0], [2, 0, 0]]}]\n", "parallel", NULL},
    {"bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], axes: ~[1, 0, 0]}]\n", "[x-direction, y-direction]", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1, axes: ~[[1, 0], [0, 1]]}]\n",
     "only be used in spatial models (dimension: 3)", NULL},
    {"bodies: [{name: a, mass: 1, inertia: ~[1, 1, 1], sphere: {center: [0, 0, 0], radius: 1}}]\n", "described twice", NULL},
    {"bodies: [~{name: a, density: 1e300, sphere: {center: [0, 0, 0], radius: 1e100}}]\n", "not finite", NULL},
    {"bodies: [{name: a, mass: 0, carry: [~{point: [0, 0, 0], vector: [0, 0, 1]}]}]\n", "an entry of carry", NULL},
    {"bodies: [{name: a, mass: 0, carry: [{vector: ~[0, 0, 0]}]}]\n", "must not be a zero vector", NULL},
    {"bodies: [~{name: a, mass: 1, rod: {from: [0, 0, 0], to: [1, 0, 0], axial: 1}}]\n", "sum of the other two", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 1, rod: {from: [0, 0], to: [1, 0], axial: ~1}}]\n",
     "only be used in spatial models (dimension: 3)", NULL},
    {"dimension: 2\nbodies: [{name: a, density: ~1, box: {center: [0, 0], size: [1, 1]}}]\n", "give the mass", NULL},
    /* names */
    {"bodies: [" BODY ", {name: ~a, mass: 0}]\n", "duplicate name", NULL},
    {"bodies: [{name: ~ground, mass: 0}]\n", "duplicate name", NULL},
    {"bodies: [{name: ~\"\", mass: 0}]\n", "name of the body is empty", NULL},
    {"points: [{name: A, at: [0, 0, 0]}, {name: ~A, at: [0, 0, 0]}]\n" BODIES, "duplicate name", NULL},
    {BODIES "joints: [{name: j, type: spherical, bodies: [ground, a], at: [0, 0, 0]},\n {name: ~j, type: spherical, bodies: [ground, a], "
            "at: [0, 0, 0]}]\n",
     "duplicate name", NULL},
    {BODIES "probes: [{name: p, body: a}, {name: ~p, body: a}]\n", "duplicate name", NULL},
    {BODIES "forces: [{name: f, type: torque, body: a, torque: [0, 0, 1]}, {name: ~f, type: torque, body: a, torque: [0, 0, 1]}]\n",
     "duplicate name", NULL},
    {"model: x\n~model: y\n" BODIES, "duplicate key 'model'", NULL},
    {"parameters: {p: 1, ~p: 2}\n" BODIES, "duplicate key 'p'", NULL},
    {"bodies: [{name: a, mass: 0, ~mass: 1}]\n", "duplicate key 'mass'", NULL},
    {"parameters: {~pi: 3}\n" BODIES, "has a meaning", NULL},
    {"parameters: {~t: 3}\n" BODIES, "has a meaning", NULL},
    {"parameters: {~sin: 3}\n" BODIES, "has a meaning", NULL},
    {"parameters: {~a-b: 3}\n" BODIES, "cannot be the name", NULL},
    {BODIES "joints: [{type: spherical, bodies: [ground, ~aa], at: [0, 0, 0]}]\n", "no body 'aa'", "'a'"},
    {BODIES "joints: [{type: spherical, bodies: [~grund, a], at: [0, 0, 0]}]\n", "no body 'grund'", "'ground'"},
    {BODIES "probes: {p: {body: ~b}}\n", "no body 'b'", NULL},
    {BODIES "forces: [{type: torque, body: ~b, torque: [0, 0, 1]}]\n", "no body 'b'", NULL},
    {"points: {Corner: [0, 0, 0]}\n" BODIES "probes: {p: {body: a, at: ~Cormer}}\n", "no point 'Cormer'", "'Corner'"},
    {BODIES "joints: [{type: ~revolut, bodies: [ground, a]}]\n", "no joint of type 'revolut'", "'revolute'"},
    {BODIES "forces: [{type: ~sprng}]\n", "no force of type 'sprng'", "'spring'"},
    {BODIES "joints: [~{bodies: [ground, a]}]\n", "needs 'type'", NULL},
    /* joints */
    {BODIES "joints: [~{type: revolute, bodies: [ground, a], at: [0, 0, 0]}]\n", "needs 'axis'", NULL},
    {BODIES "joints: [{type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: ~[0, 0, 0]}]\n", "must not be a zero vector", NULL},
    {BODIES "joints: [{type: spherical, bodies: [a, ~a], at: [0, 0, 0]}]\n", "with itself", NULL},
    {BODIES "joints: [{type: spherical, bodies: ~[a], at: [0, 0, 0]}]\n", "bodies must be a list of two names: [first, second]", NULL},
    {BODIES "joints: [{type: screw, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], pitch: ~0}]\n", "must not be zero", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 0}]\njoints: [{type: ~spherical, bodies: [ground, a], at: [0, 0]}]\n",
     "only be used in spatial models (dimension: 3)", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 0}]\njoints: [{type: revolute, bodies: [ground, a], at: [0, 0], axis: ~[0, 1]}]\n",
     "only be used in spatial models (dimension: 3)", NULL},
    {BODIES J1 "forces: [{type: friction, variable: ~j1.angel}]\n", "no variable 'j1.angel'", "'j1.angle'"},
    {BODIES J1 "forces: [{type: friction, variable: ~j1.rate}]\n", "is a rate", NULL},
    {BODIES "joints: [{name: g, type: gear, first: ~g.angle, second: g.angle, ratio: 1}]\n", "no variable 'g.angle'", NULL},
    {BODIES J1 "drivers: [{variable: ~j1.angel, value: =t}]\n", "no variable 'j1.angel'", "'j1.angle'"},
    {BODIES J1 "drivers: [{variable: ~j1.rate, value: =t}]\n", "is a rate", "'j1.angle'"},
    {BODIES J1 "drivers: [{variable: j1.angle, value: =2*~j1.rate}]\n", "cannot be used here", "only t, parameters, inputs"},
    {BODIES J1 "drivers: [{variable: j1.angle, value: =t}, {variable: ~j1.angle, value: 0}]\n", "twice", NULL},
    {BODIES J1 "measure: [~j1.distance]\n", "no variable 'j1.distance'", NULL},
    {BODIES J1 "measure: [j1.angle, ~j1.angle]\n", "twice", NULL},
    {BODIES J1 "simulate: {stop: ~5}\n", "the stop expression is constant", NULL},
    {BODIES J1 "simulate: {stop: j1.angle - ~y}\n", "unknown name 'y'", NULL},
    {BODIES "simulate: {until: ~-1}\n", "until must be positive", NULL},
    {BODIES "simulate: {tolerance: ~0}\n", "tolerance must be positive", NULL},
    {BODIES "joints: [{type: gear, bodies: ~[ground, a], first: a, second: b, ratio: 1}]\n", "it has no 'bodies'", NULL},
    /* forces */
    {BODIES "forces: [{type: torque, body: a, torque: [0, 0, 1], frame: ~bode}]\n", "must be one of global|body", "'body'"},
    {BODIES "forces: [{type: torque, body: a, torque: ~[0, 1]}]\n", "torque needs 3 components, found 2", NULL},
    {BODIES "forces: [{type: torque, body: a, torque: ~1}]\n", "torque must be a list of 3", NULL},
    {"dimension: 2\nbodies: [{name: a, mass: 0}]\nforces: [{type: torque, body: a, torque: ~[0, 1]}]\n", "about z", NULL},
    {BODIES "forces: [~{type: torque, body: a}]\n", "needs 'torque'", NULL},
    {BODIES "forces: [{type: torque, bodies: ~a, torque: [0, 0, 1]}]\n", "bodies must be a list", NULL},
    {BODIES "forces: [{type: torque, bodies: [~b], torque: [0, 0, 1]}]\n", "no body 'b'", NULL},
    {BODIES "forces: [{type: torque, bodies: [a, ground, ~a], torque: [0, 0, 1]}]\n", "takes 2 bodies, found 3", NULL},
    {BODIES J1 "forces: [{type: friction, variable: j1.angle, bodies: [~a]}]\n", "takes no bodies, found 1", NULL},
    {BODIES "forces: [{type: torque, body: a, bodies: [~a], torque: [0, 0, 1]}]\n", "given twice", NULL},
    {BODIES "forces: [{type: spring, bodies: [ground, a], at: [0, 0, 0], to: [1, 0, 0], stiffness: ~-3}]\n", "must not be negative", NULL},
    {BODIES "joints: [{name: j, type: spherical, bodies: [ground, a], at: [0, 0, 0], angles: true}]\n"
            "forces: [{type: spherical_spring, joint: ~i}]\n",
     "no joint 'i'", "'j'"},
    /* expressions */
    {"bodies: [{name: a, mass: =2*~rho, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "unknown name 'rho'", NULL},
    {"parameters: {rho: 1}\nbodies: [{name: a, mass: =2*~rhoo, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "unknown name 'rhoo'", "'rho'"},
    {"bodies: [{name: a, mass: =2*~t, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "cannot be used here", "fixed"},
    {"bodies: [{name: a, mass: \"=2*~rho\", center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "unknown name 'rho'", NULL},
    {"bodies: [{name: a, mass: =2*(3~, center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "')'", NULL},
    {"bodies:\n  - name: a\n    mass: ~=2 *\n      rho\n", "unknown name 'rho'", NULL}, /* two lines: points at the whole expression */
    {"bodies: [{name: a, mass: =max(1, ~2), center: [0, 0, 0], inertia: [1, 1, 1]}]\n", "unknown key '2)'", "quotes"},
    {"points: {A: ~[0, =max(1, 2), 0]}\n" BODIES, "needs 3 components, found 4", "quotes"},
    {BODIES "forces: [{type: torque, body: a, torque: [0, 0, =~x]}]\n", "cannot be used here", NULL},
    {BODIES "forces: [{type: torque, body: a, torque: [0, 0, \"=table(~nowhere.txt)\"]}]\n", "cannot be opened", NULL},
    /* parameters */
    {"parameters: {a: =b, b: ~=a}\n" BODIES, "recursive parameter: a -> b -> a", NULL},
    {"parameters: {a: ~=a + 1}\n" BODIES, "recursive parameter: a -> a", NULL},
    {"parameters: {z: =c, a: =b, b: ~=c, c: =a}\n" BODIES, "recursive parameter: c -> a -> b -> c", NULL},
    {"parameters: ~[1]\n" BODIES, "parameters must be a map", NULL},
    {"parameters: {a: ~[1]}\n" BODIES, "parameter 'a' must be a number", NULL},
    /* repeats */
    {"bodies: [{repeat: {count: ~1000000, do: [{name: a$i, mass: 0}]}}]\n", "too large", NULL},
    {"bodies: [{repeat: {count: ~-1, do: [{name: a$i, mass: 0}]}}]\n", "must not be negative", NULL},
    {"bodies: [{repeat: {count: ~2.5, do: [{name: a$i, mass: 0}]}}]\n", "integer", NULL},
    {"bodies: [{repeat: ~{do: [{name: a$i, mass: 0}]}}]\n", "needs 'count'", NULL},
    {"bodies: [{repeat: ~{count: 3}}]\n", "needs 'do'", NULL},
    {"bodies: [{repeat: {count: 2, do: [{name: ~a, mass: 0}]}}]\n", "duplicate name", NULL},
    {"bodies: [{repeat: {count: 2, do: [{name: ~a$k, mass: 0}]}}]\n", "index of a repeat", "'$i'"},
    {"bodies: [{repeat: {count: 2, do: [{name: a$(~k), mass: 0}]}}]\n", "unknown name 'k'", NULL},
    {"bodies: [{repeat: {count: 2, do: [{name: ~a$(i, mass: 0}]}}]\n", "has no closing ')'", NULL},
    {"bodies: [{repeat: {count: 2, do: []}, ~name: a}]\n", "unknown key 'name'", NULL},
    {"bodies: [{repeat: {count: 2, index: ~pi, do: []}}]\n", "has a meaning", NULL},
    /* initial */
    {BODIES J1 "initial: {~j1.angel: 1}\n", "'j1.angel'", "'j1.angle'"},
    {BODIES J1 "initial: {j1.angle: ~much}\n", "must be a number", NULL},
    {BODIES J1 "initial: {j1.angle_rate: 1, ~j1.rate: 1}\n", "twice", NULL},
    {BODIES "initial: {a: ~3}\n", "must be a map", NULL},
    {"points: {A: [5, 5, 5]}\n" BODIES "initial: {~A: {velocity: [0, 0, 0]}}\n", "there is no joint at point 'A'", "probe"},
    {BODIES "probes: {p: {body: a}}\ninitial: {p: {orientation: ~[0, 0, 1]}}\n", "for bodies", NULL},
    {BODIES "initial: {a: {velocity: ~[0, 1]}}\n", "needs 3 components", NULL},
    /* YAML */
    {"bodies: [{name: a, mass: 0\n~", "not valid YAML", NULL},
    {"model: \"~abc", "not valid YAML", NULL},
    {"a: &x [1, ~*x]\n", "recursive alias", NULL},
    {"a: &x 1\nb: ~*y\n", "the alias '*y' refers to an anchor that does not exist", NULL},
    {"model: a\n~---\nmodel: b\n", "second YAML document", NULL},
    {"model: !!str ~a\n" BODIES, "tags", NULL},
    {"? ~[a, b]\n: c\n", "a key must be a word", NULL},
    {BODIES "model: a~\x01", "control character", NULL},
};

/* removes '~' and returns its position, in characters from 1 */
static char *unmark(const char *marked, size_t *bytes, int *line, int *column) {
    char *text = malloc(strlen(marked) + 1);
    size_t n = 0;
    int l = 1, c = 1;
    *line = *column = 0;
    for (; *marked; marked++) {
        if (*marked == '~') {
            *line = l;
            *column = c;
            continue;
        }
        text[n++] = *marked;
        c++;
        if (*marked == '\n') {
            l++;
            c = 1;
        }
    }
    text[n] = '\0';
    *bytes = n;
    return text;
}

static bl_status read_text(bl_context *ctx, const char *text, size_t bytes, bl_model **model) {
    return bl_model_read_text(ctx, "bad.yaml", text, bytes, NULL, 0, model);
}

static void bad_models__are_refused_with_position_reason_and_nearest_word(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *bad = &refusals[i];
        int line, column;
        size_t bytes;
        char *text = unmark(bad->text, &bytes, &line, &column);
        bl_context *ctx = test_context(NULL);
        bl_model *model = (bl_model *)&wrong;
        bl_status status = read_text(ctx, text, bytes, &model);
        const bl_error *e = bl_context_error(ctx);
        bl_status wanted = strstr(bad->what, "cannot be opened") ? BL_E_FILE : BL_E_MODEL;
        bool here = e->line == line && e->column == column;
        if (status != wanted || model || !strstr(e->what, bad->what) || (bad->advice && !strstr(e->advice, bad->advice)) || !here ||
            strcmp(e->file, "bad.yaml") != 0) {
            wrong++;
            print_error("%s\n    wanted %d:%d '%s' (%s)\n    found  %s:%d:%d [%d] '%s' (%s)\n", text, line, column, bad->what,
                        bad->advice ? bad->advice : "", e->file, e->line, e->column, status, e->what, e->advice);
        }
        if (status == BL_OK)
            bl_model_destroy(model);
        free(text);
        test_context_end(ctx);
    }
    assert_int_equal(wrong, 0);
}

/* ---- texts too large or too strange for a table */

static void expect(const char *text, size_t bytes, bl_status wanted, int line, int column, const char *what) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_status status = read_text(ctx, text, bytes, &model);
    const bl_error *e = bl_context_error(ctx);
    if (!strstr(e->what, what))
        print_error("wanted '%s', found '%s'\n", what, e->what);
    assert_int_equal(status, wanted);
    assert_null(model);
    assert_non_null(strstr(e->what, what));
    assert_int_equal(e->line, line);
    assert_int_equal(e->column, column);
    test_context_end(ctx);
}

static void bytes_that_are_no_text__are_refused_where_they_stand(void **state) {
    (void)state;
    expect("model: a\nb\0c: 1\n", 16, BL_E_MODEL, 2, 2, "zero byte");
    expect("\0\0\0\0", 4, BL_E_MODEL, 1, 1, "zero byte");
    expect("model: \xc3\xa9\xff\n", 11, BL_E_MODEL, 1, 9, "0xff is not valid UTF-8");
    expect("m: \xc3", 4, BL_E_MODEL, 1, 4, "UTF-8");         /* cut short */
    expect("m: \xc0\x80", 5, BL_E_MODEL, 1, 4, "UTF-8");     /* zero in two bytes */
    expect("m: \xed\xa0\x80", 6, BL_E_MODEL, 1, 4, "UTF-8"); /* half a surrogate */
    expect("\xff\xfem\0:\0", 6, BL_E_MODEL, 1, 1, "UTF-8");  /* UTF-16 */
    expect("model: \"a\\0b\"\n", 14, BL_E_MODEL, 1, 8, "zero character");
    expect("\x7f"
           "ELF\x02\x01\x01",
           7, BL_E_MODEL, 1, 5, "control character");
}

static char *repeated(const char *unit, int count, size_t *bytes) {
    size_t n = strlen(unit);
    char *text = malloc(n * (size_t)count + 1);
    for (int i = 0; i < count; i++)
        memcpy(text + n * (size_t)i, unit, n);
    text[n * (size_t)count] = '\0';
    *bytes = n * (size_t)count;
    return text;
}

static void deep_nesting__is_refused_at_the_level_that_is_too_deep(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        int column; /* of the 65th level */
    } deep[] = {{"[", 65}, {"- ", 129}, {"{a: ", 257}, {"[{a: ", 161}, {"? ", 129}};
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        size_t bytes;
        char *text = repeated(deep[i].unit, 200000, &bytes);
        expect(text, bytes, BL_E_MODEL, 1, deep[i].column, "nested deeper");
        free(text);
    }
    /* expressions have their own limit */
    size_t bytes;
    char *open = repeated("(", 4000, &bytes), *text = malloc(bytes + 32);
    int n = snprintf(text, bytes + 32, "parameters: {a: =%s}\n", open);
    expect(text, (size_t)n, BL_E_MODEL, 1, 218, "nested more than");
    free(open);
    free(text);
}

static void exploding_aliases__are_refused(void **state) {
    (void)state;
    char text[4096];
    int n = snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 20; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s*a%d", k ? ", " : "", i - 1);
        n += snprintf(text + n, sizeof text - (size_t)n, "]\n");
    }
    /* a5 is 1111111 values, all before a6 1.23 million: the first alias of a6 passes the limit of 2 million */
    expect(text, (size_t)n, BL_E_MODEL, 7, 10, "aliases expand the model");
    /* aliases nest repeats deeper than the text shows */
    n = snprintf(text, sizeof text, "points:\n- &a0 {repeat: {count: 1, do: [{name: A, at: [0, 0, 0]}]}}\n");
    for (int i = 1; i < 40; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "- &a%d {repeat: {count: 1, do: [*a%d]}}\n", i, i - 1);
    expect(text, (size_t)n, BL_E_MODEL, 2, 16, "repeats are nested more than");
}

static void repeats__are_bounded_all_together(void **state) {
    (void)state;
    static const char *const texts[] = {
        "bodies: [{repeat: {count: 1000, index: i, do: [{repeat: {count: 1000, index: k, do: [{name: a$i_$k, mass: 0}]}}]}}]\n",
        "bodies: [{repeat: {count: 200000, do: [{repeat: {count: 200000, index: k, do: []}}]}}]\n", /* makes nothing, takes long */
        "bodies: [{repeat: {count: 1000, do: [{name: a$i, points: [{repeat: {count: 1000, index: k, do: [{mass: 1, at: [0, 0, 0]}]}}]}]}}]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        assert_int_equal(read_text(ctx, texts[i], strlen(texts[i]), &model), BL_E_MODEL);
        assert_non_null(strstr(bl_context_error(ctx)->what, "more than 200000 entries"));
        assert_int_equal(bl_context_error(ctx)->line, 1);
        test_context_end(ctx);
    }
}

/* Texts that cost memory out of proportion are refused before they do; columns by the limits. */
/* a host that reads the models of strangers grants them less */
static void limits__are_granted_by_share(void **state) {
    (void)state;
    static const struct {
        const char *text, *what;
    } grown[] = {
        {"equations:\n  states: [{name: x, count: 600, index: i, start: 0, rate: \"=sum(j, 1, 600, x[j] - x[i])\"}]\n", "terms"},
        {"equations:\n  states: [{name: x, count: 30000, index: i, start: 0, rate: =0}]\n", "elements"},
        {"matrices: {size: 30000}\n", "integer"},
        {"bodies:\n  - repeat: {count: 10000, index: i, do: [{name: a$i, mass: 1, center: [=i, 0, 0], inertia: [1, 1, 1]}]}\n", "entries"},
    };
    for (size_t k = 0; k < sizeof grown / sizeof *grown; k++)
        for (int less = 0; less < 2; less++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            bl_status status = bl_model_open_text(ctx, "model", grown[k].text, strlen(grown[k].text),
                                                  &(bl_read_options){.share = less ? 0.02 : 0}, &model);
            if (status != (less ? BL_E_MODEL : BL_OK) || (less && !strstr(bl_context_error(ctx)->what, grown[k].what)))
                fail_msg("%s: %s", grown[k].what, bl_context_error(ctx)->what);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

static void many_marks__are_refused_before_they_are_parsed(void **state) {
    (void)state;
    size_t bytes;
    char *text = repeated(",", 1000001, &bytes);
    expect(text, bytes, BL_E_MODEL, 1, 1000001, "the line is too long");
    free(text);
    text = repeated("[,\n", 2000001, &bytes);
    expect(text, bytes, BL_E_MODEL, 2000001, 1, "the file is too large");
    free(text);
    text = repeated("a:\n", 1000001, &bytes);
    expect(text, bytes, BL_E_MODEL, 1000000, 1, "more than 2000000 values");
    free(text);
    char *sum = repeated("1+", 4096, &bytes);
    text = malloc(bytes + 64);
    int n = snprintf(text, bytes + 64, "parameters: {a: =%s1}\n", sum);
    expect(text, (size_t)n, BL_E_MODEL, 1, 18, "longer than 4096 characters");
    free(sum);
    free(text);
}

/* one long text in a repeat must not become gigabytes */
static void long_texts_in_repeats__are_bounded(void **state) {
    (void)state;
    static const struct {
        const char *unit, *form, *what;
    } cases[] = {
        {"  ", "bodies: [{name: a, mass: 0}]\nforces: [{repeat: {count: 200000, do: [{type: torque, body: a, torque: [0, 0, =t%s+1]}]}}]\n",
         "together the expressions of the model are longer"},
        {"xx", "bodies: [{repeat: {count: 200000, do: [{name: \"%s$i\", mass: 0}]}}]\n", "characters of text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes;
        char *part = repeated(cases[i].unit, 2000, &bytes), *text = malloc(bytes + 200);
        int n = snprintf(text, bytes + 200, cases[i].form, part);
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        assert_int_equal(read_text(ctx, text, (size_t)n, &model), BL_E_MODEL);
        assert_non_null(strstr(bl_context_error(ctx)->what, cases[i].what));
        assert_true(bl_context_error(ctx)->line > 0);
        test_context_end(ctx);
        free(part);
        free(text);
    }
}

/* ---- files */

static const char *scratch_file(const char *name, const char *text) {
    static char path[256];
    snprintf(path, sizeof path, "refusals_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void expect_file(const char *path, bl_status wanted, const char *file, int line, int column, const char *what) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_status status = bl_model_read(ctx, path, NULL, 0, &model);
    const bl_error *e = bl_context_error(ctx);
    assert_int_equal(status, wanted);
    assert_null(model);
    if (!strstr(e->what, what))
        print_error("wanted '%s', found '%s'\n", what, e->what);
    assert_non_null(strstr(e->what, what));
    assert_string_equal(e->file, file);
    assert_int_equal(e->line, line);
    assert_int_equal(e->column, column);
    test_context_end(ctx);
}

static void files_that_cannot_be_read__are_refused(void **state) {
    (void)state;
    expect_file("no_such_file.yaml", BL_E_FILE, "no_such_file.yaml", 0, 0, "No such file");
    expect_file("", BL_E_FILE, "", 0, 0, "No such file");
    expect_file(".", BL_E_FILE, ".", 0, 0, "is a directory");
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_file("empty.yaml", ""));
    expect_file(path, BL_E_MODEL, path, 1, 1, "empty");
    /* 100 MB with nothing in it: a hole, refused by its size */
    assert_int_equal(truncate(path, 100 * 1024 * 1024), 0);
    expect_file(path, BL_E_MODEL, path, 0, 0, "larger than 64 MB");
    remove(path);
    /* endless: bounded while reading */
    expect_file("/dev/zero", BL_E_MODEL, "/dev/zero", 0, 0, "larger than 64 MB");
    expect_file("/dev/null", BL_E_MODEL, "/dev/null", 1, 1, "empty");
}

static void includes__that_cannot_be_read_point_at_the_include(void **state) {
    (void)state;
    char path[256], text[512];
    snprintf(path, sizeof path, "%s", scratch_file("missing.yaml", "model: x\ninclude: [ nowhere.yaml ]\n"));
    expect_file(path, BL_E_FILE, path, 2, 12, "nowhere.yaml cannot be opened");
    remove(path);
    snprintf(path, sizeof path, "refusals_%ld_self.yaml", (long)getpid());
    snprintf(text, sizeof text, "include: %s\n", path);
    scratch_file("self.yaml", text);
    expect_file(path, BL_E_MODEL, path, 1, 10, "include cycle");
    remove(path);
    /* a -> b -> a */
    char a[256], b[256];
    snprintf(a, sizeof a, "refusals_%ld_a.yaml", (long)getpid());
    snprintf(b, sizeof b, "refusals_%ld_b.yaml", (long)getpid());
    snprintf(text, sizeof text, "model: b\n\ninclude: %s\n", a);
    scratch_file("b.yaml", text);
    snprintf(text, sizeof text, "include: %s\n", b);
    scratch_file("a.yaml", text);
    expect_file(a, BL_E_MODEL, b, 3, 10, "include cycle");
    /* an error inside an included file has its position there */
    scratch_file("b.yaml", "parameters:\n  a: 1\n  b: =a + c\n");
    expect_file(a, BL_E_MODEL, b, 3, 11, "unknown name 'c'");
    remove(a);
    remove(b);
}

static void overrides__need_a_parameter_and_a_finite_value(void **state) {
    (void)state;
    const char *text = "parameters: {length: 1}\nbodies: [{name: a, mass: 0}]\n";
    const bl_override bad[] = {{"lenght", 2}, {"length", 1.0 / 0.0}, {NULL, 1}};
    const char *what[] = {"no parameter 'lenght'", "finite", "no parameter ''"};
    for (int i = 0; i < 3; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        assert_int_equal(bl_model_read_text(ctx, "m", text, strlen(text), &bad[i], 1, &model), BL_E_ARG);
        assert_non_null(strstr(bl_context_error(ctx)->what, what[i]));
        if (i == 0)
            assert_string_equal(bl_context_error(ctx)->advice, "did you mean 'length'?");
        test_context_end(ctx);
    }
}

static void reading__prints_nothing(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a: [1, 2", "a: \"", "\t- a: {", "%YAML 9.9\n---\na: 1", "a: b: c", "&a *a", "- a\nb: c", "key: [a]]", "%TAG ! x\n",
        "a: 'b",    "? : ?", "!<",       "--- |9\n a\n",         "a: @b",   "a: `",  "{",         "}",         "*",
        "&"};
    char path[64];
    snprintf(path, sizeof path, "refusals_%ld_output", (long)getpid());
    fflush(stdout);
    fflush(stderr);
    int out = dup(1), err = dup(2), file = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    assert_true(out >= 0 && err >= 0 && file >= 0);
    dup2(file, 1);
    dup2(file, 2);
    int silent_failures = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        if (read_text(ctx, texts[i], strlen(texts[i]), &model) != BL_E_MODEL || !bl_context_error(ctx)->what[0] ||
            bl_context_error(ctx)->line < 1)
            silent_failures++;
        test_context_end(ctx);
    }
    fflush(stdout);
    fflush(stderr);
    off_t written = lseek(file, 0, SEEK_END);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    close(file);
    remove(path);
    assert_int_equal(written, 0);
    assert_int_equal(silent_failures, 0);
}

static void calls_without_pointers__are_refused(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    assert_int_equal(bl_model_read(ctx, NULL, NULL, 0, &model), BL_E_ARG);
    assert_int_equal(bl_model_read(ctx, "x", NULL, 1, &model), BL_E_ARG);
    assert_int_equal(bl_model_read(ctx, "x", NULL, 0, NULL), BL_E_ARG);
    assert_int_equal(bl_model_read(NULL, "x", NULL, 0, &model), BL_E_ARG);
    assert_int_equal(bl_model_read_text(ctx, NULL, NULL, 5, NULL, 0, &model), BL_E_ARG);
    assert_int_equal(bl_model_read_text(ctx, NULL, NULL, 0, NULL, 0, &model), BL_E_MODEL); /* empty */
    bl_model_destroy(NULL);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_models__are_refused_with_position_reason_and_nearest_word),
        cmocka_unit_test(bytes_that_are_no_text__are_refused_where_they_stand),
        cmocka_unit_test(deep_nesting__is_refused_at_the_level_that_is_too_deep),
        cmocka_unit_test(exploding_aliases__are_refused),
        cmocka_unit_test(repeats__are_bounded_all_together),
        cmocka_unit_test(limits__are_granted_by_share),
        cmocka_unit_test(many_marks__are_refused_before_they_are_parsed),
        cmocka_unit_test(long_texts_in_repeats__are_bounded),
        cmocka_unit_test(files_that_cannot_be_read__are_refused),
        cmocka_unit_test(includes__that_cannot_be_read_point_at_the_include),
        cmocka_unit_test(overrides__need_a_parameter_and_a_finite_value),
        cmocka_unit_test(reading__prints_nothing),
        cmocka_unit_test(calls_without_pointers__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
