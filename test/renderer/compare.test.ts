/** Differences of two runs, effects of an instruction in both, and the steps that made a value in both. */
import { describe, expect, test } from 'vitest';
import type { Diff, DiffRegion, RegionKind } from '../../shared/requests/diff.ts';
import type { RecordView } from '../../shared/records/record.ts';
import type { Why, WhyStep } from '../../shared/requests/why.ts';
import { alignmentOf, differenceNumber, kindAt, nextDifference } from '../../renderer/features/compare/differences.ts';
import { branchNoteWords } from '../../renderer/features/compare/branches/branch-note.ts';
import { differenceWords } from '../../renderer/features/compare/difference-note.ts';
import { effectPairs, loneEffects } from '../../renderer/features/compare/effects-apart.ts';
import { factsOf } from '../../renderer/features/compare/pair/facts-words.ts';
import { questionOf, refusalOf } from '../../renderer/features/compare/pair/question.ts';
import { stepValue, whyPairs } from '../../renderer/features/compare/why-pairs.ts';

describe('options of a comparison', () => {
  const options = { cpu: undefined, by: 'values', ignore: [], confirm: false } as const;

  test('are the question that diff answers', () => {
    expect(questionOf(options)).toEqual({});
    const ignore = ['cpsr', '0x8000 - 0x80FF', 'tick', '0x10'];
    expect(questionOf({ cpu: 1, by: 'path', ignore, confirm: true })).toEqual({
      cpu: 1,
      by: 'path',
      ignore: ['cpsr', 'tick'],
      ignoreRanges: [
        { low: '0x8000', high: '0x80ff' },
        { low: '0x10', high: '0x10' },
      ],
      confirm: true,
    });
  });

  test('refuse what cannot be ignored', () => {
    expect(['tick', '0x10', '0x20-0x10', '4096', '0x', 'cpsr'].map((text) => refusalOf(text, ['cpsr']))).toEqual([
      undefined,
      undefined,
      'The last address is before the first one.',
      'Type addresses in hexadecimal, such as 0x8000-0x80ff.',
      'Type addresses in hexadecimal, such as 0x8000-0x80ff.',
      'cpsr is ignored already.',
    ]);
  });

  test('are named with what they left out', () => {
    const found = { by: 'values', of: 'instructions', confirmed: 'fingerprints' } as unknown as Diff;
    const textsOf = (more: Partial<Diff>, isPartial = false) =>
      factsOf({ ...found, ...more }, isPartial).map(({ text }) => text);
    const ignored = {
      registers: ['cpsr'],
      functions: [],
      ranges: [],
      instructionsA: 0,
      instructionsB: 0,
      callsKnown: true,
    };
    expect(textsOf({})).toEqual(['Equal stretches by fingerprints']);
    expect(textsOf({ by: 'path' })[0]).toBe('Values do not count');
    expect(textsOf({ by: 'path' }, true)).toEqual(['Equal stretches by fingerprints']);
    expect(textsOf({ ignored, confirmed: 'decoded' })).toEqual(['Ignored: cpsr', 'Every instruction was compared']);
    expect(
      textsOf({
        by: 'symbol',
        withoutSymbol: { a: 1, b: 2 },
        ignored: { ...ignored, functions: ['tick'], instructionsA: 1000, callsKnown: false },
      }),
    ).toEqual([
      'By function',
      '1 instruction of A and 2 of B by address',
      'Ignored: cpsr, tick: 1,000 instructions of A and 0 of B',
      'Only their own code is ignored',
      'Equal stretches by fingerprints',
    ]);
  });
});

function region(kind: RegionKind, instructionsA: number, instructionsB: number): DiffRegion {
  return { kind, a: [0, 0], b: [0, 0], instructionsA, instructionsB };
}

