// The workloads of bench.c with Bullet, in double precision (package bullet-float64 of Debian): rigid bodies with hinges (constraints
// solved by sweeps, or together by Dantzig's method), or its multibody (joint angles; loops closed by point-to-point constraints, two on
// the axis of spatial hinges). Semi-implicit Euler of order 1; trees also by the multibody's Runge-Kutta of order 4. `bench_bullet scan`
// searches for settings.
#include "peers.hpp"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

namespace {

using namespace peers;

static_assert(sizeof(btScalar) == sizeof(double), "bullet-float64 is needed");

btVector3 bullet(vec v) { return {v.x, v.y, v.z}; }
vec plain(const btVector3 &v) { return {v.x(), v.y(), v.z()}; }

struct Setting {
    bool multibody;
    int sweeps; // 0: Dantzig
    double erp;
    bool rk4;
};

// objects that every Bullet world needs, destroyed after the world
struct Environment {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDantzigSolver dantzig;
};

void configure(btDiscreteDynamicsWorld &world, const Layout &l, const Setting &s) {
    world.setGravity(bullet(l.gravity));
    btContactSolverInfo &info = world.getSolverInfo();
    info.m_erp = info.m_erp2 = s.erp;
    info.m_numIterations = s.sweeps;
    info.m_leastSquaresResidualThreshold = 0;
    if (!s.sweeps)
        info.m_globalCfm = 1e-10; // redundant rows
}

Pose pose_of(const btTransform &T, const btVector3 &velocity, const btVector3 &spin) {
    Pose p{plain(T.getOrigin()), plain(velocity), plain(spin), {}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            p.R[r][c] = T.getBasis()[r][c];
    return p;
}

class Hinged : public Mechanism {
  public:
    Hinged(const Layout &l, const Setting &s) : layout(l) {
        if (s.sweeps)
            solver.reset(new btSequentialImpulseConstraintSolver);
        else
            solver.reset(new btMLCPSolver(&environment.dantzig));
        world.reset(
            new btDiscreteDynamicsWorld(&environment.dispatcher, &environment.broadphase, solver.get(), &environment.configuration));
        configure(*world, l, s);
        for (const Body &b : l.body) {
            btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, &shape, bullet(b.inertia));
            info.m_startWorldTransform.setIdentity();
            info.m_startWorldTransform.setOrigin(bullet(b.center));
            info.m_linearDamping = info.m_angularDamping = 0;
            body.emplace_back(new btRigidBody(info));
            body.back()->setActivationState(DISABLE_DEACTIVATION);
            body.back()->setLinearVelocity(bullet(b.velocity));
            body.back()->setAngularVelocity(bullet(b.spin));
            world->addRigidBody(body.back().get(), 0, 0);
        }
        for (const Joint &j : l.joint) {
            btRigidBody &b = *body[(size_t)j.b];
            btVector3 in_b = bullet(j.at - l.body[(size_t)j.b].center), axis = bullet(j.axis);
            if (j.a < 0)
                hinge.emplace_back(new btHingeConstraint(b, in_b, axis));
            else
                hinge.emplace_back(
                    new btHingeConstraint(*body[(size_t)j.a], b, bullet(j.at - l.body[(size_t)j.a].center), in_b, axis, axis));
            world->addConstraint(hinge.back().get(), true);
        }
    }
    ~Hinged() override {
        for (auto &h : hinge)
            world->removeConstraint(h.get());
        for (auto &b : body)
            world->removeRigidBody(b.get());
    }
    void step(double h) override {
        if (layout.spring_body >= 0) {
            btRigidBody &b = *body[(size_t)layout.spring_body];
            vec at, force = spring_force(layout, pose(layout.spring_body), &at);
            b.applyForce(bullet(force), bullet(at) - b.getCenterOfMassPosition());
            body[0]->applyTorque({0, 0, layout.torque});
        }
        world->stepSimulation(h, 0);
    }
    Pose pose(int i) override {
        btRigidBody &b = *body[(size_t)i];
        return pose_of(b.getCenterOfMassTransform(), b.getLinearVelocity(), b.getAngularVelocity());
    }

  private:
    const Layout &layout;
    Environment environment;
    btSphereShape shape{1e-3};
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<std::unique_ptr<btRigidBody>> body;
    std::vector<std::unique_ptr<btHingeConstraint>> hinge;
};

class Featherstone : public Mechanism {
  public:
    Featherstone(const Layout &l, const Setting &s) : layout(l), tree((int)l.body.size(), 0, {0, 0, 0}, true, false) {
        if (s.sweeps)
            solver.reset(new btMultiBodyConstraintSolver);
        else
            solver.reset(new btMultiBodyMLCPConstraintSolver(&environment.dantzig));
        world.reset(
            new btMultiBodyDynamicsWorld(&environment.dispatcher, &environment.broadphase, solver.get(), &environment.configuration));
        configure(*world, l, s);
        tree.setBasePos({0, 0, 0});
        tree.setHasSelfCollision(false);
        tree.setLinearDamping(0);
        tree.setAngularDamping(0);
        tree.setMaxCoordinateVelocity(1e30);
        tree.setMaxAppliedImpulse(1e30);
        tree.setUseGyroTerm(true);
        tree.useRK4Integration(s.rk4);
        for (size_t i = 0; i < l.body.size(); i++) {
            const Body &b = l.body[i];
            const Joint &j = l.joint[(size_t)b.parent_joint];
            vec in_parent = j.a < 0 ? j.at : j.at - l.body[(size_t)j.a].center;
            tree.setupRevolute((int)i, b.mass, bullet(b.inertia), j.a, btQuaternion::getIdentity(), bullet(j.axis), bullet(in_parent),
                               bullet(b.center - j.at), true);
        }
        tree.finalizeMultiDof();
        for (size_t i = 0; i < l.body.size(); i++)
            tree.setJointVel((int)i, l.joint[(size_t)l.body[i].parent_joint].rate);
        tree.updateCollisionObjectWorldTransforms(turns, origins);
        world->addMultiBody(&tree);
        const bool loops = std::any_of(l.joint.begin(), l.joint.end(), [](const Joint &j) { return j.closes; });
        for (int i = 0; loops && i < (int)l.body.size(); i++) { // constraints refer to the colliders of their links
            collider.emplace_back(new btMultiBodyLinkCollider(&tree, i));
            collider.back()->setCollisionShape(&shape);
            collider.back()->setActivationState(DISABLE_DEACTIVATION);
            tree.getLink(i).m_collider = collider.back().get();
            world->addCollisionObject(collider.back().get(), 0, 0);
        }
        for (const Joint &j : l.joint)
            if (j.closes)
                for (int k = 0; k < (l.planar ? 1 : 2); k++) {
                    vec at = j.at + k * j.axis, in_a = j.a < 0 ? at : at - l.body[(size_t)j.a].center;
                    closing.emplace_back(
                        new btMultiBodyPoint2Point(&tree, j.a, &tree, j.b, bullet(in_a), bullet(at - l.body[(size_t)j.b].center)));
                    closing.back()->finalizeMultiDof();
                    closing.back()->setMaxAppliedImpulse(1e30);
                    world->addMultiBodyConstraint(closing.back().get());
                }
        velocity.resize(l.body.size() + 1);
        spin.resize(l.body.size() + 1);
    }
    ~Featherstone() override {
        for (auto &c : closing)
            world->removeMultiBodyConstraint(c.get());
        for (auto &c : collider)
            world->removeCollisionObject(c.get());
        world->removeMultiBody(&tree);
    }
    void step(double h) override {
        if (layout.spring_body >= 0) {
            int b = layout.spring_body;
            tree.forwardKinematics(turns, origins);
            Pose p = pose_of(tree.getLink(b).m_cachedWorldTransform, {0, 0, 0}, {0, 0, 0});
            vec at, force = spring_force(layout, p, &at);
            tree.addLinkForce(b, bullet(force));
            tree.addLinkTorque(b, bullet(at - p.center).cross(bullet(force)));
            tree.addJointTorque(0, layout.torque);
        }
        world->stepSimulation(h, 0);
        up_to_date = false;
    }
    Pose pose(int i) override {
        if (!up_to_date) { // velocities are given in the frames of the links
            tree.forwardKinematics(turns, origins);
            tree.compTreeLinkVelocities(spin.data(), velocity.data());
            up_to_date = true;
        }
        const btTransform &T = tree.getLink(i).m_cachedWorldTransform;
        return pose_of(T, T.getBasis() * velocity[(size_t)i + 1], T.getBasis() * spin[(size_t)i + 1]);
    }

