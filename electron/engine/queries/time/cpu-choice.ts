/** Chooses the CPU whose calls an answer is about: the requested one, or else the first in the trace. */
export interface CpuChoice {
  /** Known CPUs in order of appearance. */
  readonly cpus: readonly number[];
  /** Returns the chosen CPU; undefined if none is known yet. */
  chosen(): number | undefined;
  /** Takes the next CPU of a walk, below 0 if it is unknown. Returns true if its calls are wanted. */
  take(cpu: number): boolean;
}

export function chooseCpu(wanted: number | undefined): CpuChoice {
  const cpus: number[] = [];
  return {
    cpus,
    chosen: () => wanted ?? cpus[0],
    take(cpu) {
      const isFirst = cpus.length === 0;
      if (cpu >= 0) cpus.push(cpu);
      return wanted === undefined ? isFirst : cpu === wanted;
    },
  };
}

/** Returns the choice among CPUs of which something is kept, and what is kept of the chosen one. */
export function keptOf<T>(
  kept: ReadonlyMap<number, T>,
  wanted: number | undefined,
): { readonly cpus: readonly number[]; readonly cpu: number | undefined; readonly of: T | undefined } {
  const seen = [...kept.keys()];
  const cpus = seen.filter((cpu) => cpu >= 0);
  const cpu = wanted ?? cpus[0];
  return { cpus, cpu, of: kept.get(cpu ?? seen[0] ?? -1) };
}
