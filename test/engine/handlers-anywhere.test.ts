/** Interrupts on processors with handlers at any address, right after branches through a register or the stack. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { BranchEdge } from '../../shared/requests/flow.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [240, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

type Code = readonly [opcode: string, text: string];

/** Instructions of the set; `slot`: every branch except `end` has a delay slot. */
interface Isa {
  readonly at: bigint;
  readonly other: Code;
  readonly call: Code;
  readonly jump: Code;
  readonly ret: Code;
  readonly end: Code;
  readonly slot?: boolean;
}

const ISAS: Readonly<Record<string, Isa>> = {
  x86: {
    at: 0x40_0000n,
    other: ['90', 'nop'],
    call: ['ffd0', 'call *%eax'],
    jump: ['ff2485a0804000', 'jmp *0x4080a0(,%eax,4)'],
    ret: ['c3', 'ret'],
    end: ['cf', 'iret'],
  },
  MIPS: {
    at: 0x8010_0000n,
    other: ['00000000', 'nop'],
    call: ['0320f809', 'jalr t9'],
    jump: ['03200008', 'jr t9'],
    ret: ['03e00008', 'jr ra'],
    end: ['42000018', 'eret'],
    slot: true,
  },
  'RISC-V': {
    at: 0x8000_0000n,
    other: ['00000013', 'nop'],
    call: ['000780e7', 'jalr ra,a5,0'],
    jump: ['00078067', 'jr a5'],
    ret: ['00008067', 'ret'],
    end: ['30200073', 'mret'],
  },
  'compressed RISC-V': {
    at: 0x8000_0000n,
    other: ['0001', 'c.nop'],
    call: ['9782', 'c.jalr a5'],
    jump: ['8782', 'c.jr a5'],
    ret: ['8082', 'c.jr ra'],
    end: ['30200073', 'mret'],
  },
  AArch64: {
    at: 0xffff_0000_0008_0000n,
    other: ['d503201f', 'nop'],
    call: ['d63f0100', 'blr x8'],
    jump: ['d61f0100', 'br x8'],
    ret: ['d65f03c0', 'ret'],
    end: ['d69f03e0', 'eret'],
  },
};

const FUNCTIONS = ['main', 'callee', 'tail', 'handler'] as const;
type Name = (typeof FUNCTIONS)[number];
type Step = readonly [fn: Name, code: 'other' | 'call' | 'jump' | 'ret' | 'end', open?: string];

const hex = (address: bigint): string => `0x${address.toString(16)}`;

/** Executes each function from beginning to end in the order of the steps; the handler restarts each time. */
function follow(isa: Isa, steps: readonly Step[]) {
  const startOf = (fn: Name): bigint => isa.at + 0x1000n * BigInt(FUNCTIONS.indexOf(fn));
  const next = new Map(FUNCTIONS.map((fn) => [fn, startOf(fn)]));
  const lines: string[] = [];
  const addresses: bigint[] = [];
  const open: string[] = [];
  for (const [fn, what, stack] of steps) {
    const codes = [isa[what], ...(isa.slot === true && !/other|end/.test(what) ? [isa.other] : [])];
    addresses.push(next.get(fn)!);
    for (const [opcode, text] of codes) {
      const n = lines.length + 1;
      const address = next.get(fn)!.toString(16).padStart(8, '0');
      lines.push(`${n} clk 0 IT (${n}) ${address} ${opcode} A svc : ${text}\n`);
      next.set(fn, next.get(fn)! + BigInt(opcode.length / 2));
      open.push(stack ?? fn);
    }
    if (what === 'end') next.set(fn, startOf(fn));
  }
  const symbols = FUNCTIONS.map((fn) => `${startOf(fn).toString(16).padStart(16, '0')} T ${fn}\n`).join('');
  const branch = (kind: string, from: number, to = from + 1, mark = ''): string =>
    `${kind} ${hex(addresses[from]!)} ${hex(addresses[to]!)}${mark}`;
  return { text: lines.join(''), symbols, open, branch };
}

/** Returns the steps with or without the first interrupt between two instructions. */
const PROVED: readonly Step[] = [
  ['main', 'other'],
  ['handler', 'other', 'main handler'],
  ['handler', 'end', 'main handler'],
];
const HIDDEN: readonly Step[] = [
  ['main', 'call'],
  ['handler', 'other', 'main callee handler'],
  ['handler', 'end', 'main callee handler'],
  ['callee', 'other', 'main callee'],
  ['callee', 'jump', 'main callee'],
  ['handler', 'other', 'main tail handler'],
  ['handler', 'end', 'main tail handler'],
  ['tail', 'other', 'main tail'],
  ['tail', 'ret', 'main tail'],
  ['handler', 'other', 'main handler'],
  ['handler', 'end', 'main handler'],
  ['main', 'other'],
];

