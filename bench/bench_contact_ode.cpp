// The workloads of contact_peers.hpp with the Open Dynamics Engine: contacts are made where points are below the surface, with Newton's
// law (`bounce`); dWorldStep solves the complementarity problem by pivoting, dWorldQuickStep by sweeps. `piles` runs spheres and wall.
#include "contact_peers.hpp"

#include <ode/ode.h>

namespace {

using namespace contact;

struct Setting {
    double erp; // of contacts
    int sweeps; // 0: dWorldStep
    bool ahead; // contacts are made already where the next step would pass the surface
};

class Ode : public Machine {
  public:
    Ode(const Layout &l, const Setting &s) : layout(l), setting(s), world(dWorldCreate()), group(dJointGroupCreate(0)) {
        dWorldSetGravity(world, 0, -l.gravity, 0);
        dWorldSetERP(world, 0.8);
        dWorldSetCFM(world, 1e-12);
        dWorldSetAutoDisableFlag(world, 0);
        if (s.sweeps)
            dWorldSetQuickStepNumIterations(world, s.sweeps);
        std::vector<vec> v(l.body.size());
        std::vector<double> w(l.body.size());
        for (size_t i = 0; i < l.body.size(); i++) {
            const Body &b = l.body[i];
            dBodyID id = dBodyCreate(world);
            dMass mass;
            dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia, b.inertia, b.inertia, 0, 0, 0);
            dBodySetMass(id, &mass);
            dBodySetPosition(id, b.center.x, b.center.y, b.center.z);
            dBodySetFiniteRotationMode(id, 1);
            auto turn = [](double rate, vec arm) { return vec{-rate * arm.y, rate * arm.x, 0}; };
            vec at;
            if (b.parent >= 0) {
                size_t p = (size_t)b.parent;
                w[i] = w[p], at = v[p] + turn(w[p], b.hinge - l.body[p].center);
            }
            w[i] += b.rate;
            v[i] = b.slides ? vec{0, b.speed, 0} : at + turn(w[i], b.center - b.hinge);
            dBodySetLinearVel(id, v[i].x, v[i].y, 0);
            dBodySetAngularVel(id, 0, 0, w[i]);
            if (b.slides) {
                dJointID j = dJointCreatePR(world, nullptr);
                dBodyID rail = dBodyCreate(world); // with ground itself the joint lets its body move sideways
                dBodySetKinematic(rail);
                dJointAttach(j, rail, id);
                dJointSetPRAxis1(j, 0, 1, 0);
                dJointSetPRAxis2(j, 0, 0, 1);
                dJointSetPRAnchor(j, b.center.x, b.center.y, b.center.z);
            } else {
                dJointID j = dJointCreateHinge(world, nullptr);
                dJointAttach(j, id, b.parent < 0 ? nullptr : body[(size_t)b.parent]);
                dJointSetHingeAnchor(j, b.hinge.x, b.hinge.y, b.hinge.z);
                dJointSetHingeAxis(j, 0, 0, 1);
            }
            body.push_back(id);
        }
    }
    ~Ode() override {
        dJointGroupDestroy(group);
        dWorldDestroy(world);
    }
    void step(double h) override {
        dJointGroupEmpty(group);
        for (const Tip &t : layout.tip) {
            Place p = place(t.body);
            vec at = tip_now(layout, t, p);
            double gap = peers::dot(t.normal, at) - t.offset;
            if (setting.ahead) {
                vec arm = at - p.center;
                const dReal *v = dBodyGetLinearVel(body[(size_t)t.body]);
                double approach = t.normal.x * (v[0] - p.spin * arm.y) + t.normal.y * (v[1] + p.spin * arm.x);
                if (gap + h * approach > 0)
                    continue;
            } else if (gap > 0)
                continue;
            dContact c{};
            c.surface.mode = dContactBounce | dContactSoftERP | dContactFDir1 | dContactApprox1;
            c.surface.mu = t.friction;
            c.surface.bounce = t.restitution;
            c.surface.soft_erp = setting.erp;
            c.geom.pos[0] = at.x, c.geom.pos[1] = at.y;
            c.geom.normal[0] = t.normal.x, c.geom.normal[1] = t.normal.y;
            c.geom.depth = std::max(0.0, -gap);
            c.fdir1[0] = t.normal.y, c.fdir1[1] = -t.normal.x;
            dJointAttach(dJointCreateContact(world, group, &c), body[(size_t)t.body], nullptr);
        }
        if (layout.spring > 0) {
            double moment = spring_moment(layout, *this);
            dBodyAddTorque(body[1], 0, 0, moment);
            dBodyAddTorque(body[0], 0, 0, -moment);
        }
        if (setting.sweeps)
            dWorldQuickStep(world, h);
        else
            dWorldStep(world, h);
    }
    Place place(int i) override {
        const dReal *x = dBodyGetPosition(body[(size_t)i]), *R = dBodyGetRotation(body[(size_t)i]);
        return {{x[0], x[1], x[2]}, std::atan2(R[4], R[0]), dBodyGetAngularVel(body[(size_t)i])[2]};
    }

