// The workloads of contact_peers.hpp with Bullet, in double precision: the multibody (joint angles) with small spheres in place of
// points; contacts solved by sweeps or by Dantzig's method. `threshold` 0: contacts count from penetration on, and not already where
// surfaces are near. `piles` runs spheres and wall by rigid bodies.
#include "contact_peers.hpp"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <btBulletDynamicsCommon.h>

namespace {

using namespace contact;

static_assert(sizeof(btScalar) == sizeof(double), "bullet-float64 is needed");

btVector3 bullet(vec v) { return {v.x, v.y, v.z}; }
vec plain(const btVector3 &v) { return {v.x(), v.y(), v.z()}; }

struct Setting {
    int sweeps; // 0: Dantzig
    double erp;
    bool near; // contacts before penetration too
};

// objects that every Bullet world needs, destroyed after the world
struct Environment {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDantzigSolver dantzig;
};

const double radius = 1e-5; // of the spheres, m of the scaled mechanism

class Featherstone : public Machine {
  public:
    Featherstone(const Layout &l, const Setting &s)
        : layout(l), sliding(l.body[0].slides), tree((int)l.body.size() + sliding, 0, {0, 0, 0}, true, false) {
        if (s.sweeps)
            solver.reset(new btMultiBodyConstraintSolver);
        else
            solver.reset(new btMultiBodyMLCPConstraintSolver(&environment.dantzig));
        world.reset(
            new btMultiBodyDynamicsWorld(&environment.dispatcher, &environment.broadphase, solver.get(), &environment.configuration));
        world->setGravity({0, -l.gravity, 0});
        btContactSolverInfo &info = world->getSolverInfo();
        info.m_erp = info.m_erp2 = s.erp;
        info.m_numIterations = s.sweeps;
        info.m_leastSquaresResidualThreshold = 0;
        info.m_restitutionVelocityThreshold = 0.01 * l.scale; // without it a contact at rest bounces, and is open when another one is hit
        info.m_linearSlop = 0;
        info.m_splitImpulse = false;
        info.m_solverMode &= ~SOLVER_USE_WARMSTARTING;
        tree.setBasePos({0, 0, 0});
        tree.setHasSelfCollision(false);
        tree.setLinearDamping(0);
        tree.setAngularDamping(0);
        tree.setMaxCoordinateVelocity(1e30);
        tree.setMaxAppliedImpulse(1e30);
        tree.setUseGyroTerm(true);
        const btQuaternion same = btQuaternion::getIdentity();
        if (sliding)
            tree.setupPrismatic(0, 1e-9 * l.body[0].mass, btVector3(1, 1, 1) * 1e-9 * l.body[0].inertia, -1, same, {0, 1, 0}, {0, 0, 0},
                                {0, 0, 0}, true);
        for (size_t i = 0; i < l.body.size(); i++) {
            const Body &b = l.body[i];
            vec from = b.parent < 0 ? b.hinge : b.hinge - l.body[(size_t)b.parent].center;
            tree.setupRevolute(link((int)i), b.mass, btVector3(1, 1, 1) * b.inertia, b.slides ? 0 : link(b.parent), same, {0, 0, 1},
                               bullet(from), bullet(b.center - b.hinge), true);
        }
        tree.finalizeMultiDof();
        if (sliding)
            tree.setJointVel(0, l.body[0].speed);
        for (size_t i = 0; i < l.body.size(); i++)
            tree.setJointVel(link((int)i), l.body[i].rate);
        tree.updateCollisionObjectWorldTransforms(turns, origins);
        world->addMultiBody(&tree);
        for (int i = 0; i < (int)l.body.size(); i++)
            add_collider(i, s);
        for (const Tip &t : l.tip) {
            auto is = [&](const Tip &o) { return o.normal.x == t.normal.x && o.normal.y == t.normal.y; };
            if (std::find_if(l.tip.begin(), l.tip.end(), is) != l.tip.begin() + (&t - &l.tip[0]))
                continue; // another point has made this plane
            plane.emplace_back(new btStaticPlaneShape(bullet(t.normal), t.offset - radius));
            ground.emplace_back(new btCollisionObject);
            ground.back()->setCollisionShape(plane.back().get());
            ground.back()->setRestitution(1);
            ground.back()->setFriction(1);
            if (!s.near)
                ground.back()->setContactProcessingThreshold(0);
            world->addCollisionObject(ground.back().get(), 2, 1);
        }
        spin.resize(l.body.size() + 2);
        velocity.resize(l.body.size() + 2);
    }
    ~Featherstone() override {
        for (auto &c : collider)
            world->removeCollisionObject(c.get());
        for (auto &g : ground)
            world->removeCollisionObject(g.get());
        world->removeMultiBody(&tree);
    }
    void step(double h) override {
        if (layout.spring > 0)
            tree.addJointTorque(link(1), -layout.spring * (layout.body[1].angle - layout.body[0].angle + tree.getJointPos(link(1))));
        world->stepSimulation(h, 0);
        up_to_date = false;
    }
    Place place(int i) override {
        if (!up_to_date) {
            tree.forwardKinematics(turns, origins);
            tree.compTreeLinkVelocities(spin.data(), velocity.data());
            up_to_date = true;
        }
        const btTransform &T = tree.getLink(link(i)).m_cachedWorldTransform;
        return {plain(T.getOrigin()), std::atan2(T.getBasis()[1][0], T.getBasis()[0][0]), spin[(size_t)link(i) + 1].z()};
    }