describe.each(Object.entries(ISAS))('%s', (name, isa) => {
  test.each([
    ['with a handler seen elsewhere', PROVED],
    ['with a handler seen nowhere else', []],
  ])('separates interrupts after a call, a jump and a return, %s', async (how, first) => {
    const { text, symbols, open, branch } = follow(isa, [...first, ...HIDDEN]);
    const at = first.length;
    const file = place.file(`${name} ${how}.txt`, text);
    const nm = place.file('symbols.nm', symbols);
    await inEach(file, nm, async (engine, trace) => {
      const wanted = [
        ...(at === 0 ? [] : [branch('unknown', 0), branch('return', 2)]),
        ...[0, 4, 8].flatMap((from) => [
          branch('unknown', at + from, at + from + 1, ' inferred'),
          branch('return', at + from + 2),
        ]),
      ];
      const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
      expect(events.map(branchText)).toEqual(wanted);
      const backwards = await ask(engine, 'branchEvents', { trace, count: 100, backwards: true });
      expect(backwards.events).toEqual(events.toReversed());
      const { edges } = await ask(engine, 'branches', { trace });
      expect(edges.map(branchText).sort()).toEqual([...new Set(wanted)].sort());

      const graph = await ask(engine, 'calls', { trace });
      const names = new Map(graph.functions.map((fn) => [fn.id, fn.name]));
      const reported = graph.edges.map(
        ({ caller, callee, kind, count, inferred }) =>
          `${names.get(caller)!} ${names.get(callee)!} ${kind} ${count}${inferred ? ' inferred' : ''}`,
      );
      expect(reported.sort()).toEqual([
        'callee handler interrupt 1 inferred',
        'callee tail tail call 1 inferred',
        'main callee call 1 inferred',
        `main handler interrupt ${at === 0 ? 1 : 2} inferred`,
        'tail handler interrupt 1 inferred',
      ]);
      expect(graph.notes).toEqual([]);
      for (const [n, stack] of open.entries()) {
        const { frames } = await ask(engine, 'stack', { trace, at: n });
        expect(frames.map((frame) => frame.function).reverse(), `at ${n}`).toEqual(stack.split(' '));
        const sure = frames.filter(({ inferred }) => inferred !== true).map((frame) => frame.function);
        expect(sure, `at ${n}`).toEqual(['main']);
      }
    });
  });
});

test('executes a MIPS branch again if its delay slot did not run', async () => {
  const isa = ISAS['MIPS']!;
  const lines = [
    ['80100000', isa.call],
    ['80103000', isa.other],
    ['80103004', isa.end],
    ['80100000', isa.call],
    ['80100004', isa.other],
    ['80101000', isa.other],
  ] as const;
  const text = lines.map(
    ([address, [opcode, its]], i) => `${i + 1} clk 0 IT (${i + 1}) ${address} ${opcode} A svc : ${its}\n`,
  );
  const file = place.file('slot.txt', text.join(''));
  await inEach(file, undefined, async (engine, trace) => {
    const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
    expect(events.map(branchText)).toEqual([
      'unknown 0x80100000 0x80103000',
      'return 0x80103004 0x80100000',
      'call 0x80100000 0x80101000',
    ]);
  });
});

/** Address, opcode and text of each x86 instruction. */
function x86(lines: readonly string[]): string {
  return lines
    .map((line, i) => {
      const [address = '', opcode = '', ...text] = line.split(' ');
      return `${i + 1} clk 0 IT (${i + 1}) ${address} ${opcode} A svc : ${text.join(' ')}\n`;
    })
    .join('');
}

test('recognises interrupts after direct branches and faults without symbols', async () => {
  const lines = [
    '00400000 e8fb0f0000 call 0x401000',
    '00403000 90 nop',
    '00403001 cf iret',
    '00401000 7503 jne 0x401005',
    '00403000 90 nop',
    '00403001 cf iret',
    // Not taken.
    '00401002 8b00 mov (%eax),%eax',
    '00403000 90 nop',
    '00403001 cf iret',
    // A faulting instruction is executed again.
    '00401002 8b00 mov (%eax),%eax',
    '00401004 c3 ret',
    '00400005 90 nop',
  ];
  const file = place.file('direct.txt', x86(lines));
  await inEach(file, undefined, async (engine, trace) => {
    const { functions, edges, notes } = await ask(engine, 'calls', { trace });
    const names = new Map(functions.map((fn) => [fn.id, fn.name]));
    expect(
      edges
        .map(({ caller, callee, kind, count, inferred }) =>
          [names.get(caller)!, names.get(callee)!, kind, count, String(inferred)].join(' '),
        )
        .sort(),
    ).toEqual(['(unknown) 0x401000 call 1 true', '0x401000 interrupt 0x403000 interrupt 3 true']);
    expect(notes).toEqual([]);
    const { start, changes } = await ask(engine, 'depths', { trace, from: 0, count: lines.length });
    const at: number[] = [];
    let depth = start[0]?.depth ?? 0;
    lines.forEach((_, n) => {
      for (const change of changes) if (change.n === n) depth = change.depth;
      at.push(depth);
    });
    expect(at).toEqual([0, 2, 2, 1, 2, 2, 1, 2, 2, 1, 1, 0]);
  });
});

