// The command line as scripts use it: real processes on the sample traces. What the records are comes from the samples'
// goldens, which the decoders' own tests hold; counts, pages, matches and heatmaps are counted here again from them.
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createFrameReader } from '../../shared/wire.ts';
import { NODE } from '../../electron/engine/store/index-file.ts';
import { CLI, finish, runCli, startCli } from './run-cli.ts';

const samples = fileURLToPath(new URL('../samples', import.meta.url));
const BYU = join(samples, 'byu6', 'complete', 'trace.byu');
const PAGE = fileURLToPath(new URL('../../dist/page/index.html', import.meta.url));
const CUT = join(samples, 'byu6', 'cut-tail', 'trace.byu');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracebench-cli-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('answers', () => {
  test('formats lists ids, dialects and options', async () => {
    const formats = (await json(['formats'])) as {
      id: string;
      dialects: string[];
      options: { name: string; values: string[] }[];
    }[];
    expect(formats.map(({ id, dialects }) => ({ id, dialects }))).toEqual([
      { id: 'byu6', dialects: [] },
      { id: 'tarmac', dialects: expect.arrayContaining(['qemu4v']) as unknown },
    ]);
    expect(Object.keys(formats[0] ?? {})).toEqual(['id', 'name', 'dialects', 'extensions', 'options']);
    expect(formats[0]?.options.map(({ name, values }) => ({ name, values }))).toEqual([
      { name: 'endian', values: ['auto', 'big', 'little'] },
    ]);
  });

  test('info says what the file is, in the promised order', async () => {
    const info = (await json(['info', BYU])) as Record<string, unknown>;
    expect(Object.keys(info)).toEqual([
      'file',
      'format',
      'records',
      'kinds',
      'native',
      'address',
      'diagnostics',
      'index',
    ]);
    const records = golden(BYU);
    const addresses = records.map(({ address }) => address);
    expect(info).toMatchObject({
      file: { path: BYU, bytes: readFileSync(BYU).length },
      format: { id: 'byu6', options: { endian: 'big' } },
      records: records.length,
      kinds: tally(records.map(({ kind }) => kind)),
      native: tally(records.map(({ native }) => native)),
      address: {
        lowest: hex(Math.min(...addresses)),
        pages: new Set(addresses.map((address) => Math.floor(address / 4096))).size,
      },
      diagnostics: [],
      index: { complete: true },
    });
  });

  test.each([
    ['byu6/complete', []],
    ['byu6/garbage-inside', []],
    ['tarmac/seed', []],
  ])('records of %s are those of its golden', async (sample, options) => {
    const trace = traceOf(sample);
    const records = await lines(['records', trace, '--count', '100000', ...options]);
    const expected = golden(trace).map(({ n, offset, bytes, kind, native }) => ({ n, offset, bytes, kind, native }));
    expect(records.map(({ n, offset, bytes, kind, native }) => ({ n, offset, bytes, kind, native }))).toEqual(expected);
  });

  test('a record has its keys in the promised order, absent ones left out', async () => {
    const [record] = await lines(['records', BYU, '--from', '2', '--count', '1']);
    expect(JSON.stringify(record)).toBe(
      '{"n":2,"offset":12,"bytes":6,"kind":"read","native":"NC_D_READ","address":"0x1007c8","size":2}',
    );
  });

  test('records from a place, with grouping, short at the end, none beyond it', async () => {
    const all = golden(BYU).length;
    expect((await lines(['records', BYU, '--from', '1_0', '--count', '3'])).map(({ n }) => n)).toEqual([10, 11, 12]);
    expect((await lines(['records', BYU, '--from', String(all - 2)])).map(({ n }) => n)).toEqual([all - 2, all - 1]);
    expect(await lines(['records', BYU, '--from', '1,000,000'])).toEqual([]);
    expect(await lines(['records', BYU, '--count', '0'])).toEqual([]);
  });

  test('pages count each kind and tell the first and last record', async () => {
    const pages = new Map<number, { kinds: string[]; ns: number[] }>();
    for (const { n, kind, address } of golden(BYU)) {
      const page = Math.floor(address / 4096) * 4096;
      const row = pages.get(page) ?? { kinds: [], ns: [] };
      pages.set(page, { kinds: [...row.kinds, kind], ns: [...row.ns, n] });
    }
    const expected = [...pages]
      .sort(([a], [b]) => a - b)
      .map(([page, { kinds, ns }]) => ({ page: hex(page), kinds: tally(kinds), first: ns[0], last: ns.at(-1) }));
    expect(await json(['pages', BYU])).toEqual(expected);
    const large = (await json(['pages', BYU, '--size', '1G'])) as { page: string }[];
    expect(large.map(({ page }) => page)).toEqual(['0x0']);
  });

  test('find walks forward and backward', async () => {
    const writes = golden(BYU)
      .filter(({ kind }) => kind === 'write')
      .map(({ n }) => n);
    const found = async (...args: string[]) => (await lines(['find', BYU, ...args])).map(({ n }) => n);
    expect(await found('--kind', 'write')).toEqual(writes.slice(0, 1));
    expect(await found('--kind', 'write', '--limit', '100000')).toEqual(writes);
    expect(await found('--kind', 'write', '--after', String(writes[0]))).toEqual(writes.slice(1, 2));
    expect(await found('--kind', 'write', '--before', '1000000', '--limit', '3')).toEqual(writes.slice(-3).reverse());
    const touching = golden(BYU).filter(({ address, size }) => address <= 0x1007cb && address + size > 0x1007c9);
    expect(await found('--address', '0x1007c9-0x1007cb', '--limit', '1000')).toEqual(touching.map(({ n }) => n));
    expect(await found('--address', '0xfffffff0')).toEqual([]);
  });

  test('find takes values wider than an address', async () => {
    const path = join(folder, 'wide.txt');
    const value = '0x112233445566778899aabbccddeeff';
    const access = '1 clk MR16 00001000 00112233445566778899aabbccddeeff';
    writeFileSync(path, `1 clk 0 IT (1) 00008000 e59f0060 A svc : ldr r0, [pc, #0x60]\n${access}\n`);
    expect(await lines(['find', path, '--format', 'tarmac', '--value', value])).toMatchObject([{ n: 1, value }]);
  });

  test('heat counts every access in its cell', async () => {
    const [columns, rows, low, high] = [7, 5, 0x100000, 0x101000];
    const records = golden(BYU);
    const to = records.length;
    const edges = Array.from({ length: columns + 1 }, (_, c) => (c === columns ? to : Math.floor((to * c) / columns)));
    const counts = Array.from({ length: rows }, () => Array<number>(columns).fill(0));
    for (const { n, address } of records) {
      if (address < low || address >= high) continue;
      const row = counts[Math.floor(((address - low) * rows) / (high - low))] ?? [];
      const column = edges.findLastIndex((edge) => edge <= n);
      row[column] = (row[column] ?? 0) + 1;
    }
    const heat = await json(['heat', BYU, '--columns', '7', '--rows', '5', '--low', hex(low), '--high', hex(high)]);
    expect(JSON.stringify(heat)).toBe(
      JSON.stringify({ columns, rows, from: 0, to, low: hex(low), high: hex(high), counts }),
    );
  });

  test('heat covers the whole trace by default and has just the asked cells', async () => {
    const heat = (await json(['heat', BYU])) as { columns: number; rows: number; counts: number[][] };
    expect([heat.columns, heat.rows, heat.counts.length, heat.counts[0]?.length]).toEqual([64, 32, 32, 64]);
    expect(heat.counts.flat().reduce((sum, count) => sum + count, 0)).toBe(golden(BYU).length);
  });

  test('heat draws SVG and PNG files, and writes JSON', async () => {
    for (const name of ['heat.svg', 'heat.png', 'heat.json']) {
      const path = join(folder, name);
      const written = await json(['heat', BYU, '-o', path]);
      expect(written).toEqual({ path, bytes: readFileSync(path).length });
    }
    expect(readFileSync(join(folder, 'heat.svg'), 'utf8')).toMatch(/^<svg [^]*>0x100000<[^]*<\/svg>\n$/);
    expect(PNG.sync.read(readFileSync(join(folder, 'heat.png'))).width).toBeGreaterThan(1000);
    expect(JSON.parse(readFileSync(join(folder, 'heat.json'), 'utf8'))).toMatchObject({ columns: 64, rows: 32 });
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test('index reports what it did, and the next time that it had nothing to do', async () => {
    const first = (await json(['index', BYU, '--force'])) as Record<string, unknown>;
    expect(Object.keys(first).slice(0, 8)).toEqual([
      'records',
      'bytes',
      'seconds',
      'bytesPerSecond',
      'indexBytes',
      'peakRssBytes',
      'jobs',
      'reader',
    ]);
    expect(first).toMatchObject({
      records: golden(BYU).length,
      bytes: readFileSync(BYU).length,
      built: true,
      complete: true,
    });
    expect(await json(['index', BYU])).toMatchObject({ built: false, complete: true });
    expect(await json(['index', BYU, '--force', '--jobs', '1'])).toMatchObject({ built: true, jobs: 1 });
  });

  test('tables for people are aligned, and numbers grouped', async () => {
    const { code, stdout } = await cli(['records', BYU, '--from', '0', '--count', '3']);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'record  kind   native       address  size',
        '     0  fetch  NC_I_FETCH  0x100000     8',
        '     1  fetch  NC_I_FETCH  0x100008     8',
        '     2  read   NC_D_READ   0x1007c8     2',
        '',
      ].join('\n'),
    );
  });
});