  private:
    const Layout &layout;
    Setting setting;
    dWorldID world;
    dJointGroupID group;
    std::vector<dBodyID> body;
};

class OdePile : public PileMachine {
  public:
    OdePile(const Pile &p, int sweeps_, double erp_, bool sleep = false)
        : pile(p), sweeps(sweeps_), erp(erp_), world(dWorldCreate()), space(dHashSpaceCreate(nullptr)), group(dJointGroupCreate(0)) {
        dWorldSetGravity(world, 0, -9.81, 0);
        dWorldSetAutoDisableFlag(world, sleep);
        dWorldSetQuickStepNumIterations(world, sweeps);
        dRandSetSeed(0);
        dCreatePlane(space, 0, 1, 0, 0);
        if (p.spheres)
            for (double s : {-1.0, 1.0}) {
                dCreatePlane(space, s, 0, 0, -p.side);
                dCreatePlane(space, 0, 0, s, -p.side);
            }
        for (const Item &i : p.item) {
            dBodyID id = dBodyCreate(world);
            dMass mass;
            dGeomID g;
            if (p.spheres) {
                dMassSetSphereTotal(&mass, i.mass, i.half.x);
                g = dCreateSphere(space, i.half.x);
            } else {
                dMassSetBoxTotal(&mass, i.mass, 2 * i.half.x, 2 * i.half.y, 2 * i.half.z);
                g = dCreateBox(space, 2 * i.half.x, 2 * i.half.y, 2 * i.half.z);
            }
            dBodySetMass(id, &mass);
            dGeomSetBody(g, id);
            dBodySetPosition(id, i.center.x, i.center.y, i.center.z);
            body.push_back(id);
        }
        on_ground.reserve(100000);
    }
    ~OdePile() override {
        dJointGroupDestroy(group);
        dSpaceDestroy(space);
        dWorldDestroy(world);
    }
    void step(double h) override {
        dJointGroupEmpty(group);
        on_ground.clear();
        dSpaceCollide(space, this, [](void *self, dGeomID a, dGeomID b) { ((OdePile *)self)->near(a, b); });
        dWorldQuickStep(world, h);
        length = h;
    }
    double support() override {
        double sum = 0;
        for (const Feedback &f : on_ground)
            sum += (f.first ? f.force.f1[1] : f.force.f2[1]) * length;
        return sum;
    }
    double deepest() override {
        double most = 0;
        dSpaceCollide(space, &most, [](void *m, dGeomID a, dGeomID b) {
            dContactGeom c[8];
            for (int k = dCollide(a, b, 8, c, sizeof c[0]) - 1; k >= 0; k--)
                *(double *)m = std::max(*(double *)m, c[k].depth);
        });
        return most;
    }
    double kinetic() override {
        double sum = 0;
        for (dBodyID b : body) {
            dMass m;
            dBodyGetMass(b, &m);
            const dReal *v = dBodyGetLinearVel(b);
            dVector3 w;
            const dReal *world_w = dBodyGetAngularVel(b);
            dBodyVectorFromWorld(b, world_w[0], world_w[1], world_w[2], w);
            sum += 0.5 * m.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            sum += 0.5 * (m.I[0] * w[0] * w[0] + m.I[5] * w[1] * w[1] + m.I[10] * w[2] * w[2]);
        }
        return sum;
    }
    vec center(int i) override { return get(dBodyGetPosition(body[(size_t)i])); }
    vec velocity(int i) override { return get(dBodyGetLinearVel(body[(size_t)i])); }

