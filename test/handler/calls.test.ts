// Requests of the page as Request and Response objects: which of them reach the engine, and their answers.
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createGrantedFiles } from '../../electron/allowed-files.ts';
import { createWire } from '../../electron/wire/wire.ts';
import type { PrintReport } from '../../electron/wire/answer-request.ts';
import { fail, ok } from '../../shared/base/result.ts';
import { createFrameReader } from '../../shared/wire/frames.ts';
import { createFakeClient } from './fake-client.ts';
import { call, createHandlers, JSON_TYPE, readFrames, refusal } from './handlers.ts';

const { folder, pageDirectory, desktop, dispose } = createHandlers();
afterAll(dispose);

describe('requests', () => {
  test('sends events before the answer, and number arrays as typed arrays', async () => {
    const { handler, client } = desktop();
    const next = client.next();
    const reading = handler(call('index', { trace: 't' })).then(readFrames);
    const reached = await next;
    reached.emit({ bytes: 1 });
    reached.answer(ok({ counts: new Float64Array([1, 2]) }));
    expect(await reading).toEqual([{ event: { bytes: 1 } }, { answer: ok({ counts: new Float64Array([1, 2]) }) }]);
    expect(client.reached.map(({ name, args }) => ({ name, args }))).toEqual([{ name: 'index', args: { trace: 't' } }]);
  });

  test('sends a slow reader only the newest event', async () => {
    const { handler, client } = desktop();
    const next = client.next();
    const response = await handler(call('index', { trace: 't' }));
    const reached = await next;
    for (let bytes = 1; bytes <= 1000; bytes++) reached.emit({ bytes });
    reached.answer(ok({}));
    expect(await readFrames(response)).toEqual([
      { event: { bytes: 1 } },
      { event: { bytes: 1000 } },
      { answer: ok({}) },
    ]);
  });

  test("aborting the request cancels the engine's work", async () => {
    const { handler, client } = desktop();
    const abort = new AbortController();
    const next = client.next();
    const response = await handler(call('index', { trace: 't' }, { signal: abort.signal }));
    const reached = await next;
    expect(reached.aborted()).toBe(false);
    abort.abort();
    expect(reached.aborted()).toBe(true);
    expect(await readFrames(response)).toEqual([
      { answer: { ok: false, error: { code: 'cancelled', message: 'The request was cancelled.' } } },
    ]);
  });

  test("closing the response body cancels the engine's work", async () => {
    const { handler, client } = desktop();
    const next = client.next();
    const response = await handler(call('index', { trace: 't' }));
    const reached = await next;
    await response.body?.cancel();
    expect(reached.aborted()).toBe(true);
  });

  test('answers with an error if the engine throws', async () => {
    const client = { request: () => Promise.reject(new Error('boom')) };
    const handler = createWire({
      client,
      pageDirectory,
      allowed: createGrantedFiles(),
      origins: ['app://tracebench'],
    });
    expect(await readFrames(await handler(call('formats', {})))).toEqual([
      { answer: { ok: false, error: { code: 'internal', message: 'The request formats failed: boom.' } } },
    ]);
  });

  test('reads only files that the user has opened', async () => {
    const { handler, client, allowed } = desktop();
    const path = join(folder, 'secret.txt');
    for (const name of ['detect', 'open'] as const) {
      expect(await refusal(await handler(call(name, { path })))).toMatch(
        /^403 not-opened .*secret\.txt: this page may not read/,
      );
      expect(await refusal(await handler(call(name, { path: join(folder, 'page', '..', 'secret.txt') })))).toMatch(
        /^403/,
      );
    }
    expect(client.reached).toEqual([]);
    allowed.grant(path);
    const next = client.next();
    void handler(call('open', { path: join(folder, 'page', '..', 'secret.txt') }));
    expect((await next).args).toEqual({ path });
  });

  test('reads only images that the user has opened', async () => {
    const { handler, client, allowed } = desktop();
    const [path, image] = [join(folder, 'trace.txt'), join(folder, 'program.elf')];
    allowed.grant(path);
    const images = [{ path: join(folder, 'page', '..', 'program.elf'), base: '0x8000' }];
    expect(await refusal(await handler(call('open', { path, images })))).toMatch(
      /^403 not-opened .*program\.elf: this page may not read/,
    );
    expect(client.reached).toEqual([]);
    allowed.grant(image);
    const next = client.next();
    void handler(call('open', { path, images }));
    expect((await next).args).toEqual({ path, images: [{ path: image, base: '0x8000' }] });
  });

  const foreign = 'text/plain;charset=UTF-8';
  test.each([
    ['an unknown call', 'erase', '{}', '404 unknown-request There is no request named "erase".'],
    [
      'a name of an Object.prototype property',
      'constructor',
      '{}',
      '404 unknown-request There is no request named "constructor".',
    ],
    ['no JSON', 'info', '{"trace":', '400 usage The arguments of a request must be one JSON object; this is not JSON.'],
    ['no body', 'info', '', '400 usage The arguments of a request must be one JSON object; this is not JSON.'],
    ['a list', 'info', '[]', '400 usage info: must be an object.'],
    ['null', 'info', 'null', '400 usage info: must be an object.'],
    ['a missing argument', 'info', '{}', '400 usage info: trace is missing.'],
    ['an unknown argument', 'info', '{"trace":"t","x":1}', '400 usage info: x is not an argument of this request.'],
    [
      'a folder to write to',
      'open',
      '{"path":"/a","indexDirectory":"/b"}',
      '400 usage open: indexDirectory is not an argument of this request.',
    ],
    [
      'a file to write to',
      'open',
      '{"path":"/a","notebook":"/b"}',
      '400 usage open: notebook is not an argument of this request.',
    ],
    [
      'a note with an id that is a path',
      'changeNotebook',
      '{"trace":"t","put":[{"id":"../a","title":"","text":"","colour":"red","tags":[],"place":{"n":1}}]}',
      '400 usage changeNotebook: put[0].id must be 1 to 64 letters, digits, - and _.',
    ],
    [
      'a note with an unknown colour',
      'changeNotebook',
      '{"trace":"t","put":[{"id":"a","title":"","text":"","colour":"url(x)","tags":[],"place":{"n":1}}]}',
      '400 usage changeNotebook: put[0].colour must be one of grey, red, orange, yellow, green, teal, blue, purple.',
    ],
    [
      'a note with a byte offset',
      'changeNotebook',
      '{"trace":"t","put":[{"id":"a","title":"","text":"","colour":"red","tags":[],"place":{"n":1,"offset":6}}]}',
      '400 usage changeNotebook: put[0].place.offset is not an argument of this request.',
    ],
    [
      'text in place of a number',
      'records',
      '{"trace":"t","from":"0","count":1}',
      '400 usage records: from must be a whole number from 0 to 9007199254740991.',
    ],
    [
      'a negative number',
      'records',
      '{"trace":"t","from":-1,"count":1}',
      '400 usage records: from must be a whole number from 0 to 9007199254740991.',
    ],
    [
      'too many records',
      'records',
      '{"trace":"t","from":0,"count":10001}',
      '400 usage records: count must be a whole number from 1 to 10000.',
    ],
    [
      'an unsupported page size',
      'pages',
      '{"trace":"t","size":5000}',
      '400 usage pages: size must be a power of two, at least 4096.',
    ],
    [
      'an unknown kind',
      'find',
      '{"trace":"t","kinds":["read","toString"]}',
      '400 usage find: kinds[1] must be a kind of record.',
    ],
    [
      'both directions',
      'find',
      '{"trace":"t","after":1,"before":5}',
      '400 usage find: after and before must not both be given.',
    ],
    [
      'a padded address',
      'find',
      '{"trace":"t","address":{"low":"0x00","high":"0x1"}}',
      '400 usage find: address.low must be 0x and up to 16 lower-case hexadecimal digits without padding.',
    ],
    [
      'an address range that ends before it begins',
      'find',
      '{"trace":"t","address":{"low":"0x2","high":"0x1"}}',
      '400 usage find: address.low must not be greater than high.',
    ],
    [
      'a broken expression',
      'find',
      '{"trace":"t","text":"("}',
      '400 usage find: text must be a regular expression of at most 1000 characters.',
    ],
    [
      'too large a heatmap',
      'heat',
      '{"trace":"t","columns":16000,"rows":16000,"precision":"even"}',
      '400 usage heat: columns times rows must be at most 8000000.',
    ],
    [
      'an empty band',
      'heat',
      '{"trace":"t","columns":1,"bands":[{"low":"0x1","high":"0x1","rows":1}],"precision":"even"}',
      '400 usage heat: bands[0].low must be less than high.',
    ],
    [
      'an unknown nested argument',
      'index',
      '{"trace":"t","until":{"records":1,"x":1}}',
      '400 usage index: until.x is not an argument of this request.',
    ],
    [
      'an option without text value',
      'open',
      '{"path":"/a","options":{"endian":1}}',
      '400 usage open: options.endian must be a text of at most 1000 characters.',
    ],
    [
      'an image with both base and shift',
      'images',
      '{"images":[{"path":"/t","base":"0x0","shift":"0x10"}]}',
      '400 usage images: images[0].base and shift must not both be given.',
    ],
    [
      'a path with NUL',
      'detect',
      '{"path":"/a\\u0000"}',
      '400 usage detect: path must be a text of 1 to 32768 characters.',
    ],
  ])('refuses %s by name', async (_, name, body, expected) => {
    const { handler, client } = desktop();
    const request = new Request(`app://tracebench/api/${name}`, { method: 'POST', headers: JSON_TYPE, body });
    expect(await refusal(await handler(request))).toBe(expected);
    expect(client.reached).toEqual([]);
  });

  test.each([
    ['open', { path: '/t', format: 'byu6', options: { endian: 'big' } }],
    ['open', { path: '/t', images: [{ path: '/t' }, { path: '/t', shift: '0xfffffffffffff000' }] }],
    ['preview', { path: '/t', format: 'btm', options: { columns: '' } }],
    ['images', { images: [{ path: '/t', base: '0x0' }] }],
    ['index', { trace: 't', rebuild: true, until: { records: 5 } }],
    [
      'heat',
      {
        trace: 't',
        from: 0,
        to: 10,
        kinds: ['read'],
        columns: 8,
        bands: [{ low: '0x0', high: '0x10000000000000000', rows: 4 }],
        precision: 'quick',
      },
    ],
    ['tally', { trace: 't', low: '0x10', high: '0x20' }],
    [
      'find',
      {
        trace: 't',
        address: { low: '0x0', high: '0xffffffffffffffff' },
        value: '0x1',
        text: 'a|b',
        before: 2 ** 40,
        limit: 10_000,
      },
    ],
    ['recordAtTime', { trace: 't', time: -1.5 }],
    ['diagnostics', { trace: 't' }],
    ['bytes', { trace: 't', offset: 2 ** 40, length: 65_536 }],
    [
      'changeNotebook',
      {
        trace: 't',
        put: [
          {
            id: 'a-1',
            title: '',
            text: '# what\n<script>',
            colour: 'teal',
            tags: [],
            place: { n: 0, to: 2 ** 40, address: '0x0', length: 1 },
            order: -0.5,
            revision: 3,
            created: '2026-01-31T12:00:00.000Z',
          },
        ],
        remove: [{ id: 'b' }, { id: 'c', revision: 1 }],
        putViews: [{ id: 'v', name: 'here', content: '{}', revision: 2 }],
        removeViews: [],
      },
    ],
    ['watchNotebook', { trace: 't' }],
    ['importNotes', { trace: 't', text: 'x'.repeat(1_000_000) }],
  ])('passes %s with all its arguments to the engine unchanged', async (name, args) => {
    const { handler, client, allowed } = desktop();
    allowed.grant('/t');
    const next = client.next();
    void handler(call(name, args));
    expect((await next).args).toEqual(args);
  });

  test('refuses a body of another type or size', async () => {
    const { handler, client } = desktop();
    const text = new Request('app://tracebench/api/formats', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': foreign },
    });
    expect(await refusal(await handler(text))).toBe(
      '415 usage The arguments of a request must be sent as application/json.',
    );
    const long = call('info', { trace: 'x'.repeat(65_536) });
    expect(await refusal(await handler(long))).toBe(
      '413 usage The arguments of a request may have at most 65536 bytes.',
    );
    expect(await refusal(await handler(new Request('app://tracebench/api/formats')))).toBe(
      '405 usage A request must be sent with POST.',
    );
    expect(client.reached).toEqual([]);
  });
});