describe('what is wrong', () => {
  test.each([
    ['no command', [], 'name a command; `tracebench help` lists them'],
    ['an unknown command', ['inof'], "there is no command 'inof'; `tracebench help` lists them"],
    ['no trace', ['info'], 'info: name a trace file'],
    ['two traces', ['info', BYU, 'b'], "info: 'b' is one name too many"],
    [
      'an unknown option',
      ['info', BYU, '--frobnicate'],
      'info: there is no option --frobnicate; `tracebench help info` lists them',
    ],
    ['a value for a switch', ['info', BYU, '--strict=1'], '--strict takes no value'],
    [
      'a negative number',
      ['records', BYU, '--from', '-1'],
      "--from must be a record number such as 1000 or 1,000,000, not '-1'",
    ],
    ['an option without its value', ['records', BYU, '--from'], '--from needs a value'],
    [
      'a wrong number',
      ['records', BYU, '--from', 'x'],
      "--from must be a record number such as 1000 or 1,000,000, not 'x'",
    ],
    [
      'an unknown kind',
      ['find', BYU, '--kind', 'reads'],
      /^--kind must be one or more of instruction, .*, not 'reads'$/,
    ],
    ['nothing to find', ['find', BYU], 'find: say what to find with --address, --kind, --value or --text'],
    [
      'both directions',
      ['find', BYU, '--kind', 'read', '--after', '1', '--before', '2'],
      'find: give --after or --before, not both',
    ],
    ['a page of 5000 bytes', ['pages', BYU, '--size', '5000'], '--size must be a power of two from 4096 on, not 5000'],
    [
      'a span upside down',
      ['heat', BYU, '--low', '0x20', '--high', '0x10'],
      '--low must be less than --high, and 0x20 is not less than 0x10',
    ],
    [
      'a span upside down, known before any trace is read',
      ['heat', 'missing', '--low', '0x20', '--high', '0x20'],
      '--low must be less than --high, and 0x20 is not less than 0x20',
    ],
    [
      'a sample too small for one record',
      ['sample', '--format', 'byu6', '--size', '5', '-o', 'x'],
      'sample: not one record fits in 5 bytes; ask for a larger size',
    ],
    [
      'an unknown value of an option of a text format',
      ['info', traceOf('tarmac/seed'), '--option', 'endian=middle'],
      'tarmac cannot read endian=middle: choose little or big',
    ],
    [
      'a drawing of no known kind',
      ['heat', BYU, '-o', 'x.gif'],
      "--output must end in .svg, .png or .json, not 'x.gif'",
    ],
    [
      'an image',
      ['info', BYU, '--image', 'a.elf'],
      '--image: program images are not supported yet; leave the option out',
    ],
    ['an unknown format', ['info', BYU, '--format', 'x'], /^--format must be one of byu6, .* not 'x'$/],
    ['an unknown option of the format', ['info', BYU, '--option', 'x=1'], 'byu6 has no option x: it has endian'],
    [
      'an unknown value of an option',
      ['info', BYU, '--option', 'endian=x'],
      'byu6 cannot read endian=x: choose auto, big or little',
    ],
  ])('%s is wrong usage: one line, exit code 2', async (_, args, message) => {
    const { code, stdout, stderr } = await cli(args);
    expect(stderr.replace(/^tracebench: /, '').trimEnd()).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
    expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
  });

  test.each([
    ['missing.byu', /^missing\.byu: there is no such file/],
    ['folder', /^folder: this is a folder/],
    ['empty.byu', /^empty\.byu: the file is empty, .*; check /],
    ['text.txt', /^text\.txt: no known trace format fits, at byte 0 /],
    ['packed.gz', /^packed\.gz: this is a gzip file, at byte 0; /],
    ['packed.tar', /^packed\.tar: this is a tar archive, at byte 257; unpack it with tar -xf /],
    ['utf-16.txt', /^utf-16\.txt: this is UTF-16 text, at byte 0; convert it to UTF-8 /],
    ['returns.txt', /^returns\.txt: no known trace format fits, at byte 0 \(the lines end in CR alone.*convert them/],
  ])('%s cannot be used: one line that names it, exit code 1', async (name, message) => {
    mkdirSync(join(folder, 'folder'), { recursive: true });
    writeFileSync(join(folder, 'empty.byu'), '');
    writeFileSync(join(folder, 'text.txt'), 'once upon a time\n');
    const text = readFileSync(traceOf('tarmac/arm-sort'), 'utf8');
    writeFileSync(join(folder, 'utf-16.txt'), Buffer.from(text, 'utf16le'));
    writeFileSync(join(folder, 'returns.txt'), text.replaceAll('\n', '\r'));
    const header = Buffer.alloc(512);
    header.write('trace.byu');
    header.write('ustar', 257);
    writeFileSync(join(folder, 'packed.tar'), Buffer.concat([header, readFileSync(BYU)]));
    writeFileSync(join(folder, 'packed.gz'), Buffer.from('1f8b0800000000000003030000000000', 'hex'));
    const { code, stdout, stderr } = await runCli(['info', name, '--json', '--quiet'], { cwd: folder });
    expect(stderr).toMatch(/^tracebench: [^\n]*\n$/);
    expect(stderr.slice('tracebench: '.length)).toMatch(message);
    expect([code, stdout]).toEqual([1, '']);
  });

  test('a damaged trace is no error, but is one with --strict', async () => {
    const info = await json(['info', CUT]);
    expect(info).toMatchObject({ diagnostics: [{ count: 1, firstOffset: 120 }] });
    const { code, stderr } = await cli(['records', CUT, '--count', '1', '--strict', '--json']);
    expect(stderr).toMatch(
      /^tracebench: .*trace\.byu: one place is not as it should be, at byte 120: .*; leave out --strict to go on\n$/,
    );
    expect(code).toBe(1);
    expect((await cli(['info', BYU, '--strict'])).code).toBe(0);
  });

  test('an output that cannot be written is said of that file, and leaves nothing behind', async () => {
    const path = join(folder, 'nowhere', 'x.svg');
    const { code, stderr } = await cli(['heat', BYU, '-o', path]);
    expect(stderr).toBe(`tracebench: ${path}: the folder does not exist; create it or choose another\n`);
    expect(code).toBe(1);
  });

  test('a drawing takes the place of no folder and of no trace', async () => {
    mkdirSync(join(folder, 'folder.svg'), { recursive: true });
    const onFolder = await cli(['heat', BYU, '-o', join(folder, 'folder.svg')]);
    expect([onFolder.code, onFolder.stderr]).toEqual([1, expect.stringContaining('this is not an ordinary file')]);

    const trace = join(folder, 'trace.json');
    const bytes = readFileSync(BYU);
    writeFileSync(trace, bytes);
    linkSync(trace, join(folder, 'same.svg'));
    for (const name of ['trace.json', 'same.svg']) {
      const onTrace = await cli(['heat', trace, '-o', join(folder, name)]);
      expect([onTrace.code, onTrace.stderr]).toEqual([1, expect.stringContaining('this is the trace itself')]);
    }
    expect(readFileSync(trace).equals(bytes)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'a drawing goes to where a link leads, which stays a link (Windows gives few people the right to make links)',
    async () => {
      writeFileSync(join(folder, 'drawn.json'), '');
      symlinkSync('drawn.json', join(folder, 'link.json'));
      await json(['heat', BYU, '-o', join(folder, 'link.json')]);
      expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, 'drawn.json'), 'utf8'))).toMatchObject({ columns: 64 });
    },
  );

  test.skipIf(process.platform === 'win32')(
    'a file name cannot steer the terminal (Windows has no such names)',
    async () => {
      const { stderr } = await cli(['info', 'a\u001b[31m\nb']);
      expect(stderr).toBe('tracebench: a\u00b7[31m b: there is no such file; check the path\n');
    },
  );

  test('a hole of NULs in a text trace does not hide its records', async () => {
    const lines = readFileSync(traceOf('tarmac/arm-sort'), 'latin1').split('\n');
    const path = join(folder, 'hole.txt');
    writeFileSync(path, [...lines.slice(0, 100), '\0'.repeat(5000), ...lines.slice(100)].join('\n'));
    const info = (await json(['info', path])) as { records: number };
    const whole = (await json(['info', traceOf('tarmac/arm-sort')])) as { records: number };
    expect(info).toMatchObject({ format: { id: 'tarmac' }, records: whole.records + 1, kinds: { other: 1 } });
  });
});