  private:
    int link(int body) const { return body < 0 ? -1 : body + sliding; }
    void add_collider(int i, const Setting &s) {
        std::unique_ptr<btCompoundShape> all(new btCompoundShape);
        double e = 0, mu = 0;
        for (const Tip &t : layout.tip)
            if (t.body == i) {
                btTransform at = btTransform::getIdentity();
                at.setOrigin(bullet(t.at - layout.body[(size_t)i].center));
                all->addChildShape(at, &ball);
                e = t.restitution, mu = t.friction;
            }
        if (all->getNumChildShapes() == 0)
            return;
        shape.push_back(std::move(all));
        collider.emplace_back(new btMultiBodyLinkCollider(&tree, link(i)));
        btMultiBodyLinkCollider *c = collider.back().get();
        c->setCollisionShape(shape.back().get());
        c->setActivationState(DISABLE_DEACTIVATION);
        c->setRestitution(e);
        c->setFriction(mu);
        if (!s.near)
            c->setContactProcessingThreshold(0);
        tree.getLink(link(i)).m_collider = c;
        world->addCollisionObject(c, 1, 2);
    }
    const Layout &layout;
    int sliding;
    Environment environment;
    std::unique_ptr<btMultiBodyConstraintSolver> solver;
    std::unique_ptr<btMultiBodyDynamicsWorld> world;
    btMultiBody tree;
    btSphereShape ball{radius};
    std::vector<std::unique_ptr<btCompoundShape>> shape;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> collider;
    std::vector<std::unique_ptr<btStaticPlaneShape>> plane;
    std::vector<std::unique_ptr<btCollisionObject>> ground;
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> origins;
    std::vector<btVector3> velocity, spin;
    bool up_to_date = false;
};

class BulletPile : public PileMachine {
  public:
    BulletPile(const Pile &p, int sweeps) {
        world.reset(new btDiscreteDynamicsWorld(&environment.dispatcher, &environment.broadphase, &solver, &environment.configuration));
        world->setGravity({0, -9.81, 0});
        world->getSolverInfo().m_numIterations = sweeps;
        if (p.spheres)
            shape.reset(new btSphereShape(p.item[0].half.x));
        else
            shape.reset(new btBoxShape(bullet(p.item[0].half)));
        add_plane({0, 1, 0}, 0, p.friction);
        if (p.spheres)
            for (double s : {-1.0, 1.0}) {
                add_plane({s, 0, 0}, -p.side, p.friction);
                add_plane({0, 0, s}, -p.side, p.friction);
            }
        for (const Item &i : p.item) {
            btVector3 inertia;
            shape->calculateLocalInertia(i.mass, inertia);
            btRigidBody::btRigidBodyConstructionInfo info(i.mass, nullptr, shape.get(), inertia);
            info.m_startWorldTransform.setIdentity();
            info.m_startWorldTransform.setOrigin(bullet(i.center));
            info.m_friction = std::sqrt(p.friction); // products count
            body.emplace_back(new btRigidBody(info));
            body.back()->setActivationState(DISABLE_DEACTIVATION);
            world->addRigidBody(body.back().get());
        }
    }
    ~BulletPile() override {
        for (auto &b : body)
            world->removeRigidBody(b.get());
        for (auto &b : ground)
            world->removeRigidBody(b.get());
    }
    void step(double h) override { world->stepSimulation(h, 0); }
    double support() override {
        double sum = 0;
        over_points([&](const btPersistentManifold *m, const btManifoldPoint &c) {
            if (m->getBody0()->isStaticObject() || m->getBody1()->isStaticObject()) {
                double sign = m->getBody1()->isStaticObject() ? 1 : -1;
                sum += sign * (c.m_appliedImpulse * c.m_normalWorldOnB.y() + c.m_appliedImpulseLateral1 * c.m_lateralFrictionDir1.y());
            }
        });
        return sum;
    }
    double deepest() override {
        double most = 0;
        over_points([&](const btPersistentManifold *, const btManifoldPoint &c) { most = std::max(most, -c.getDistance()); });
        return most;
    }
    double kinetic() override {
        double sum = 0;
        for (auto &b : body) {
            btVector3 w = b->getWorldTransform().getBasis().transpose() * b->getAngularVelocity(), I = b->getLocalInertia();
            sum += 0.5 * (b->getMass() * b->getLinearVelocity().length2() + (w * w).dot(I));
        }
        return sum;
    }
    vec center(int i) override { return plain(body[(size_t)i]->getCenterOfMassPosition()); }
    vec velocity(int i) override { return plain(body[(size_t)i]->getLinearVelocity()); }