describe('what the page keeps', () => {
  const trace = { bytes: 1, modified: 1, at: 1, state: 'same' };
  const sources = { folders: ['/mine.src'], maps: [{ from: '/old', to: '/new' }] };
  const mine = { ...trace, path: '/mine', images: [{ path: '/mine.elf' }], ...sources };
  const other = { ...trace, path: '/other', images: [{ path: '/other.elf' }] };

  test('says which traces the page may not open, and lets it open the images of the others', async () => {
    const { handler, client, allowed } = desktop();
    allowed.grant('/mine');
    const next = client.next();
    const reading = handler(call('kept', {})).then(readFrames);
    (await next).answer(ok({ settings: {}, traces: [mine, other], problems: [] }));
    const traces = [mine, { ...other, refused: 'choose it in the open dialog' }];
    expect(await reading).toEqual([{ answer: ok({ settings: {}, traces, problems: [] }) }]);
    const granted = ['/mine.elf', '/mine.src', '/new', '/old', '/other', '/other.elf'].map((path) =>
      allowed.allows(path),
    );
    expect(granted).toEqual([true, true, true, false, false, false]);
  });

  test.each([
    ['kept', { path: '/other' }, '/other'],
    ['keepTrace', { path: '/other' }, '/other'],
    ['keepTrace', { path: '/mine', images: [{ path: '/etc/passwd' }] }, '/etc/passwd'],
    ['keepTrace', { path: '/mine', folders: ['/etc'] }, '/etc'],
    ['keepTrace', { path: '/mine', maps: [{ from: '/a', to: '/etc' }] }, '/etc'],
    ['sourceFile', { trace: 't1', file: 'a.c', folders: ['/etc'] }, '/etc'],
    ['sourceFile', { trace: 't1', file: 'a.c', maps: [{ from: '/a', to: '/mine/../etc' }] }, '/etc'],
    ['forgetTrace', { path: '/other' }, '/other'],
  ])('refuses %s of files that the page may not read', async (name, args, file) => {
    const { handler, client, allowed } = desktop();
    allowed.grant('/mine');
    expect(await refusal(await handler(call(name, args)))).toBe(
      `403 not-opened ${file}: this page may not read this file; choose it in the open dialog.`,
    );
    expect(client.reached).toEqual([]);
  });

  test.each([
    ['keepTrace', { path: '/mine', view: 'x'.repeat(60_001) }],
    ['keepTrace', { path: '/mine', view: 5 }],
    ['keepTrace', { path: '/mine', bytes: 5 }],
    ['keepSettings', { theme: 'purple' }],
    ['keepSettings', { singleKeys: 'yes' }],
  ])('refuses invalid arguments of %s', async (name, args) => {
    const { handler, client } = desktop();
    expect(await refusal(await handler(call(name, args)))).toMatch(/^400 usage /);
    expect(client.reached).toEqual([]);
  });
});

