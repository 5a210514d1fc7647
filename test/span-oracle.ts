/** A slow, independent computation of the spans of calls over time: one record after the other. */

export interface Stay {
  readonly fn: string;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
}

export interface OracleSpan extends Stay {
  readonly calls: number;
  readonly open: number;
}

/** Stays must be cut to the records [from, to). Returns spans ordered by depth and record. */
export function spansByRecord(
  stays: readonly Stay[],
  from: number,
  to: number,
  columns: number,
): readonly OracleSpan[] {
  const isLong = (stay: Stay): boolean => (stay.to - stay.from) * columns >= to - from;
  const depths = [...new Set(stays.map(({ depth }) => depth))].sort((a, b) => a - b);
  return depths.flatMap((depth) => {
    const here = stays.filter((stay) => stay.depth === depth);
    const owners = new Array<Stay | undefined>(to - from);
    for (const stay of here) owners.fill(stay, stay.from - from, stay.to - from);
    const stayAt = (n: number): Stay | undefined => owners[n - from];
    /** Stretches of records of one column without a long stay. */
    const cells: { readonly column: number; readonly records: number[] }[] = [];
    let before: Stay | undefined;
    for (let n = from; n < to; n++) {
      const stay = stayAt(n);
      const column = Math.floor(((n - from) * columns) / (to - from));
      if (stay !== undefined && !isLong(stay)) {
        const last = cells.at(-1);
        const isApart = before !== undefined && isLong(before);
        if (last?.column === column && !isApart) last.records.push(n);
        else cells.push({ column, records: [n] });
      }
      if (stay !== undefined) before = stay;
    }
    const most = cells.map(({ records }) => {
      const counts = new Map<string, number>();
      for (const n of records) counts.set(stayAt(n)!.fn, (counts.get(stayAt(n)!.fn) ?? 0) + 1);
      return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
    });
    const longs = here.filter(isLong);
    const groups: { readonly fn: string; column: number; readonly records: number[] }[] = [];
    cells.forEach(({ column, records }, at) => {
      const fn = most[at]!;
      const last = groups.at(-1);
      const between = longs.some(
        (stay) => last !== undefined && stay.from >= last.records.at(-1)! && stay.to <= records[0]!,
      );
      if (last?.fn === fn && last.column === column - 1 && !between) {
        last.column = column;
        last.records.push(...records);
      } else groups.push({ fn, column, records: [...records] });
    });
    const joined = groups.map(({ fn, records }): OracleSpan => {
      const own = records.filter((n) => stayAt(n)!.fn === fn);
      const calls = new Set(own.map(stayAt)).size;
      return { fn, depth, from: own[0]!, to: own.at(-1)! + 1, calls, open: own.length };
    });
    const long = longs.map((stay): OracleSpan => ({ ...stay, calls: 1, open: stay.to - stay.from }));
    return [...joined, ...long].sort((a, b) => a.from - b.from);
  });
}
