// The workloads of bench.c with the Open Dynamics Engine: six coordinates per body, hinges, a semi-implicit Euler step of order 1.
// dWorldStep solves the equations of all joints together, dWorldQuickStep by sweeps over them. `bench_ode scan` searches for settings.
#include "peers.hpp"

#include <ode/ode.h>

namespace {

using namespace peers;

struct Setting {
    double erp, cfm;
    int sweeps;       // 0: dWorldStep
    bool ball_joints; // planar loops: couplers have ball joints, which leaves fewer redundant equations
};

class Ode : public Mechanism {
  public:
    Ode(const Layout &l, const Setting &s) : layout(l), sweeps(s.sweeps), world(dWorldCreate()) {
        dWorldSetGravity(world, l.gravity.x, l.gravity.y, l.gravity.z);
        dWorldSetERP(world, s.erp);
        dWorldSetCFM(world, s.cfm);
        dWorldSetAutoDisableFlag(world, 0);
        dRandSetSeed(0); // the sweeps use a random order
        if (sweeps)
            dWorldSetQuickStepNumIterations(world, sweeps);
        for (const Body &b : l.body) {
            dBodyID id = dBodyCreate(world);
            dMass mass;
            dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia.x, b.inertia.y, b.inertia.z, 0, 0, 0);
            dBodySetMass(id, &mass);
            dBodySetPosition(id, b.center.x, b.center.y, b.center.z);
            dBodySetLinearVel(id, b.velocity.x, b.velocity.y, b.velocity.z);
            dBodySetAngularVel(id, b.spin.x, b.spin.y, b.spin.z);
            dBodySetFiniteRotationMode(id, 1); // rotates exactly by the angle of a step, not only to first order
            body.push_back(id);
        }
        for (const Joint &j : l.joint) {
            dBodyID a = j.a < 0 ? nullptr : body[(size_t)j.a], b = body[(size_t)j.b];
            if (l.planar && j.a >= 0 && s.ball_joints) {
                dJointID ball = dJointCreateBall(world, nullptr);
                dJointAttach(ball, a, b);
                dJointSetBallAnchor(ball, j.at.x, j.at.y, j.at.z);
            } else {
                dJointID hinge = dJointCreateHinge(world, nullptr);
                dJointAttach(hinge, a, b);
                dJointSetHingeAnchor(hinge, j.at.x, j.at.y, j.at.z);
                dJointSetHingeAxis(hinge, j.axis.x, j.axis.y, j.axis.z);
            }
        }
    }
    ~Ode() override { dWorldDestroy(world); }
    void step(double h) override {
        if (layout.spring_body >= 0) {
            vec at, force = spring_force(layout, pose(layout.spring_body), &at);
            dBodyAddForceAtPos(body[(size_t)layout.spring_body], force.x, force.y, force.z, at.x, at.y, at.z);
            dBodyAddTorque(body[0], 0, 0, layout.torque);
        }
        if (sweeps)
            dWorldQuickStep(world, h);
        else
            dWorldStep(world, h);
    }
    Pose pose(int i) override {
        auto get = [](const dReal *v) { return vec{v[0], v[1], v[2]}; };
        dBodyID b = body[(size_t)i];
        Pose p{get(dBodyGetPosition(b)), get(dBodyGetLinearVel(b)), get(dBodyGetAngularVel(b)), {}};
        const dReal *R = dBodyGetRotation(b);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                p.R[r][c] = R[4 * r + c];
        return p;
    }

  private:
    const Layout &layout;
    int sweeps;
    dWorldID world;
    std::vector<dBodyID> body;
};

Variant variant(const std::string &name, const Setting &s, const std::string &only = "") {
    return {name, [s](const Layout &l) { return std::unique_ptr<Mechanism>(new Ode(l, s)); }, only};
}

} // namespace

int main(int argc, char **argv) {
    dInitODE2(0);
    dSetMessageHandler([](int, const char *, va_list) {}); // ignores messages about matrices without full rank
    // cfm: default of the package; regularization needed by redundant equations
    const std::vector<Variant> variants = {
        variant("dWorldStep erp=0.2", {0.2, 1e-10, 0, false}, "W1 W3 W5"),
        variant("dWorldStep erp=0.8", {0.8, 1e-10, 0, false}, "W1 W3 W5"),
        variant("dWorldStep ball erp=0.8", {0.8, 1e-10, 0, true}, "W2 W5"),
        variant("dWorldQuickStep 20 erp=0.2", {0.2, 1e-10, 20, false}, "W3"),
        variant("dWorldQuickStep 5 ball erp=0.8", {0.8, 1e-10, 5, true}, "W2"),
        variant("dWorldQuickStep 20 ball erp=0.8", {0.8, 1e-10, 20, true}, "W2"),
        variant("dWorldQuickStep 100 ball erp=0.8", {0.8, 1e-10, 100, true}, "W2"),
    };
    const std::vector<Found> found = {
        {"W1", "dWorldStep erp=0.2", 1e-3, 68880},
        {"W2-10", "dWorldQuickStep 20 ball erp=0.8", 0.1, 48710},
        {"W2-40", "dWorldQuickStep 20 ball erp=0.8", 0.1, 40960},
        {"W2-160", "dWorldQuickStep 20 ball erp=0.8", 0.1, 10240},
        {"W3-5", "dWorldStep erp=0.2", 1e-2, 327680},
        {"W3-5", "dWorldStep erp=0.2", 1e-4, 1310720},
        {"W3-50", "dWorldQuickStep 20 erp=0.2", 1e-2, 40960},
        {"W3-50", "dWorldQuickStep 20 erp=0.2", 1e-4, 40960},
        {"W5", "dWorldStep ball erp=0.8", 1e-2, 2560},
        {"W5", "dWorldStep ball erp=0.8", 1e-4, 327680},
    };
    return main_of(argc, argv, "ode", variants, found);
}
