// The workloads of bench.c with MuJoCo: joint angles of trees, composite rigid bodies (the cost of an evaluation grows with the cube of the
// length of a chain), its own Runge-Kutta method of order 4. Loops are closed by equality constraints, which are soft: every equation has a
// spring, a damper and a compliance that cannot be zero. `bench_mujoco scan` searches for settings; `once WORKLOAD STEPS SETTINGS` runs one
// (words as in `settings` below, in one argument).
#include "peers.hpp"

#include <mujoco/mujoco.h>
#include <sstream>
#include <stdexcept>

namespace {

using namespace peers;

struct Setting {
    int integrator = mjINT_RK4, solver = mjSOL_NEWTON, jacobian = mjJAC_AUTO;
    int iterations = 100;    // largest number, of the constraint solver
    double tolerance = 1e-8; // of the constraint solver; default of the package
    double impedance = 0.9;  // of a constraint equation; default of the package, which allows at most 0.9999
    double omega = 1;        // angular frequency of the error of a constraint equation, times the step
    double damping = 1;      // damping ratio of that error, 1: critical
    bool gamma = false;      // adds the accelerations that constraint equations lack in this version of the package
    bool hinges = false;     // ball joints as three hinges: with quaternions the order of its RK4 decreases to 2
};

Setting settings(const std::string &text) {
    Setting s;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        size_t equals = word.find('=');
        std::string key = word.substr(0, equals);
        double value = equals == std::string::npos ? 0 : std::atof(word.c_str() + equals + 1);
        if (key == "RK4" || key == "Euler" || key == "implicit")
            s.integrator = key == "RK4" ? mjINT_RK4 : key == "Euler" ? mjINT_EULER : mjINT_IMPLICIT;
        else if (key == "Newton" || key == "CG" || key == "PGS")
            s.solver = key == "Newton" ? mjSOL_NEWTON : key == "CG" ? mjSOL_CG : mjSOL_PGS;
        else if (key == "dense" || key == "sparse")
            s.jacobian = key == "dense" ? mjJAC_DENSE : mjJAC_SPARSE;
        else if (key == "iterations")
            s.iterations = (int)value;
        else if (key == "tolerance")
            s.tolerance = value;
        else if (key == "impedance")
            s.impedance = value;
        else if (key == "omega")
            s.omega = value;
        else if (key == "damping")
            s.damping = value;
        else if (key == "gamma")
            s.gamma = true;
        else if (key == "hinges")
            s.hinges = true;
        else
            throw std::invalid_argument("bench_mujoco: unknown setting " + word);
    }
    return s;
}

std::string text(vec v) {
    char out[100];
    std::snprintf(out, sizeof out, "\"%.17g %.17g %.17g\"", v.x, v.y, v.z);
    return out;
}

