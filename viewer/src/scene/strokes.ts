// Lines of a width in pixels: traces, dashed lines, borders of elements. Opaque always: segments overlap, and translucent they look dotted.
import * as three from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

/** A line through points that may change from frame to frame, at most `room` of them. */
export class Stroke {
    readonly line: LineSegments2;
    readonly material: LineMaterial;
    private values: Float32Array<ArrayBuffer>; // start and end of each segment
    private buffer: three.InstancedInterleavedBuffer;
    private geometry = new LineSegmentsGeometry();

    constructor(private room: number, width: number, dashed = false) {
        this.values = new Float32Array(6 * Math.max(room - 1, 1));
        this.buffer = new three.InstancedInterleavedBuffer(this.values, 6, 1);
        this.buffer.setUsage(three.DynamicDrawUsage);
        this.geometry.setAttribute("instanceStart", new three.InterleavedBufferAttribute(this.buffer, 3, 0));
        this.geometry.setAttribute("instanceEnd", new three.InterleavedBufferAttribute(this.buffer, 3, 3));
        this.geometry.instanceCount = 0;
        this.material = new LineMaterial({ linewidth: width, dashed });
        this.line = new LineSegments2(this.geometry, this.material);
        this.line.frustumCulled = false;
    }

    /** Points from `first` up to before `end`, then one more where given. */
    set(path: ArrayLike<number>, first: number, end: number, last?: ArrayLike<number>): void {
        const v = this.values;
        let n = 0;
        const put = (x: number, y: number, z: number): void => {
            if (n > 0)
                v.set([x, y, z], 6 * (n - 1) + 3);
            if (6 * n + 2 < v.length)
                v.set([x, y, z], 6 * n);
            n++;
        };
        for (let k = first; k < end && n < this.room; k++)
            put(path[3 * k], path[3 * k + 1], path[3 * k + 2]);
        if (last && n > 0 && n < this.room)
            put(last[0], last[1], last[2]);
        this.geometry.instanceCount = Math.max(0, n - 1);
        this.buffer.needsUpdate = true;
    }

    /** Segments between pairs of points. */
    pairs(points: ArrayLike<number>, ends: ArrayLike<number>): void {
        const v = this.values, n = Math.min(ends.length / 2, v.length / 6);
        for (let i = 0; i < 2 * n; i++)
            for (let c = 0; c < 3; c++)
                v[3 * i + c] = points[3 * ends[i] + c];
        this.geometry.instanceCount = n;
        this.buffer.needsUpdate = true;
    }

    color(color: string): void {
        this.material.color.set(color);
    }

    destroy(): void {
        this.geometry.dispose();
        this.material.dispose();
        this.line.removeFromParent();
    }
}