  private:
    const Layout &layout;
    Environment environment;
    std::unique_ptr<btMultiBodyConstraintSolver> solver;
    std::unique_ptr<btMultiBodyDynamicsWorld> world;
    btMultiBody tree;
    btSphereShape shape{1e-3};
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> collider;
    std::vector<std::unique_ptr<btMultiBodyPoint2Point>> closing;
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> origins;
    std::vector<btVector3> velocity, spin;
    bool up_to_date = false;
};

Variant variant(const std::string &name, const Setting &s, const std::string &only) {
    return {name,
            [s](const Layout &l) {
                return s.multibody ? std::unique_ptr<Mechanism>(new Featherstone(l, s)) : std::unique_ptr<Mechanism>(new Hinged(l, s));
            },
            only, s.rk4 ? 160.0 : 2560.0};
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<Variant> variants = {
        variant("multibody rk4", {true, 10, 0.2, true}, "W3"),
        variant("multibody", {true, 10, 0.2, false}, "W3"),
        variant("multibody 20 sweeps erp=0.8", {true, 20, 0.8, false}, "W1 W2 W5"),
        variant("multibody 100 sweeps erp=0.8", {true, 100, 0.8, false}, "W1 W2 W5"),
        variant("hinges 20 sweeps erp=0.8", {false, 20, 0.8, false}, "W1 W2 W5"),
        variant("hinges 100 sweeps erp=0.8", {false, 100, 0.8, false}, "W1 W2 W3 W5"),
        variant("hinges dantzig erp=0.2", {false, 0, 0.2, false}, "W1 W2 W5"),
        variant("hinges dantzig erp=0.8", {false, 0, 0.8, false}, "W1 W2 W5"),
    };
    const std::vector<Found> found = {
        {"W1", "hinges dantzig erp=0.2", 1e-3, 68880},
        {"W2-10", "hinges 20 sweeps erp=0.8", 0.1, 48710},
        {"W2-40", "hinges 20 sweeps erp=0.8", 0.1, 20480},
        {"W2-160", "hinges 20 sweeps erp=0.8", 0.1, 5120},
        {"W3-5", "multibody rk4", 1e-2, 680},
        {"W3-5", "multibody rk4", 1e-4, 1960},
        {"W3-50", "multibody rk4", 1e-2, 640},
        {"W3-50", "multibody rk4", 1e-4, 2240},
        {"W3-500", "multibody rk4", 1e-2, 720},
        {"W5", "hinges 20 sweeps erp=0.8", 1e-2, 2560},
        {"W5", "hinges 20 sweeps erp=0.8", 1e-4, 327680},
    };
    return main_of(argc, argv, "bullet", variants, found, [](const std::string &name) { return name.back() == '4' ? 4 : 1; });
}