// A model in the package's XML. Its parser accepts at most 100 nested elements: those nested deeper are written to separate files, which
// are included.
class Xml {
  public:
    Xml(const Layout &l, bool as_hinges) : layout(l), hinges(as_hinges), children(l.body.size() + 1), sites(l.body.size() + 1) {
        for (size_t i = 0; i < l.body.size(); i++)
            children[(size_t)(l.joint[(size_t)l.body[i].parent_joint].a + 1)].push_back((int)i);
        for (const Joint &j : l.joint)
            if (j.closes)
                close(j);
        if (l.spring_body >= 0) {
            std::string a = site(-1, l.spring_ground), b = site(l.spring_body, l.body[(size_t)l.spring_body].center + l.spring_point);
            char spring[100];
            std::snprintf(spring, sizeof spring, " stiffness=\"%.17g\" springlength=\"%.17g\"", l.stiffness, l.rest);
            tendons = "<spatial" + std::string(spring) + "><site site=\"" + a + "\"/><site site=\"" + b + "\"/></spatial>";
        }
        std::string world = contents(-1, 0);
        file.insert(file.begin(),
                    "<mujoco><compiler angle=\"radian\"/><size njmax=\"" + std::to_string(rows) + "\" nconmax=\"0\"/><option gravity=" +
                        text(l.gravity) + "><flag contact=\"disable\" limit=\"disable\" frictionloss=\"disable\"/></option><worldbody>" +
                        world + "</worldbody>" + "<tendon>" + tendons + "</tendon><equality>" + equality + "</equality></mujoco>");
    }
    mjModel *model() const {
        auto vfs = std::make_unique<mjVFS>();
        mj_defaultVFS(vfs.get());
        for (size_t i = 0; i < file.size(); i++) {
            mj_makeEmptyFileVFS(vfs.get(), name(i).c_str(), (int)file[i].size());
            std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), name(i).c_str())], file[i].data(), file[i].size());
        }
        char error[300] = "";
        mjModel *m = mj_loadXML(name(0).c_str(), vfs.get(), error, sizeof error);
        mj_deleteVFS(vfs.get());
        if (!m)
            throw std::runtime_error("bench_mujoco: " + layout.name + ": " + error);
        return m;
    }

  private:
    static constexpr int deepest = 80; // nested bodies in one file
    static std::string name(size_t i) { return "part" + std::to_string(i) + ".xml"; }
    static std::string name_of(int body) { return body < 0 ? "world" : "body" + std::to_string(body); }
    vec center(int body) const { return body < 0 ? vec{} : layout.body[(size_t)body].center; }

    std::string contents(int body, int depth) {
        std::string out = sites[(size_t)(body + 1)];
        for (int i : children[(size_t)(body + 1)])
            out += body_element(i, depth + 1);
        if (depth % deepest == deepest - 1 && !children[(size_t)(body + 1)].empty()) {
            file.push_back("<mujocoinclude>" + out + "</mujocoinclude>");
            out = "<include file=\"" + name(file.size()) + "\"/>"; // the main file comes before the others
        }
        return out;
    }
    std::string body_element(int body, int depth) {
        const Body &b = layout.body[(size_t)body];
        const Joint &j = layout.joint[(size_t)b.parent_joint];
        std::string out = "<body name=\"" + name_of(body) + "\" pos=" + text(b.center - center(j.a)) + "><inertial pos=\"0 0 0\" mass=\"";
        char mass[40];
        std::snprintf(mass, sizeof mass, "%.17g", b.mass);
        out += std::string(mass) + "\" diaginertia=" + text(b.inertia) + "/>";
        const std::string hinge = "<joint type=\"hinge\" pos=" + text(j.at - b.center) + " axis=";
        if (!j.ball)
            out += hinge + text(j.axis) + "/>";
        else if (hinges) // the chain rotates mainly about y; these angles are singular at a right angle about z
            out += hinge + "\"0 1 0\"/>" + hinge + "\"0 0 1\"/>" + hinge + "\"1 0 0\"/>";
        else
            out += "<joint type=\"ball\" pos=" + text(j.at - b.center) + "/>";
        return out + contents(body, depth) + "</body>";
    }
    std::string site(int body, vec at) {
        std::string id = "site" + std::to_string(site_count++);
        sites[(size_t)(body + 1)] += "<site name=\"" + id + "\" pos=" + text(at - center(body)) + "/>";
        return id;
    }
    void ball(int a, int b, vec at) {
        equality += "<connect body1=\"" + name_of(b) + "\"" + (a < 0 ? "" : " body2=\"" + name_of(a) + "\"") +
                    " anchor=" + text(at - center(b)) + "/>";
        rows += 3;
    }
    // a hinge in space is two ball joints on its axis, six equations, of which one is redundant; soft constraints allow that
    void close(const Joint &j) {
        ball(j.a, j.b, j.at);
        if (!layout.planar)
            ball(j.a, j.b, j.at + j.axis);
    }
    const Layout &layout;
    bool hinges;
    std::vector<std::vector<int>> children; // of each body, the ground first
    std::vector<std::string> sites, file;
    std::string tendons, equality;
    int site_count = 0, rows = 0;
};

