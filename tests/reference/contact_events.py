"""Reference motions with contact by event-driven integration in generalized coordinates: nothing of biela is used here.

A planar tree: coordinates are the height y of the first body (where it slides) and absolute angles. Every point of it is
    p = fixed + (0, y) + sum of R(angle_k) a_k,
so that Jacobians and the terms of velocities are exact. `linear=True` takes all of them at zero angles, as some published models do.
Contacts are points against fixed lines: Coulomb friction, Newton's law of impact. Sets of open, sliding and sticking contacts are found by
enumeration; events are located by integration from the beginning of the step, not by interpolation.
"""
import itertools
import json
import pathlib

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

OPEN, STICK, UP, DOWN = "open", "stick", "slip+", "slip-"
SIGN = {UP: 1.0, DOWN: -1.0}
STILL = 1e-5  # m/s: slower impacts are without restitution; that ends an accumulation with errors of STILL^2 (1e-11)


class Point:
    """terms: coordinate -> vector that turns with it; lift: moves with y (coordinate 0)."""

    def __init__(self, terms, lift=False, fixed=(0.0, 0.0)):
        self.terms = [(k, np.array(a, float)) for k, a in terms]
        self.lift, self.fixed = lift, np.array(fixed, float)


class Contact:
    def __init__(self, name, point, normal, offset, e, mu):
        """Gap = normal . p - offset; the tangent is the normal turned by -90 degrees if it is vertical, by +90 if horizontal."""
        self.name, self.point, self.e, self.mu = name, point, e, mu
        self.n = np.array(normal, float)
        self.t = np.array([abs(self.n[1]), abs(self.n[0])])
        self.offset = offset