describe('where the index lies', () => {
  test('a damaged index is built again and the question answered', async () => {
    const indexes = join(folder, 'damaged-index');
    const pages = ['pages', BYU, '--json', '--index-dir', indexes];
    const sound = await runCli(pages);
    const [name = ''] = readdirSync(indexes);
    const database = new Database(join(indexes, name));
    database.prepare('UPDATE node SET body = zeroblob(40) WHERE id < ?').run(NODE.segment * 32 * 2 ** 40);
    database.close();
    const { code, stdout, stderr } = await runCli(pages);
    expect([code, stderr]).toEqual([0, `tracebench: ${BYU}: the index was damaged and is built again\n`]);
    expect(stdout).toBe(sound.stdout);
  });

  test('a temporary index goes away with the run that made it', async () => {
    const file = join(folder, 'file-for-a-folder');
    const scratch = join(folder, 'scratch');
    writeFileSync(file, '');
    mkdirSync(scratch);
    const places = {
      XDG_CACHE_HOME: file,
      LOCALAPPDATA: file,
      HOME: file,
      TMPDIR: scratch,
      TEMP: scratch,
      TMP: scratch,
    };
    const { code, stdout, stderr } = await runCli(['info', BYU, '--json'], { env: places });
    expect(stderr).toMatch(/ cannot be written; this index is temporary, in /);
    expect([code, readdirSync(scratch)]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toMatchObject({ index: { complete: true } });
  });

  test.skipIf(process.platform === 'win32')(
    'a full disk is not left full by a half index (Windows has no limits on the size of files)',
    async () => {
      const trace = join(folder, 'scattered.byu');
      await runCli(['sample', '--format', 'byu6', '--size', '6M', '--locality', 'none', '-o', trace]);
      const indexes = join(folder, 'small-disk');
      const command = [process.execPath, CLI, 'index', trace, '--json', '--index-dir', indexes];
      const child = spawn('bash', ['-c', 'ulimit -f 64; trap "" XFSZ; exec "$0" "$@"', ...command]);
      const { code, stdout, stderr } = await finish(child);
      expect(stderr).toMatch(/^tracebench: .*: no room left for the index; free some or choose another folder/);
      expect([code, stdout, readdirSync(indexes)]).toEqual([1, '', []]);
    },
  );
});

describe('as a program among others', () => {
  test.skipIf(!existsSync('/dev/full'))('help on a full disk is one line, no stack (needs /dev/full)', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [CLI, 'help'], { stdio: ['ignore', full, 'pipe'] });
    const { code, stderr } = await finish(child);
    closeSync(full);
    expect(stderr).toMatch(/^tracebench: standard output: ENOSPC[^\n]*\n$/);
    expect(code).toBe(1);
  });

  test('help and version', async () => {
    const help = await cli(['help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const name of ['formats', 'info', 'index', 'pages', 'records', 'find', 'heat', 'sample', 'serve']) {
      expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
    const heat = await cli(['heat', '--help']);
    expect([heat.code, heat.stdout.split('\n')[0]]).toEqual([0, 'usage: tracebench heat TRACE [options]']);
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await cli(['--version'])).toEqual({ code: 0, stdout: `tracebench ${version}\n`, stderr: '' });
  });

  test('a reader that goes away (head) ends it quietly', async () => {
    const long = join(folder, 'long.byu');
    const part = readFileSync(BYU);
    writeFileSync(long, Buffer.concat(Array.from({ length: 100 }, () => part)));
    const child = startCli(['records', long, '--count', '1000000', '--json', '--quiet', ...own()]);
    const ended = finish(child);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
  });

  // Windows has no signals between processes.
  test.skipIf(process.platform === 'win32')(
    'Ctrl+C stops indexing with 130, and the next run goes on or starts over',
    async () => {
      const huge = join(folder, 'huge.byu');
      writeFileSync(huge, readFileSync(BYU));
      truncateSync(huge, 6 * 200_000_000);
      const indexes = join(folder, 'huge-index');
      const child = startCli(['index', huge, '--json', '--quiet', '--format', 'byu6', '--index-dir', indexes]);
      const ended = finish(child);
      await vi.waitUntil(() => existsSync(indexes) && readdirSync(indexes).length > 0, { timeout: 30_000 });
      // What starts it for a person hands an interrupt on as a request to end: that is no second Ctrl+C.
      child.kill('SIGINT');
      child.kill('SIGTERM');
      expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'tracebench: interrupted\n' });

      const next = await runCli([
        'records',
        huge,
        '--count',
        '1',
        '--json',
        '--quiet',
        '--format',
        'byu6',
        '--index-dir',
        indexes,
      ]);
      expect([next.code, next.stderr]).toEqual([0, '']);
      expect(JSON.parse(next.stdout)).toMatchObject({ n: 0, address: '0x100000' });
    },
  );

  // The page is built by set-up; Windows has no signals between processes.
  test.skipIf(process.platform === 'win32' || !existsSync(PAGE))(
    'serve prints an address that works until Ctrl+C',
    async () => {
      const child = startCli(['serve', CUT, '--no-open', '--json', ...own()]);
      const ended = finish(child);
      if (!child.stdout) throw new Error('no output is connected');
      const [line] = (await once(child.stdout, 'data')) as [string];
      const url = new URL((JSON.parse(line) as { url: string }).url);
      expect(url.hostname).toBe('127.0.0.1');
      expect(new URLSearchParams(url.hash.slice(1)).getAll('open')).toEqual([CUT]);

      const signIn = await fetch(url, { redirect: 'manual' });
      const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      expect((await fetch(url.origin, { headers: { cookie } })).headers.get('content-type')).toBe(
        'text/html; charset=utf-8',
      );
      const call = {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ path: CUT }),
      };
      const answer = await fetch(`${url.origin}/api/detect`, call);
      const [frame] = createFrameReader().push(new Uint8Array(await answer.arrayBuffer()));
      expect(frame).toMatchObject({ answer: { ok: true, value: { candidates: [{ format: 'byu6' }] } } });

      child.kill('SIGINT');
      expect((await ended).code).toBe(0);
    },
  );
});