vec cross(vec a, vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
vec get(const mjtNum *v) { return {v[0], v[1], v[2]}; }

// Motion of a body in a tree of hinges if the second derivatives of all angles are zero.
struct Motion {
    vec spin, turning, anchor, moving; // angular velocity and acceleration; a point, its acceleration
    vec acceleration(vec at) const {
        vec r = at - anchor;
        return moving + cross(turning, r) + cross(spin, cross(spin, r));
    }
};

// Equality constraints of this version of the package require J a = -b v - k r; that omits the acceleration of the points caused by the
// velocities alone, and the gap of the loop is this acceleration divided by k. Later versions have the term; here it is subtracted in the
// control callback, which is called between the construction of the constraint equations and their solution.
void add_gamma(const mjModel *m, mjData *d) {
    thread_local std::vector<Motion> body;
    body.resize((size_t)m->nbody);
    for (int i = 1; i < m->nbody; i++) {
        const Motion &p = body[(size_t)m->body_parentid[i]];
        const int j = m->body_jntadr[i];
        const vec turn = d->qvel[m->jnt_dofadr[j]] * get(d->xaxis + 3 * j), anchor = get(d->xanchor + 3 * j);
        body[(size_t)i] = {p.spin + turn, p.turning + cross(p.spin, turn), anchor, p.acceleration(anchor)};
    }
    for (int i = 0; i < m->neq; i++) {
        const mjtNum *pair = m->eq_data + mjNEQDATA * i;
        vec apart[2];
        for (int k = 0; k < 2; k++) {
            const int b = k == 0 ? m->eq_obj1id[i] : m->eq_obj2id[i];
            mjtNum arm[3];
            mju_rotVecMat(arm, pair + 3 * k, d->xmat + 9 * b);
            apart[k] = body[(size_t)b].acceleration(get(d->xpos + 3 * b) + get(arm));
        }
        const vec gamma = apart[0] - apart[1];
        d->efc_aref[3 * i] -= gamma.x, d->efc_aref[3 * i + 1] -= gamma.y, d->efc_aref[3 * i + 2] -= gamma.z;
    }
}

class Mujoco : public Mechanism {
  public:
    Mujoco(const Layout &l, const Setting &s)
        : setting(s), model(Xml(l, s.hinges).model()), data(mj_makeData(model)), spare(mj_makeData(model)) {
        model->opt.integrator = s.integrator;
        model->opt.solver = s.solver;
        model->opt.jacobian = s.jacobian;
        model->opt.iterations = s.iterations;
        model->opt.tolerance = s.tolerance;
        mjcb_control = s.gamma ? add_gamma : nullptr;
        for (int i = 0; i < model->neq; i++)
            model->eq_solimp[i * mjNIMP] = model->eq_solimp[i * mjNIMP + 1] = s.impedance;
        for (size_t i = 0; i < l.body.size(); i++) {
            const Joint &j = l.joint[(size_t)l.body[i].parent_joint];
            int at = body((int)i), dof = model->body_dofadr[at];
            const vec w = j.rate * j.axis;
            if (!j.ball)
                data->qvel[dof] = j.rate;
            else if (s.hinges)
                data->qvel[dof] = w.y, data->qvel[dof + 1] = w.z, data->qvel[dof + 2] = w.x;
            else
                data->qvel[dof] = w.x, data->qvel[dof + 1] = w.y, data->qvel[dof + 2] = w.z;
            if (i == 0)
                data->qfrc_applied[dof] = l.torque;
        }
    }
    ~Mujoco() override {
        mj_deleteData(spare);
        mj_deleteData(data);
        mj_deleteModel(model);
    }
    void step(double h) override {
        if (h != length)
            rows_for(h);
        mj_step(model, data);
        stale = true;
    }
    void ahead(double part, double h) override {
        if (h != length)
            rows_for(h);
        mj_copyData(spare, model, data);
        model->opt.timestep = part;
        mj_step(model, spare);
        model->opt.timestep = h;
        refresh(spare);
        seen = spare;
    }
    void back() override { seen = data; }
    Pose pose(int i) override {
        if (stale && seen == data) {
            refresh(data);
            stale = false;
        }
        const int at = body(i);
        mjtNum motion[6]; // angular velocity, then velocity
        mj_objectVelocity(model, seen, mjOBJ_BODY, at, motion, 0);
        Pose p{get(seen->xipos + 3 * at), get(motion + 3), get(motion), {}};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                p.R[r][c] = seen->xmat[9 * at + 3 * r + c];
        // if the package fails, it restarts from the initial state
        for (int k : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CNSTRFULL})
            if (seen->warning[k].number > 0)
                p.center.x = NAN;
        return p;
    }

  private:
    // bodies are in the package's own order, that of the tree
    int body(int i) {
        if ((int)index.size() <= i)
            index.resize((size_t)i + 1, -1);
        int &at = index[(size_t)i];
        if (at < 0)
            at = mj_name2id(model, mjOBJ_BODY, ("body" + std::to_string(i)).c_str());
        return at;
    }
    void rows_for(double h) {
        model->opt.timestep = length = h;
        for (int i = 0; i < model->neq; i++) {
            model->eq_solref[i * mjNREF] = -std::pow(setting.omega / h, 2);
            model->eq_solref[i * mjNREF + 1] = -2 * setting.damping * setting.omega / h;
        }
    }
    void refresh(mjData *d) {
        mj_kinematics(model, d);
        mj_comPos(model, d);
        mj_comVel(model, d);
    }
    Setting setting;
    mjModel *model;
    mjData *data, *spare, *seen = data;
    std::vector<int> index;
    double length = 0; // step for which the constraint equations were set up
    bool stale = true; // poses of bodies do not belong to the present angles
};