class Tree:
    def __init__(self, ncoord, bodies, contacts, g=9.81, spring=None, linear=False):
        """bodies: (mass, inertia, Point of the center, coordinate of its angle); spring: (i, j, stiffness) between two angles."""
        self.n, self.bodies, self.contacts, self.g, self.spring, self.linear = ncoord, bodies, contacts, g, spring, linear

    def point(self, p, q, v):
        """Position, Jacobian, acceleration at zero second derivatives."""
        x, J, b = p.fixed.copy(), np.zeros((2, self.n)), np.zeros(2)
        if p.lift:
            x[1] += q[0]
            J[1, 0] = 1
        for k, a in p.terms:
            c, s = (1.0, 0.0) if self.linear else (np.cos(q[k]), np.sin(q[k]))
            r = np.array([c * a[0] - s * a[1], s * a[0] + c * a[1]])
            d = np.array([-r[1], r[0]])
            x += r + q[k] * d if self.linear else r
            J[:, k] += d
            if not self.linear:
                b -= v[k] ** 2 * r
        return x, J, b

    def dynamics(self, q, v):
        M, h = np.zeros((self.n, self.n)), np.zeros(self.n)
        for mass, inertia, center, angle in self.bodies:
            _, J, b = self.point(center, q, v)
            M += mass * J.T @ J
            M[angle, angle] += inertia
            h += mass * J.T @ (np.array([0, -self.g]) - b)
        if self.spring:
            i, j, c = self.spring
            h[i] -= c * (q[i] - q[j])
            h[j] -= c * (q[j] - q[i])
        return M, h

    def energy(self, q, v):
        M, _ = self.dynamics(q, v)
        E = 0.5 * v @ M @ v + sum(m * self.g * self.point(c, q, v)[0][1] for m, _, c, _ in self.bodies)
        return E + (0.5 * self.spring[2] * (q[self.spring[0]] - q[self.spring[1]]) ** 2 if self.spring else 0)

    def gap(self, i, q):
        c = self.contacts[i]
        return c.n @ self.point(c.point, q, np.zeros(self.n))[0] - c.offset

    def rows(self, i, q, v):
        """Normal row, tangential row, their terms of velocities."""
        c = self.contacts[i]
        _, J, b = self.point(c.point, q, v)
        return c.n @ J, c.t @ J, c.n @ b, c.t @ b

    def respond(self, q, v, state):
        """Accelerations, and forces (normal, tangential) of closed contacts, for given states."""
        M, h = self.dynamics(q, v)
        closed = [i for i, s in enumerate(state) if s != OPEN]
        unknown = [(i, d) for i in closed for d in ((0, 1) if state[i] == STICK else (0,))]
        if not unknown:
            return np.linalg.solve(M, h), {}
        m, n = len(unknown), self.n
        K, r = np.zeros((n + m, n + m)), np.zeros(n + m)
        K[:n, :n], r[:n] = M, h
        for k, (i, d) in enumerate(unknown):
            rows = self.rows(i, q, v)
            push = rows[d].copy()
            if d == 0 and state[i] in SIGN:
                push -= self.contacts[i].mu * SIGN[state[i]] * rows[1]
            K[:n, n + k], K[n + k, :n], r[n + k] = -push, rows[d], -rows[2 + d]
        x = np.linalg.solve(K, r)
        force = {i: [0.0, 0.0] for i in closed}
        for k, (i, d) in enumerate(unknown):
            force[i][d] = x[n + k]
        for i in closed:
            if state[i] in SIGN:
                force[i][1] = -self.contacts[i].mu * SIGN[state[i]] * force[i][0]
        return x[:n], force

    def choose(self, q, v, closed, still=1e-9):
        """States of the closed contacts (gap and normal speed zero) that satisfy Signorini's and Coulomb's laws of accelerations."""
        options = []
        for i in closed:
            _, wT, _, _ = self.rows(i, q, v)
            sliding = wT @ v
            mu = self.contacts[i].mu
            options.append([OPEN] + ([UP] if mu == 0 else [UP] if sliding > still else [DOWN] if sliding < -still else [STICK, UP, DOWN]))
        for pick in itertools.product(*options):
            state = [OPEN] * len(self.contacts)
            for i, s in zip(closed, pick):
                state[i] = s
            try:
                a, force = self.respond(q, v, state)
            except np.linalg.LinAlgError:
                continue
            good = True
            for i, s in zip(closed, pick):
                wN, wT, bN, bT = self.rows(i, q, v)
                mu = self.contacts[i].mu
                if s == OPEN:
                    good &= wN @ a + bN > 0
                else:
                    good &= force[i][0] >= 0
                    if s == STICK:
                        good &= abs(force[i][1]) <= mu * force[i][0]
                    elif mu > 0 and abs(wT @ v) <= still:
                        good &= SIGN[s] * (wT @ a + bT) > 0
            if good:
                return state
        raise RuntimeError("no set of contacts")

    def impact(self, q, v, at):
        """Velocities after, and impulses of the contacts `at` (gap zero): Newton's law, Coulomb's with the sliding speed after."""
        M, _ = self.dynamics(q, v)
        n = self.n
        options = [[OPEN, UP] if self.contacts[i].mu == 0 else [OPEN, STICK, UP, DOWN] for i in at]
        rows = {i: self.rows(i, q, v) for i in at}
        bounce = {i: self.contacts[i].e if abs(rows[i][0] @ v) > STILL else 0.0 for i in at}
        for pick in itertools.product(*options):
            unknown = [(i, d, s) for i, s in zip(at, pick) if s != OPEN for d in ((0, 1) if s == STICK else (0,))]
            m = len(unknown)
            K, r = np.zeros((n + m, n + m)), np.zeros(n + m)
            K[:n, :n] = M
            for k, (i, d, s) in enumerate(unknown):
                push = rows[i][d].copy()
                if d == 0 and s in SIGN:
                    push -= self.contacts[i].mu * SIGN[s] * rows[i][1]
                K[:n, n + k], K[n + k, :n] = -push, rows[i][d]
                r[n + k] = -(1 + bounce[i]) * rows[i][0] @ v if d == 0 else -rows[i][1] @ v
            try:
                x = np.linalg.solve(K, r)
            except np.linalg.LinAlgError:  # more sticking contacts than freedoms
                continue
            after = v + x[:n]
            impulse = {i: [0.0, 0.0] for i in at}
            for k, (i, d, s) in enumerate(unknown):
                impulse[i][d] = x[n + k]
                if d == 0 and s in SIGN:
                    impulse[i][1] = -self.contacts[i].mu * SIGN[s] * x[n + k]
            good = True
            for i, s in zip(at, pick):
                wN, wT = rows[i][:2]
                mu = self.contacts[i].mu
                if s == OPEN:
                    good &= wN @ after + bounce[i] * (wN @ v) >= -1e-12
                else:
                    good &= impulse[i][0] >= 0
                    if s == STICK:
                        good &= abs(impulse[i][1]) <= mu * impulse[i][0]
                    elif mu > 0:
                        good &= SIGN[s] * (wT @ after) > 0
            if good:
                return after, impulse
        raise RuntimeError("no impulses")

    def project(self, q, v, closed):
        """Gaps of closed contacts to zero, least change in the metric of M."""
        for _ in range(3):
            if closed:
                M, _ = self.dynamics(q, v)
                W = np.array([self.rows(i, q, v)[0] for i in closed])
                g = np.array([self.gap(i, q) for i in closed])
                X = np.linalg.solve(M, W.T)
                q = q - X @ np.linalg.lstsq(W @ X, g, rcond=None)[0]
        return q


