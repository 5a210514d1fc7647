/** What following a buffer tells of its branches alone: for walks over many buffers, in the same memory again and again. */
import { REASON, type Findings, type Reason } from './findings.ts';
import { createTrail, reserveSteps, type Trail } from './way.ts';

export interface BranchFindings {
  readonly trail: Trail;
  /** Somewhere in the buffer the image does not fit it. */
  disagrees(): boolean;
  /** Forgets what was found, for a buffer with so many entries. */
  begin(entries: number): Findings;
}

const DOUBTFUL: ReadonlySet<Reason> = new Set([REASON.disagree, REASON.enabled, REASON.registers]);

export function createBranchFindings(): BranchFindings {
  const trail = createTrail();
  let disagrees = false;
  const findings: { -readonly [K in keyof Findings]: Findings[K] } = {
    knownFrom: null,
    know(entry) {
      findings.knownFrom ??= entry;
    },
    unknown(_first, _last, reason) {
      disagrees ||= DOUBTFUL.has(reason);
    },
    ways(first, _last, way, other) {
      if (other !== undefined) return;
      const { steps } = trail;
      const found = way.trail.steps;
      for (let k = first; k < first + way.followed; k++) steps[k] = found[k]!;
    },
    // It stands in the entry.
    vector: () => undefined,
  };
  return {
    trail,
    disagrees: () => disagrees,
    begin(entries) {
      disagrees = false;
      reserveSteps(trail, entries);
      trail.steps.fill(-1, 0, entries);
      findings.knownFrom = null;
      return findings;
    },
  };
}