Variant variant(const std::string &how, const std::string &only, double first) {
    Setting s = settings(how);
    return {how, [s](const Layout &l) { return std::unique_ptr<Mechanism>(new Mujoco(l, s)); }, only, first};
}

int evaluations(const std::string &how) { return settings(how).integrator == mjINT_RK4 ? 4 : 1; }

} // namespace

int main(int argc, char **argv) {
    mju_user_warning = [](const char *) {}; // the default writes a file
    mju_user_error = [](const char *text) {
        std::fprintf(stderr, "bench_mujoco: %s\n", text);
        std::exit(1);
    };
    if (argc == 5 && std::strcmp(argv[1], "once") == 0) {
        Layout l = layout(argv[2]);
        Variant v = variant(argv[4], "", 1);
        print(l, targets(l)[0], "mujoco", v, run(l, v, allowed(l, std::atof(argv[3])), 5, 60), evaluations(v.name));
        return 0;
    }
    const std::string loop = "RK4 Newton impedance=0.9999 ", exact = loop + "gamma "; // the stiffest constraints that the package allows
    std::vector<Variant> variants = {variant("RK4", "W3", 320), variant("RK4 hinges", "W4", 640)};
    for (const char *rows : {"omega=0.25 damping=1", "omega=0.45 damping=0.85", "omega=0.5 damping=0.35"})
        variants.push_back(variant(exact + rows, "W1 W5", 80));
    for (const char *rows : {"omega=1 damping=0.05", "omega=2 damping=0.1"})
        variants.push_back(variant(loop + rows, "W2", 80));
    variants.push_back(variant(loop + "omega=2.7 damping=0.01", "W1 W5", 640));
    // W1 and W5 twice: the package as it is, and with the missing accelerations
    const std::vector<Found> found = {
        {"W1", exact + "omega=0.5 damping=0.35", 1e-3, 160},
        {"W1", loop + "omega=2.7 damping=0.01", 1e-3, 1000},
        {"W2-10", loop + "omega=1 damping=0.05", 0.1, 156},
        {"W2-40", loop + "omega=1 damping=0.05", 0.1, 158},
        {"W2-160", loop + "omega=2 damping=0.1", 0.1, 228},
        {"W3-5", "RK4", 1e-2, 720},
        {"W3-5", "RK4", 1e-4, 2120},
        {"W3-50", "RK4", 1e-2, 640},
        {"W3-50", "RK4", 1e-4, 2200},
        {"W3-500", "RK4", 1e-2, 720},
        {"W4-100", "RK4 hinges", 1e-2, 1640},
        {"W5", exact + "omega=0.25 damping=1", 1e-2, 116},
        {"W5", exact + "omega=0.45 damping=0.85", 1e-4, 440},
        {"W5", loop + "omega=2.7 damping=0.01", 1e-2, 880},
        {"W5", loop + "omega=2.7 damping=0.01", 1e-4, 6200},
    };
    return main_of(argc, argv, "mujoco", variants, found, evaluations, 60);
}