  private:
    void over_points(const std::function<void(const btPersistentManifold *, const btManifoldPoint &)> &look) {
        for (int i = 0; i < environment.dispatcher.getNumManifolds(); i++) {
            const btPersistentManifold *m = environment.dispatcher.getManifoldByIndexInternal(i);
            for (int k = 0; k < m->getNumContacts(); k++)
                look(m, m->getContactPoint(k));
        }
    }
    void add_plane(const btVector3 &normal, double offset, double friction) {
        plane.emplace_back(new btStaticPlaneShape(normal, offset));
        ground.emplace_back(new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, plane.back().get())));
        ground.back()->setFriction(std::sqrt(friction));
        world->addRigidBody(ground.back().get());
    }
    Environment environment;
    btSequentialImpulseConstraintSolver solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::unique_ptr<btConvexInternalShape> shape;
    std::vector<std::unique_ptr<btStaticPlaneShape>> plane;
    std::vector<std::unique_ptr<btRigidBody>> ground, body;
};

Variant variant(const std::string &name, const Setting &s, const std::string &only, double scale) {
    return {name, [s](const Layout &l) { return std::unique_ptr<Machine>(new Featherstone(l, s)); }, only, scale};
}

void piles(const std::string &only) {
    for (const Pile &p : {spheres(), wall()})
        for (auto [h, sweeps] : {std::pair{1.0 / 240, 10}, std::pair{1.0 / 240, 50}, std::pair{1.0 / 1000, 10}}) {
            if (!only.empty() && only != p.name)
                continue;
            BulletPile m(p, sweeps);
            pile(p, "bullet", std::to_string(sweeps) + " sweeps", m, h);
        }
}

} // namespace

int main(int argc, char **argv) {
    // mechanisms of centimeters are enlarged, because thresholds of the package are for bodies of a meter
    const std::vector<Variant> variants = {
        variant("10 sweeps erp=0 threshold=0", {10, 0, false}, "chain", 1),
        variant("50 sweeps erp=0 threshold=0", {50, 0, false}, "chain", 1),
        variant("50 sweeps erp=0.2", {50, 0.2, true}, "chain", 1),
        variant("dantzig erp=0 threshold=0", {0, 0, false}, "chain", 1),
        variant("10 sweeps erp=0 threshold=0 unit=0.01m", {10, 0, false}, "woodpecker slider", 100),
        variant("50 sweeps erp=0 threshold=0 unit=0.01m", {50, 0, false}, "woodpecker slider", 100),
        variant("200 sweeps erp=0 threshold=0 unit=0.01m", {200, 0, false}, "woodpecker slider", 100),
        variant("50 sweeps erp=0.2 unit=0.01m", {50, 0.2, true}, "woodpecker slider", 100),
        variant("dantzig erp=0 threshold=0 unit=0.01m", {0, 0, false}, "woodpecker slider", 100),
    };
    const std::vector<Found> found = {
        {"woodpecker", "50 sweeps erp=0 threshold=0 unit=0.01m", 0.01, 25600},
        {"woodpecker", "50 sweeps erp=0 threshold=0 unit=0.01m", 0.001, 204800},
        {"woodpecker", "50 sweeps erp=0 threshold=0 unit=0.01m", 0, 409600},
        {"slider_crank", "dantzig erp=0 threshold=0 unit=0.01m", 0.01, 179},
        {"slider_crank", "dantzig erp=0 threshold=0 unit=0.01m", 0.001, 716},
        {"slider_crank", "dantzig erp=0 threshold=0 unit=0.01m", 0.0001, 11456},
        {"slider_crank", "dantzig erp=0 threshold=0 unit=0.01m", 0, 22912},
        {"slider_crank_mu", "200 sweeps erp=0 threshold=0 unit=0.01m", 0.01, 179},
        {"slider_crank_mu", "200 sweeps erp=0 threshold=0 unit=0.01m", 0.001, 716},
        {"slider_crank_mu", "200 sweeps erp=0 threshold=0 unit=0.01m", 0, 1432},
        {"chain_1.35", "10 sweeps erp=0 threshold=0", 0.01, 6912},
        {"chain_1.35", "10 sweeps erp=0 threshold=0", 0.001, 55296},
        {"chain_1.35", "10 sweeps erp=0 threshold=0", 0, 55296},
        {"chain", "10 sweeps erp=0 threshold=0", 0, 40960},
    };
    if (argc > 1 && std::strcmp(argv[1], "piles") == 0)
        return piles(argc > 2 ? argv[2] : ""), 0;
    return main_of(argc, argv, "bullet", variants, found);
}