test('distinguishes calls of a handler by its return', async () => {
  const lines = [
    '00400000 90 nop',
    '00403000 90 nop',
    '00403001 cf iret',
    // After PUSHF.
    '00400001 ffd0 call *%eax',
    '00403000 90 nop',
    '00403001 cf iret',
    '00400003 ffd0 call *%eax',
    '00403000 eb0e jmp 0x403010',
    '00403010 c3 ret',
    '00400005 90 nop',
  ];
  const file = place.file('called.txt', x86(lines));
  const nm = place.file('called.nm', '00400000 T main\n00403000 T handler\n');
  await inEach(file, nm, async (engine, trace) => {
    const { events } = await ask(engine, 'branchEvents', { trace, count: 100, kinds: ['call', 'unknown'] });
    expect(events.map(branchText)).toEqual([
      'unknown 0x400000 0x403000',
      'unknown 0x400001 0x403000 inferred',
      'unknown 0x400003 0x403000 inferred',
    ]);
    const { edges, notes } = await ask(engine, 'calls', { trace });
    expect(edges.map(({ kind, count, inferred }) => `${kind} ${count} ${String(inferred)}`).sort()).toEqual([
      'call 2 false',
      'interrupt 1 true',
    ]);
    expect(notes).toEqual([]);
  });
});

describe('without symbols, a return from an exception', () => {
  // JMP *EAX at 0x400000 and 0x401000, then an IRET in the code at 0x403000: an interrupt came after one of the two jumps.
  const eitherJump = ['00400000 ffe0 jmp *%eax', '00401000 ffe0 jmp *%eax', '00403000 cf iret'];

  test('leaves all branches unknown of which one may have been an interrupt', async () => {
    await expectBranches(
      'either',
      [...eitherJump, '00400010 90 nop'],
      ['unknown 0x400000 0x401000 inferred', 'unknown 0x401000 0x403000 inferred', 'return 0x403000 0x400010'],
    );
  });

  test('leaves only the handler unknown if another interrupt shows which address that is', async () => {
    const again = ['00400010 ffe0 jmp *%eax', '00403000 cf iret', '00400020 90 nop'];
    await expectBranches(
      'alone',
      [...eitherJump, ...again],
      [
        'jump 0x400000 0x401000',
        'unknown 0x401000 0x403000 inferred',
        'return 0x403000 0x400010',
        'unknown 0x400010 0x403000 inferred',
        'return 0x403000 0x400020',
      ],
    );
  });

  test('does not seem to lead to the handler of an interrupt right after it', async () => {
    const lines = ['00400000 90 nop', '00403000 cf iret', '00404000 90 nop', '00404001 cf iret', '00400001 90 nop'];
    await expectBranches('chained', lines, [
      'unknown 0x400000 0x403000',
      'unknown 0x403000 0x404000 inferred',
      'return 0x404001 0x400001',
    ]);
  });
});

test('still knows returns to an address at which a thread once continued', async () => {
  const called = ['00400000 ffd0 call *%eax', '00401000 90 nop'];
  const lines = [
    // Another thread continues in the caller: no instruction leads there.
    ...called,
    '00400002 ebfc jmp 0x400000',
    ...called,
    '00401001 c3 ret',
    '00400002 ebfc jmp 0x400000',
    '00400000 ffd0 call *%eax',
  ];
  await expectBranches('continued', lines, [
    'call 0x400000 0x401000',
    'unknown 0x401000 0x400002',
    'jump 0x400002 0x400000',
    'call 0x400000 0x401000',
    'return 0x401001 0x400002',
    'jump 0x400002 0x400000',
  ]);
});

/** Checks that the x86 instructions, without symbols, have exactly the branches. */
async function expectBranches(name: string, lines: readonly string[], wanted: readonly string[]): Promise<void> {
  await inEach(place.file(`${name}.txt`, x86(lines)), undefined, async (engine, trace) => {
    const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
    expect(events.map(branchText)).toEqual(wanted);
  });
}

/** Runs the check on each engine, with the trace opened and indexed. */
async function inEach(path: string, nm: string | undefined, check: (engine: Engine, trace: string) => Promise<void>) {
  const images = nm === undefined ? [] : [{ path: nm }];
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path, format: 'tarmac', images });
    await ask(engine, 'index', { trace });
    await check(engine, trace);
    await ask(engine, 'close', { trace });
  }
}

function branchText({
  kind,
  source,
  target,
  inferred,
}: Pick<BranchEdge, 'kind' | 'source' | 'target' | 'inferred'>): string {
  return [kind, source ?? '?', target ?? '?', ...(inferred ? ['inferred'] : [])].join(' ');
}