describe('the PDF of a report', () => {
  const html = new TextEncoder().encode('<h1>Report</h1>');
  const requested = JSON.stringify({ trace: 't1', as: 'pdf', paper: 'Letter', name: 'found' });

  async function printed(print?: PrintReport) {
    const client = createFakeClient(() => ok({ files: [{ name: 'found.html', bytes: html }] }));
    const origins = ['app://tracebench'];
    const handler = createWire({
      client,
      pageDirectory,
      allowed: createGrantedFiles(),
      origins,
      ...(print && { print }),
    });
    const request = new Request('app://tracebench/api/report', {
      method: 'POST',
      headers: { ...JSON_TYPE, origin: 'app://tracebench' },
      body: requested,
    });
    const body = new Uint8Array(await (await handler(request)).arrayBuffer());
    return { frames: [...createFrameReader().push(body)], client };
  }

  test("is printed by the host from the engine's HTML", async () => {
    const given: unknown[] = [];
    const { frames, client } = await printed((bytes, paper) => {
      given.push(new TextDecoder().decode(bytes), paper);
      return Promise.resolve(ok(new Uint8Array([37, 80, 68, 70])));
    });
    expect(client.reached.map(({ name, args }) => [name, args])).toEqual([['report', { trace: 't1', as: 'html' }]]);
    expect(given).toEqual(['<h1>Report</h1>', 'Letter']);
    expect(frames.at(-1)).toEqual({
      answer: ok({ files: [{ name: 'found.pdf', bytes: new Uint8Array([37, 80, 68, 70]) }] }),
    });
  });

  test("fails with the host's error if the host cannot print, and is requested from the engine if the host has no printer", async () => {
    const refused = await printed(() => Promise.resolve(fail('report-browser', 'no browser was found')));
    expect(refused.frames.at(-1)).toEqual({ answer: fail('report-browser', 'no browser was found') });
    const { client } = await printed();
    expect(client.reached.map(({ args }) => args)).toEqual([JSON.parse(requested)]);
  });
});