describe('differences', () => {
  // Rows: 0-9 same, 10-12 a-only, 13-14 b-only, 15-19 same, 20-26 not aligned, 27 same.
  const alignment = alignmentOf([
    region('same', 10, 10),
    region('a-only', 3, 0),
    region('b-only', 0, 2),
    region('same', 5, 5),
    region('not-aligned', 4, 7),
    region('same', 1, 1),
  ]);

  test('adjacent regions that are not the same are one difference', () => {
    expect([...alignment.starts]).toEqual([10, 20]);
    expect(alignment.rows).toBe(28);
  });

  test('what only one trace shows is no difference', () => {
    const captured = alignmentOf([
      region('not-compared', 9, 0),
      region('same', 4, 4),
      region('a-only', 1, 0),
      region('b-only', 0, 1),
      region('not-compared', 2, 0),
      region('a-only', 1, 0),
    ]);
    expect([...captured.starts]).toEqual([13, 17]);
    expect(captured.firstShared).toBe(9);
  });

  test('a note about branches names both ends in each run', () => {
    const branches = { a: { source: '0x10', sourceSymbol: 'f', target: '0x20' }, b: { target: '0x24' } } as const;
    expect(branchNoteWords({ a: 5, b: 7, differs: false, branches }, ['a.txt', '/runs/b.csv, 90 bytes'])).toEqual({
      title: 'Runs part here: A from f to 0x20, B from unknown to 0x24',
      text: '- A, `a.txt`: `record 5, from f to 0x20`\n- B, `/runs/b.csv, 90 bytes`: `record 7, from unknown to 0x24`',
    });
    const alone = { a: null, b: branches.b };
    expect(
      branchNoteWords({ a: -1, b: 7, differs: false, branches: alone }, ['a.txt', '/runs/b.csv, 90 bytes']),
    ).toEqual({
      title: 'Only B branches here: from unknown to 0x24',
      text: '- A, `a.txt`: no branch in this row\n- B, `/runs/b.csv, 90 bytes`: `record 7, from unknown to 0x24`',
    });
  });

  test('steps to the next and the previous difference', () => {
    expect([-1, 0, 10, 12, 20, 27].map((row) => nextDifference(alignment, row, 1))).toEqual([
      10,
      10,
      20,
      20,
      undefined,
      undefined,
    ]);
    expect([0, 10, 11, 20, 27].map((row) => nextDifference(alignment, row, -1))).toEqual([
      undefined,
      undefined,
      10,
      10,
      20,
    ]);
    expect([0, 9, 10, 19, 20, 27].map((row) => differenceNumber(alignment, row))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('knows the kind of each row', () => {
    expect([0, 9, 10, 12, 13, 14, 15, 20, 26, 27].map((row) => kindAt(alignment, row))).toEqual([
      ...['same', 'same', 'a-only', 'a-only', 'b-only', 'b-only', 'same'],
      ...['not-aligned', 'not-aligned', 'same'],
    ]);
  });
});

/** An instruction at record 0 with its effects. */
function recordsOf(...effects: readonly Partial<RecordView>[]) {
  const records = [{ kind: 'instruction' } as const, ...effects].map(
    (fields, n) => ({ n, offset: 0, bytes: 1, native: '', ...fields }) as RecordView,
  );
  return (n: number) => records[n];
}

describe('effects of an instruction in both runs', () => {
  const differing = (a: ReturnType<typeof recordsOf>, b: ReturnType<typeof recordsOf>, shift = 0n) =>
    effectPairs(0, 0, a, b, shift).map(({ register, address, differs }) => [register ?? address, differs]);

  test('compares registers by name, and leaves out those that only one trace records', () => {
    const a = recordsOf(
      { kind: 'register', register: 'r0', value: '0x1' },
      { kind: 'register', register: 'r1', value: '0x2' },
      { kind: 'register', register: 'r2', value: '0x3' },
    );
    const b = recordsOf(
      { kind: 'register', register: 'r2', value: '0x3' },
      { kind: 'register', register: 'r0', value: '0x5' },
    );
    expect(differing(a, b)).toEqual([
      ['r0', true],
      ['r2', false],
    ]);
  });

  test('names the effects that only one trace records', () => {
    const flags = { kind: 'register', register: 'cpsr', value: '0x8' } as const;
    const load = { kind: 'read', address: '0x10', size: 4, value: '0x7' } as const;
    const lone = (a: ReturnType<typeof recordsOf>, b: ReturnType<typeof recordsOf>) => loneEffects(0, 0, a, b);
    expect(lone(recordsOf(load, flags), recordsOf(load))).toEqual([{ side: 'a', n: 2, register: 'cpsr' }]);
    expect(lone(recordsOf(flags), recordsOf(load, flags))).toEqual([{ side: 'b', n: 1 }]);
    expect(lone(recordsOf(load, flags), recordsOf(load, flags))).toEqual([]);
    const aborted = { ...load, flags: ['aborted'] } as const;
    expect(lone(recordsOf(load, flags), recordsOf(aborted))).toEqual([]);
  });

  test('an unknown value differs from none', () => {
    const a = recordsOf({ kind: 'write', address: '0x10', size: 4 });
    const b = recordsOf({ kind: 'write', address: '0x10', size: 4, value: '0x7' });
    expect(differing(a, b)).toEqual([['0x10', false]]);
  });

  test('writes to other addresses differ, unless the programs are as far apart', () => {
    const a = recordsOf({ kind: 'write', address: '0x10', size: 4, value: '0x7' });
    const b = recordsOf({ kind: 'write', address: '0x110', size: 4, value: '0x7' });
    expect(differing(a, b)).toEqual([['0x10', true]]);
    expect(differing(a, b, 0x100n)).toEqual([['0x10', false]]);
  });
});

describe('steps of both runs', () => {
  function step(n: number, address: `0x${string}`, register: string, value: `0x${string}`): WhyStep {
    return { n, address, kind: 'computed', defines: [{ register, cpu: null, value }], uses: [] } as unknown as WhyStep;
  }
  const why = (...steps: readonly WhyStep[]): Why => ({ steps }) as unknown as Why;

  test('steps of the same instruction are in one row, also with other values and parts of the register', () => {
    const a = why(step(30, '0x8', 'r0', '0x1'), step(20, '0x4', 'r1', '0x2'), step(10, '0x0', 'r2<7:0>', '0x3'));
    const b = why(step(31, '0x8', 'r0', '0x9'), step(11, '0x0', 'r2', '0x103'));
    const pairs = whyPairs({ a, b }, 0n).map(({ a: own, b: its, kind }) => [own?.n, kind, its?.n]);
    expect(pairs).toEqual([
      [30, 'values', 31],
      [20, 'a-only', undefined],
      [10, 'same', 11],
    ]);
  });

  test('a program that was loaded elsewhere has the same steps', () => {
    const pairs = whyPairs({ a: why(step(1, '0x8', 'r0', '0x1')), b: why(step(2, '0x108', 'r0', '0x1')) }, 0x100n);
    expect(pairs.map(({ kind }) => kind)).toEqual(['same']);
  });

  test('shows a run that does not have the value alone', () => {
    const pairs = whyPairs({ a: null, b: why(step(2, '0x8', 'r0', '0x1')) }, 0n);
    expect(pairs.map(({ kind, b }) => [kind, b && stepValue(b)])).toEqual([['b-only', 'r0 = 0x1']]);
  });
});

describe('notes of differences', () => {
  const record = (n: number, address: string): RecordView =>
    ({ n, offset: 0, bytes: 1, native: '', kind: 'instruction', address, symbol: 'main+0x4' }) as RecordView;
  const [a, b] = [record(200, '0x8130'), record(195, '0x9148')];
  const facts = { isFirst: true, a, b, apart: [], names: ['good.log', 'bad`.log'] as const, shift: 0n };

  test('name what each run does where they part', () => {
    expect(differenceWords({ ...facts, kind: 'a-only' })).toEqual({
      title: 'Runs part here: A at 0x8130 main+0x4, B at 0x9148 main+0x4',
      text: "- A, `good.log`: `record 200, 0x8130 main+0x4`\n- B, `bad'.log`: `record 195, 0x9148 main+0x4`",
    });
    expect(differenceWords({ ...facts, kind: 'a-only', b: undefined }).title).toBe(
      'Runs part here: A at 0x8130 main+0x4, B has ended',
    );
  });

  test('do not claim that runs part at the same instruction', () => {
    expect(differenceWords({ ...facts, kind: 'a-only', shift: 0x1018n }).title).toBe(
      'Only A executes 0x8130 main+0x4 here',
    );
    expect(differenceWords({ ...facts, kind: 'not-aligned' }).title).toMatch(/^Not aligned from here: /);
  });
});