interface Golden {
  readonly n: number;
  readonly offset: number;
  readonly bytes: number;
  readonly kind: string;
  readonly native: string;
  readonly address: number;
  readonly size: number;
}

/** The records of a sample, from the golden beside it. */
function golden(trace: string): Golden[] {
  const text = readFileSync(join(dirname(trace), 'golden.txt'), 'utf8');
  return [...text.matchAll(/^(\d+) @(\d+)\+(\d+) (\S+) (\S+)(.*)$/gm)].map(
    ([, n, offset, bytes, kind, native, fields = '']) => ({
      n: Number(n),
      offset: Number(offset),
      bytes: Number(bytes),
      kind: kind ?? '',
      native: native ?? '',
      address: Number(/ address=(\S+)/.exec(fields)?.[1]),
      size: Number(/ size=(\S+)/.exec(fields)?.[1] ?? 1),
    }),
  );
}

function traceOf(sample: string): string {
  const name = readdirSync(join(samples, sample)).find((file) => file.startsWith('trace.'));
  return join(samples, sample, name ?? 'trace');
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function own(): string[] {
  return ['--index-dir', join(folder, 'index')];
}

function cli(args: readonly string[]) {
  const [command = '', ...rest] = args;
  const plain = command === '' || command === 'help' || command.startsWith('-');
  return runCli(plain ? args : [command, '--quiet', ...own(), ...rest]);
}

/** The one document that a command prints with --json. */
async function json(args: readonly string[]): Promise<unknown> {
  return JSON.parse(await printed(args));
}

async function lines(args: readonly string[]): Promise<Record<string, unknown>[]> {
  const text = await printed(args);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function printed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli([...args, '--json', '--quiet', ...own()]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout === '' || stdout.endsWith('\n')).toBe(true);
  return stdout;
}