  private:
    struct Feedback {
        dJointFeedback force;
        bool first; // the item is the first body of the joint
    };
    static vec get(const dReal *v) { return {v[0], v[1], v[2]}; }
    void near(dGeomID a, dGeomID b) {
        dBodyID A = dGeomGetBody(a), B = dGeomGetBody(b);
        if (!A && !B)
            return;
        dContact c[8];
        int n = dCollide(a, b, 8, &c[0].geom, sizeof c[0]);
        for (int k = 0; k < n; k++) {
            c[k].surface.mode = dContactApprox1 | dContactSoftERP;
            c[k].surface.mu = pile.friction;
            c[k].surface.soft_erp = erp;
            dJointID j = dJointCreateContact(world, group, &c[k]);
            dJointAttach(j, A, B);
            if ((!A || !B) && on_ground.size() < on_ground.capacity()) {
                on_ground.push_back({{}, A != nullptr});
                dJointSetFeedback(j, &on_ground.back().force);
            }
        }
    }
    const Pile &pile;
    int sweeps;
    double erp, length = 0;
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    std::vector<dBodyID> body;
    std::vector<Feedback> on_ground;
};

Variant variant(const std::string &name, const Setting &s, const std::string &only, double scale = 1) {
    return {name, [s](const Layout &l) { return std::unique_ptr<Machine>(new Ode(l, s)); }, only, scale};
}

void piles(const std::string &only) {
    for (const Pile &p : {spheres(), wall()})
        for (auto [h, sweeps] : {std::pair{1.0 / 240, 20}, std::pair{1.0 / 240, 50}, std::pair{1.0 / 1000, 20}}) {
            if (!only.empty() && only != p.name)
                continue;
            OdePile m(p, sweeps, 0.2);
            pile(p, "ode", "dWorldQuickStep " + std::to_string(sweeps) + " erp=0.2", m, h);
        }
}

} // namespace

int main(int argc, char **argv) {
    dInitODE2(0);
    dSetMessageHandler([](int, const char *, va_list) {});
    const std::vector<Variant> variants = {
        variant("dWorldStep erp=0", {0, 0, false}, ""),
        variant("dWorldStep erp=0.2", {0.2, 0, false}, ""),
        variant("dWorldStep erp=0.2 ahead", {0.2, 0, true}, ""),
        variant("dWorldQuickStep 50 erp=0.2", {0.2, 50, false}, ""),
        variant("dWorldQuickStep 200 erp=0.2", {0.2, 200, false}, "woodpecker"),
        variant("dWorldQuickStep 1000 erp=0.2", {0.2, 1000, false}, "woodpecker"),
    };
    const std::vector<Found> found = {
        {"woodpecker", "dWorldQuickStep 200 erp=0.2", 0.01, 6400},
        {"woodpecker", "dWorldQuickStep 200 erp=0.2", 0, 12800},
        {"slider_crank", "dWorldStep erp=0.2", 0.01, 179},
        {"slider_crank", "dWorldStep erp=0", 0.001, 716},
        {"slider_crank", "dWorldStep erp=0", 0.0001, 5728},
        {"slider_crank", "dWorldStep erp=0.2", 0, 57280},
        {"slider_crank_mu", "dWorldStep erp=0.2", 0.01, 179},
        {"slider_crank_mu", "dWorldStep erp=0.2", 0.001, 716},
        {"slider_crank_mu", "dWorldStep erp=0.2 ahead", 0.0001, 5728},
        {"slider_crank_mu", "dWorldStep erp=0", 0, 11456},
        {"chain_1.35", "dWorldStep erp=0.2 ahead", 0.01, 1728},
        {"chain_1.35", "dWorldStep erp=0.2", 0.001, 27648},
        {"chain_1.35", "dWorldStep erp=0.2", 0, 110592},
        {"chain", "dWorldStep erp=0", 0.01, 5120},
        {"chain", "dWorldStep erp=0", 0.001, 40960},
        {"chain", "dWorldStep erp=0.2 ahead", 0.0001, 327680},
        {"chain", "dWorldStep erp=0.2", 0, 327680},
    };
    if (argc > 1 && std::strcmp(argv[1], "piles") == 0)
        return piles(argc > 2 ? argv[2] : ""), 0;
    return main_of(argc, argv, "ode", variants, found);
}