def simulate(tree, q0, v0, times, rtol=1e-13, atol=1e-15, longest=np.inf, small=1e-11, samples=10, most=10000):
    """Rows (q, v) at `times`; list of events. small: gaps and normal speeds that count as zero."""
    n, nc = tree.n, len(tree.contacts)
    q, v, t = np.array(q0, float), np.array(v0, float), float(times[0])
    events, rows = [], []

    def enter(q, v, strike):
        """Impacts where contacts approach, then states for the motion after."""
        touching = [i for i in range(nc) if abs(tree.gap(i, q)) <= small]
        if any(tree.rows(i, q, v)[0] @ v < -1e-10 for i in touching):
            before = tree.energy(q, v)
            old = v
            v, impulse = tree.impact(q, v, touching)
            events.append({"t": t, "kind": "impact", "contacts": {tree.contacts[i].name: p for i, p in impulse.items() if p[0] > 0},
                           "q": q.tolist(), "before": old.tolist(), "after": v.tolist(), "lost": before - tree.energy(q, v)})
        closed = [i for i in touching if tree.rows(i, q, v)[0] @ v <= 1e-9]
        state = tree.choose(q, v, closed)
        return v, state

    v, state = enter(q, v, None)
    k = 0
    while len(rows) < len(times) and times[len(rows)] <= t:
        rows.append(np.concatenate([q, v]))
    while len(rows) < len(times):
        k += 1
        if k > most:
            raise RuntimeError("too many events at %g" % t)
        goal = times[len(rows)]
        for i in range(nc):  # a flight just begun may be shorter than a sample
            wN, _, bN, _ = tree.rows(i, q, v)
            speed, pull = wN @ v, wN @ tree.respond(q, v, state)[0] + bN
            if state[i] == OPEN and speed > 0 > pull and abs(tree.gap(i, q)) < small:
                goal = min(goal, t - 3 * speed / pull)

        def rate(_, y):
            a, _ = tree.respond(y[:n], y[n:], state)
            return np.concatenate([y[n:], a])

        def flow(y, t0, t1):
            if t1 <= t0:
                return y
            s = DOP853(rate, t0, y, t1, rtol=rtol, atol=atol)
            while s.status == "running":
                s.step()
            return s.y

        def witnesses(y):
            """(kind, contact, value): an event where the value becomes negative."""
            q, v = y[:n], y[n:]
            out = []
            force = tree.respond(q, v, state)[1] if any(s != OPEN for s in state) else {}
            for i, s in enumerate(state):
                mu = tree.contacts[i].mu
                if s == OPEN:
                    out.append(("close", i, tree.gap(i, q), 1e-13))
                    continue
                out.append(("lift", i, force[i][0], 1e-12))
                if s == STICK:
                    out.append(("slip", i, mu * force[i][0] - abs(force[i][1]), 1e-12))
                elif mu > 0:
                    out.append(("halt", i, SIGN[s] * (tree.rows(i, q, v)[1] @ v), 1e-12))
            return out

        run = DOP853(rate, t, np.concatenate([q, v]), goal, rtol=rtol, atol=atol, max_step=longest)
        y, found = np.concatenate([q, v]), None
        while run.status == "running" and not found:
            t0, y0 = run.t, run.y.copy()
            run.step()
            dense = run.dense_output()
            low = t0
            for s in range(1, samples + 1):
                high = t0 + (run.t - t0) * s / samples if s < samples else run.t
                bad = [w for w in witnesses(dense(high)) if w[2] < -w[3]]
                if bad:
                    hits = []
                    for kind, i, _, _ in bad:
                        f = lambda x: next(w[2] for w in witnesses(dense(x)) if w[:2] == (kind, i))
                        a = low
                        if f(a) <= 0:  # began at zero and has risen: look for the fall
                            a = next((z for z in np.linspace(low, high, 200)[1:] if f(z) > 0), None)
                            if a is None:
                                a = low
                        at = brentq(f, a, high, xtol=1e-17, rtol=1e-15) if f(a) > 0 else a
                        for _ in range(4):  # by integration
                            g = lambda x: next(w[2] for w in witnesses(flow(y0, t0, x)) if w[:2] == (kind, i))
                            d = 1e-3 * (high - t0)
                            slope = (g(at + d) - g(at - d if at - d > t0 else t0)) / (d + min(d, at - t0))
                            step = g(at) / slope
                            at -= step
                            if abs(step) < 1e-16:
                                break
                        hits.append((at, kind, i))
                    found = min(hits)
                    y = flow(y0, t0, found[0])
                    break
                low = high
        if not found:
            t, y = goal, run.y
        else:
            t = found[0]
        q, v = y[:n].copy(), y[n:].copy()
        closed = [i for i in range(nc) if state[i] != OPEN]
        q = tree.project(q, v, closed)
        if found:
            _, kind, i = found
            if kind == "close":
                v, state = enter(q, v, i)
            else:
                events.append({"t": t, "kind": kind, "contacts": {tree.contacts[i].name: [0, 0]}, "q": q.tolist(), "before": v.tolist(), "after": v.tolist(),
                               "lost": 0})
                if kind == "lift":
                    state[i] = OPEN
                elif kind == "slip":
                    state[i] = DOWN if tree.respond(q, v, state)[1][i][1] > 0 else UP
                else:
                    state = tree.choose(q, v, closed, 1e-9)
        elif t == times[len(rows)]:
            rows.append(y.copy())
    return np.array(rows), events


