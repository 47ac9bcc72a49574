// A kind of joint or spring and its two pictures. One kind is one file and one line in list.ts.
import type { Pen } from "../pen/pen.ts";
import type { Layer, PlaneJoint, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceJoint, SpaceSpring } from "./space.ts";

export interface JointSymbol {
    kind: string;
    /** Draws what belongs to this layer; called once for every layer from back to front. */
    plane(pen: Pen, s: PlaneJoint, layer: Layer): void;
    /** Passes its parts to the kit, once: they move with body a, body b or ground. */
    space(kit: Kit, s: SpaceJoint): void;
}

export interface SpringSymbol {
    kind: string;
    plane(pen: Pen, s: PlaneSpring, layer: Layer): void;
    space(kit: Kit, s: SpaceSpring): void;
}
