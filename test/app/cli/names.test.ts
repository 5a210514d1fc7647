// Demangled names in answers, raw names on request, and addresses given by either.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeElf } from '../../unit/elf-writer.ts';
import { cli, folder, json, lines } from './driver.ts';

const trace = join(folder, 'mangled.txt');
const elf = join(folder, 'mangled.elf');
const list = join(folder, 'mangled.nm');
const image = ['--image', elf];

const CPP = '_ZN3app4workERKSt6vectorIiSaIiEE';
const RUST = '_RNvNtCs1234_5crate3app4work';
const CPP_NAME = 'app::work(std::vector<int, std::allocator<int> > const&)';
const RUST_NAME = 'crate::app::work';

beforeAll(() => {
  writeFileSync(
    trace,
    [
      '1 clk IT (1) 00008000 eb000001 A svc_s : BL       0x800c',
      '1 clk R r14_svc 00008004',
      '2 clk IT (2) 0000800c e12fff1e A svc_s : BX       lr',
      '3 clk IT (3) 00008004 eb000001 A svc_s : BL       0x8010',
      '3 clk R r14_svc 00008008',
      '4 clk IT (4) 00008010 e12fff1e A svc_s : BX       lr',
      '5 clk IT (5) 00008008 eb000001 A svc_s : BL       0x8014',
      '5 clk R r14_svc 0000800c',
      '6 clk IT (6) 00008014 e12fff1e A svc_s : BX       lr',
      '7 clk IT (7) 0000800c e12fff1e A svc_s : BX       lr',
      '',
    ].join('\n'),
  );
  writeFileSync(
    elf,
    writeElf({
      bits: 32,
      endian: 'little',
      machine: 40,
      sections: [{ name: '.text', address: 0x8000, bytes: new Uint8Array(0x20) }],
      symbols: [
        { name: '_start', value: 0x8000, size: 12 },
        { name: CPP, value: 0x800c, size: 4 },
        { name: RUST, value: 0x8010, size: 4 },
        { name: '_ZN1AC1Ei', value: 0x8014, size: 4 },
        { name: '_ZN1AC2Ei', value: 0x8014, size: 4 },
        { name: '_ZN1AC2Ev', value: 0x8018, size: 4 },
        { name: '_Zbroken', value: 0x801c, size: 4 },
      ],
    }),
  );
  writeFileSync(list, `00008000 T _start\n0000800c T ${CPP}\n00008010 T ${RUST}\n`);
});

const numbers = async (...args: readonly string[]): Promise<unknown[]> =>
  (await lines(['find', trace, ...image, ...args])).map(({ n }) => n);

describe('names in answers', () => {
  test.each([
    ['an ELF file', elf],
    ['a list of symbols', list],
  ])('are demangled with %s, and raw with --raw-names', async (_, path) => {
    const symbols = async (...more: readonly string[]): Promise<unknown[]> =>
      (await lines(['records', trace, '--image', path, '--count', '6', ...more])).map(({ symbol }) => symbol);
    expect(await symbols()).toEqual(['_start', undefined, CPP_NAME, '_start+0x4', undefined, RUST_NAME]);
    expect(await symbols('--raw-names')).toEqual(['_start', undefined, CPP, '_start+0x4', undefined, RUST]);
  });

  test('come with the raw name in JSON, only where it differs', async () => {
    const { functions } = (await json(['calls', trace, ...image])) as { functions: object[] };
    expect(functions.map((each) => ('symbol' in each ? each.symbol : undefined))).toEqual([
      undefined,
      CPP,
      RUST,
      '_ZN1AC1Ei',
    ]);
    expect(functions[1]).toMatchObject({ name: CPP_NAME, address: '0x800c' });
    expect(await json(['stack', trace, ...image, '--at', '5'])).toMatchObject([
      { function: RUST_NAME, symbol: RUST },
      { function: '_start' },
    ]);
    const raw = (await json(['calls', trace, ...image, '--raw-names'])) as { functions: object[] };
    expect(raw.functions[1]).toMatchObject({ name: CPP });
    expect(raw.functions[1]).not.toHaveProperty('symbol');
  });

  test('list a name once if several symbols of an address have it', async () => {
    const { functions } = (await json(['calls', trace, ...image])) as { functions: object[] };
    expect(functions.at(-1)).toMatchObject({ name: 'A::A(int)', aliases: [] });
    const raw = (await json(['calls', trace, ...image, '--raw-names'])) as { functions: object[] };
    expect(raw.functions.at(-1)).toMatchObject({ name: '_ZN1AC1Ei', aliases: ['_ZN1AC2Ei'] });
  });

  test('keep folded stacks parseable', async () => {
    const { stdout } = await cli(['calls', trace, ...image, '--folded']);
    expect(stdout.trimEnd().split('\n')).toEqual(
      expect.arrayContaining([
        '_start;app::work(std::vector<int,_std::allocator<int>_>_const&) 1',
        '_start;crate::app::work 1',
      ]) as string[],
    );
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^\S+ \d+$/);
  });
});

describe('--address', () => {
  test.each([
    ['the raw name', CPP, 2],
    ['the demangled name', CPP_NAME, 2],
    ['a demangled name with other blanks', 'app::work( std::vector<int,std::allocator<int>> const & )', 2],
    ['the name without parameters', 'app::work', 2],
    ['the raw name of a Rust function', RUST, 5],
    ['the path of a Rust function', RUST_NAME, 5],
    ['a constructor, whose symbols share their code', 'A::A(int)', 8],
  ])('accepts %s', async (_, name, n) => {
    expect((await numbers('--address', name))[0]).toBe(n);
    expect((await numbers('--address', name, '--raw-names'))[0]).toBe(n);
  });

  test('accepts an offset after a demangled name', async () => {
    expect(await numbers('--address', 'app::work+4')).toEqual([5]);
  });

  test.each([
    ['work', [`${CPP_NAME} at 0x800c`, `${RUST_NAME} at 0x8010`]],
    ['A::A', ['A::A(int) at 0x8014', 'A::A() at 0x8018']],
  ])('lists the candidates for %s', async (name, candidates) => {
    const { code, stdout, stderr } = await cli(['find', trace, ...image, '--address', name]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      `several symbols are called '${name}': ${candidates.join(', ')}; give the whole name or the address`,
    );
  });

  test('offers symbols with the same last name for a wrong path', async () => {
    const { stderr } = await cli(['find', trace, ...image, '--address', 'apps::work']);
    expect(stderr).toContain(`no image has a symbol 'apps::work'; similar: ${CPP_NAME}, ${RUST_NAME}`);
  });

  test('takes a symbol that is not understood as it is', async () => {
    expect((await cli(['find', trace, ...image, '--address', '_Zbroken'])).code).toBe(0);
    expect((await cli(['find', trace, ...image, '--address', 'broken'])).code).toBe(1);
  });
});