def compare(tree, q0, v0, times, **options):
    """Two tolerances: rows and events of the tighter run, largest differences of rows and of times of events."""
    rows, events = simulate(tree, q0, v0, times, rtol=3e-14, atol=1e-16, **options)
    loose, other = simulate(tree, q0, v0, times, rtol=1e-12, atol=1e-14, **options)
    if [e["kind"] for e in events] != [e["kind"] for e in other]:
        raise RuntimeError("the runs have different events")
    return rows, events, np.abs(rows - loose).max(0), max([abs(a["t"] - b["t"]) for a, b in zip(events, other)] + [0.0])


def write(name, source, cases, bench):
    """cases: dicts with name, columns, times, rows, events and what else belongs to the case. bench: names of tables of coordinates for bench/."""
    def numbers(row):
        return ", ".join(repr(float(x)) for x in row)
    parts = []
    for case, table in zip(cases, bench):
        head = {k: v for k, v in case.items() if k not in ("times", "rows", "events")}
        rows = ",\n    ".join("[" + numbers([t, *r]) + "]" for t, r in zip(case["times"], case["rows"]))
        events = ",\n    ".join(json.dumps(e) for e in case["events"])
        parts.append("  {" + json.dumps(head)[1:-1] + ",\n   \"rows\": [\n    " + rows + "],\n   \"events\": [\n    " + events + "]}")
        if table:  # without the row at the start
            text = "\n".join("{" + numbers([t, *r]) + "}," for t, r in zip(case["times"][1:], case["rows"][1:]))
            (pathlib.Path(__file__).parents[2] / "bench" / ("contact_%s.inc" % table)).write_text(text + "\n")
    pathlib.Path(__file__).with_name(name + ".json").write_text(
        "{\"scene\": %s,\n \"source\": %s,\n \"cases\": [\n%s\n ]}\n" % (json.dumps(name), json.dumps(source), ",\n".join(parts)))
