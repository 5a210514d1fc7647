/** What following a buffer tells of its branches alone: for walks over many buffers, in the same memory again and again. */
import type { Findings } from './findings.ts';
import { createBranches, NO_KIND, reserveBranches, type Branches } from './way.ts';

export interface BranchFindings {
  readonly columns: Branches;
  /** Forgets what was found, for a buffer with so many entries. */
  begin(entries: number): Findings;
}

export function createBranchFindings(): BranchFindings {
  const columns = createBranches();
  let knownFrom: number | null = null;
  const findings: Findings = {
    get knownFrom() {
      return knownFrom;
    },
    know(entry) {
      knownFrom ??= entry;
    },
    unknown: () => undefined,
    ways(first, _last, { branches, followed }, other) {
      if (other !== undefined) return;
      for (let k = first; k < first + followed; k++) {
        columns.kind[k] = branches.kind[k]!;
        columns.source[k] = branches.source[k]!;
        columns.target[k] = branches.target[k]!;
        columns.resume[k] = branches.resume[k]!;
      }
    },
    // It stands in the entry.
    vector: () => undefined,
  };
  return {
    columns,
    begin(entries) {
      reserveBranches(columns, entries);
      columns.kind.fill(NO_KIND, 0, entries);
      knownFrom = null;
      return findings;
    },
  };
}
