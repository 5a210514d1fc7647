/**
 * The desktop host gives its page exactly the intended access, and other pages none. The real host and preload run on the stand-in
 * (the bundles; in the nightly run the sources too), and the same journey runs on the real Electron if it is installed.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  endOfStandIn,
  findElectron,
  missingBundle,
  startElectron,
  startStandIn,
  type Desktop,
  type StandIn,
} from './desktop-driver.ts';
import { NIGHTLY } from '../short-form.ts';
import { NOT_COVERED } from './electron-stand-in.ts';

const samples = path.join(import.meta.dirname, '../samples');
const electron = findElectron();
const missingPage = missingBundle('page/index.html');
const hosts = [
  ['the stand-in', missingBundle('main.js'), startStandIn],
  ...(NIGHTLY ? [['the stand-in, from the sources', undefined, startFromSources] as const] : []),
  ['Electron', 'missing' in electron ? electron.missing : undefined, startReal],
] as const;

let folder = '';
let userData = '';
let trace = '';
let other = '';
let desktop: Desktop | undefined;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-desktop-')));
  userData = path.join(folder, 'user data');
  trace = path.join(folder, 'a trace.trc');
  other = path.join(folder, 'other.trc');
  for (const file of [trace, other]) fs.copyFileSync(path.join(samples, 'byu6/complete/trace.byu'), file);
});
afterEach(async () => {
  await desktop?.close();
  desktop = undefined;
  fs.rmSync(folder, { recursive: true, force: true });
});

describe.each(hosts)('the desktop on %s', (_name, missing, start) => {
  it('serves its page with a narrow bridge and a restricted platform', async ({ skip }) => {
    skip(missing !== undefined, missing);
    skip(missingPage !== undefined, missingPage);
    desktop = await start(userData, []);
    expect(
      await desktop.page(`
        const { status, headers } = await fetch('/');
        const policy = headers.get('content-security-policy');
        return { status, policy: /script-src 'self';/.test(policy), keys: Object.keys(window.tracebenchHost).sort(),
          kind: window.tracebenchHost.kind, platform: [typeof window.require, typeof window.process] };`),
    ).toEqual({
      status: 200,
      policy: true,
      keys: ['kind', 'onCommand', 'onOpenFile', 'openDialog', 'pathOf', 'printReport', 'setCommands'],
      kind: 'desktop',
      platform: ['undefined', 'undefined'],
    });
  });

  it('lets the page read only files that the user named', async ({ skip }) => {
    skip(missing !== undefined, missing);
    desktop = await start(userData, [trace]);
    expect(await open(desktop, trace)).toBe('200 opened');
    expect(await open(desktop, other)).toBe('403 not-opened');
    expect(await open(desktop, '/etc/passwd')).toBe('403 not-opened');
    expect(await desktop.drop(other)).toBe(other);
    expect(await open(desktop, other)).toBe('200 opened');
  });

  it('opens files by dialog, with filters from the list of formats', async ({ skip }) => {
    skip(missing !== undefined, missing);
    desktop = await start(userData, []);
    await desktop.answerOpenDialog(undefined);
    expect(await desktop.page('return window.tracebenchHost.openDialog()')).toEqual([]);
    await desktop.answerOpenDialog([trace]);
    expect(await desktop.page('return window.tracebenchHost.openDialog()')).toEqual([trace]);
    expect(await open(desktop, trace)).toBe('200 opened');
    const { filters } = (await desktop.lastOpenDialog()) as { filters: { name: string; extensions: string[] }[] };
    const formats = filters.slice(1, -2);
    expect(formats.length).toBeGreaterThan(0);
    expect(filters[0]).toEqual({
      name: 'Traces',
      extensions: [...new Set(formats.flatMap((each) => each.extensions))],
    });
    expect(filters.slice(-2)).toEqual([
      { name: 'Evidence bundles', extensions: ['zip'] },
      { name: 'All files', extensions: ['*'] },
    ]);
    expect(filters.flatMap(({ extensions }) => extensions).some((each) => each.startsWith('.'))).toBe(false);
  });

  it('executes SQL in a process that it can end', async ({ skip }) => {
    skip(missing !== undefined, missing);
    desktop = await start(userData, [trace]);
    expect(await open(desktop, trace)).toBe('200 opened');
    await ask(desktop, 'index', { trace: 't1' });
    const sql = async (statement: string, seconds = 30): Promise<string> =>
      String(await ask(desktop!, 'sql', { trace: 't1', sql: statement, seconds }));
    expect(await sql('SELECT 6 * 7, count(*) > 0 FROM records WHERE n < 3')).toContain('"rows":[[42,1]]');
    const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
    expect(await sql(endless, 1)).toContain('"code":"sql-time"');
    expect(await sql('SELECT nowhere FROM records')).toContain('no such column: nowhere');
    expect(await sql('SELECT hex(255)')).toContain('"rows":[["0xff"]]');
  });

  it("lists the page's commands in the menu and sends the chosen one", async ({ skip }) => {
    skip(missing !== undefined, missing);
    desktop = await start(userData, []);
    const commands = [
      { menu: 'File', id: 'open', title: 'Open trace…', key: 'Ctrl+O' },
      { menu: 'Go', id: 'previous-write', title: 'Who wrote this', key: 'Shift+W' },
      { menu: 'View', id: 'zoom-all', title: 'Show all records', key: '0' },
    ];
    await desktop.page(`window.tracebenchHost.setCommands(${JSON.stringify(commands)})`);
    await desktop.page('window.seen = []; window.tracebenchHost.onCommand((id) => window.seen.push(id))');
    const own = (await desktop.menu()).filter(({ id }) => commands.some((command) => command.id === id));
    expect(own.map(({ menu, id, label }) => ({ menu, id, label }))).toEqual(
      commands.map(({ menu, id, title }) => ({ menu, id, label: title })),
    );
    expect(own.filter(({ registered }) => registered)).toEqual([]);
    await desktop.clickMenu('Who wrote this');
    await desktop.clickMenu('Show all records');
    expect(await until(desktop, 'return window.seen', 2)).toEqual(['previous-write', 'zoom-all']);
  });

  it('does not let the page navigate away or open windows', async ({ skip }) => {
    skip(missing !== undefined, missing);
    desktop = await start(userData, []);
    await desktop.tryToLeave('https://example.org/a?b#c');
    await desktop.tryToLeave('http://example.org/');
    await desktop.tryToLeave('https://person:secret@example.org/');
    await desktop.tryToLeave('mailto:somebody@example.org');
    await desktop.tryToLeave('mailto:somebody@example.org?attach=/etc/passwd');
    await desktop.tryToLeave('file:///etc/passwd');
    await desktop.tryToLeave('javascript:alert(1)');
    await desktop.tryToLeave('app://elsewhere/');
    const outside = await desktop.outside();
    expect(new Set(outside)).toEqual(
      new Set(['https://example.org/a?b#c', 'http://example.org/', 'mailto:somebody@example.org']),
    );
  });

  it('opens the files of a second instance, relative to its working directory', async ({ skip }) => {
    skip(missing !== undefined, missing);
    desktop = await start(userData, []);
    await desktop.page('window.seen = []; window.tracebenchHost.onOpenFile((file) => window.seen.push(file))');
    await desktop.again([path.basename(other), '--some-switch', `file://${trace.replaceAll(' ', '%20')}`], folder);
    expect(await until(desktop, 'return window.seen', 2)).toEqual([other, trace]);
    expect(await open(desktop, other)).toBe('200 opened');
  });

  it('lets the page open the traces that were left before it was started again', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const first = await start(userData, [trace]);
    expect(await open(first, trace)).toBe('200 opened');
    expect(await ask(first, 'keepTrace', { path: trace })).toContain('"ok":true');
    await first.close();
    desktop = await start(userData, []);
    expect(await ask(desktop, 'kept', {})).toContain(JSON.stringify(trace));
    expect(await open(desktop, trace)).toBe('200 opened');
    expect(await open(desktop, other)).toBe('403 not-opened');
  });
});

describe('the desktop on the stand-in only', () => {
  let standIn: StandIn;
  const start = async (args: readonly string[] = []) => (desktop = standIn = await startStandIn(userData, args));
  const logged = async (name: string) => (await standIn.act('log')).filter((entry) => entry[0] === name);

  describe.skipIf(missingPage !== undefined)('in one run', () => {
    let profile = '';
    beforeAll(async () => {
      profile = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-desktop-'));
      standIn = await startStandIn(profile);
    });
    afterAll(async () => {
      await standIn.close();
      fs.rmSync(profile, { recursive: true, force: true });
    });

    it('registers the scheme and the sandbox first, and shows one confined window', async () => {
      const log = await standIn.act('log');
      expect(log.map(([name]) => name)).toEqual([
        'registerSchemesAsPrivileged',
        'enableSandbox',
        'requestSingleInstanceLock',
        'BrowserWindow',
        'focus',
        'loaded',
        'show',
      ]);
      expect(log[0]?.[1]).toEqual([
        { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
      ]);
      const [, options] = log[3] as [string, { webPreferences: object }];
      expect(options.webPreferences).toMatchObject({ contextIsolation: true, sandbox: true, nodeIntegration: false });
      expect(log[5]).toEqual(['loaded', 'app://tracebench/', 200]);
    });

    it('loads native libraries before it starts a thread', async () => {
      const loaded = await standIn.act('loadedBeforeThreads');
      expect(loaded.filter((name) => name.endsWith('.node')).sort()).toEqual([
        expect.stringMatching(/^[a-z]+\d*-[a-z0-9]+\.node$/), // better-sqlite3 names its builds by platform
        'tracebench_map.node',
      ]);
    });

    it('denies all permissions, redirects, web views and frames', async () => {
      expect(await standIn.act('permissions')).toEqual(Array<boolean>(8).fill(false));
      expect(await standIn.act('redirect', 'app://tracebench/')).toBe(true);
      expect(await standIn.act('attachWebview')).toBe(true);
      expect(await standIn.act('navigate', 'app://tracebench/', false)).toBe(true);
      expect(await standIn.act('navigate', 'app://tracebench/', true)).toBe(false); // a reload
      expect(await standIn.act('navigate', 'app://tracebench/api/open', true)).toBe(true);
      // The preview of a report, and no other frame with that name.
      expect(await standIn.act('navigate', 'about:srcdoc', false)).toBe(false);
      expect(await standIn.act('navigate', 'about:srcdoc#part-2', false)).toBe(false);
      expect(await standIn.act('navigate', 'about:srcdoc', true)).toBe(true);
      expect(await standIn.act('navigate', 'about:srcdocument', false)).toBe(true);
    });

    it('opens windows for single panes of its own page, and no others', async () => {
      expect(await standIn.act('openWindow', 'app://tracebench/#pane=stack')).toBe('allow');
      for (const url of [
        'app://tracebench/',
        'app://tracebench/#open=a',
        'app://other/#pane=stack',
        'file:///#pane=stack',
      ])
        expect(await standIn.act('openWindow', url)).toBe('deny');
    });

    it('answers only the top frame of its own page', async () => {
      const page = 'app://tracebench/';
      for (const frame of [null, { parent: {}, url: page }, { parent: null, url: 'app://tracebench.evil/' }]) {
        for (const channel of ['open-dialog', 'dropped', 'print-report']) {
          await expect(standIn.act('invokeFrom', frame, `tracebench:${channel}`)).rejects.toThrow(
            'may not use the host',
          );
        }
      }
      expect(await open(standIn, '/etc/passwd')).toBe('403 not-opened');
      expect(await standIn.drop('')).toBe(''); // A File object created by a script.
    });

    it('refuses calls from other origins', async () => {
      const status = await standIn.page(`
        const { status } = await fetch('app://elsewhere/api/formats', { method: 'POST', body: '{}' });
        return status;`);
      expect(status).toBe(403);
    });

    it('shows the keys of commands in the menu without handling them', async () => {
      const commands = [
        { menu: 'File', id: 'open', title: 'Open trace…', key: 'Ctrl+O' },
        { menu: 'Go', id: 'go', title: 'Go to…', key: 'g' },
        { menu: 'View', id: 'zoom-in', title: 'Zoom in', key: '+ =' },
        { menu: 'Help', id: 'palette', title: 'All commands', key: 'Ctrl+Shift+P' },
        { menu: 'File', id: 'rebuild', title: 'Rebuild the index' },
      ];
      await standIn.page(`window.tracebenchHost.setCommands(${JSON.stringify(commands)})`);
      const keys = new Map((await standIn.menu()).map(({ id, accelerator }) => [id, accelerator]));
      expect(['open', 'go', 'zoom-in', 'palette', 'rebuild'].map((id) => keys.get(id))).toEqual(
        process.platform === 'darwin'
          ? ['CmdOrCtrl+O', undefined, undefined, 'CmdOrCtrl+Shift+P', undefined]
          : ['CmdOrCtrl+O', 'G', 'Plus', 'CmdOrCtrl+Shift+P', undefined],
      );
    });
  });

  it('prints a report in a hidden window without scripts and network', async () => {
    await start();
    const html =
      '<h1>Réport</h1><img src="https://example.org/a.png"><img src="data:image/png;base64,AA"><a href="app://tracebench/">x</a>';
    const printed = await standIn.page(`
      const { ok, value } = await window.tracebenchHost.printReport(${JSON.stringify({ html, paper: 'Letter' })});
      return { ok, text: String.fromCharCode(...value) };`);
    // UTF-8 bytes.
    expect(printed).toEqual({ ok: true, text: `%PDF-1.7\n${html.replace('é', 'Ã©')}` });
    const [[, window] = []] = await logged('hidden window');
    expect(window).toEqual({
      show: false,
      webPreferences: {
        javascript: false,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    });
    const [[, options, seen] = []] = await logged('printToPDF');
    expect(options).toMatchObject({ pageSize: 'Letter', printBackground: true });
    expect(seen).toEqual({
      loads: ['data:image/png;base64,AA'],
      policy: expect.stringMatching(/^default-src 'none'; .*sandbox$/) as string,
      permissions: 2,
    });
    expect((await standIn.act('log')).slice(-3).map(([name]) => name)).toEqual(['printToPDF', 'destroy', 'forgotten']);
    expect((await logged('forgotten'))[0]).toEqual(['forgotten', 'report', 0]);
  });

  it('explains why a report is not printed, and removes it anyway', async () => {
    await start();
    const print = (report: unknown) =>
      standIn.page(`return window.tracebenchHost.printReport(${JSON.stringify(report)})`);
    expect(await print({ html: 'this cannot be printed', paper: 'A4' })).toEqual({
      ok: false,
      error: {
        code: 'print',
        message:
          'The report could not be printed (Failed to generate PDF). Export it as HTML and print it in a browser.',
      },
    });
    expect((await standIn.act('log')).slice(-2).map(([name]) => name)).toEqual(['destroy', 'forgotten']);
    for (const wrong of [null, 'html', { html: 3, paper: 'A4' }, { html: '', paper: 'A3' }, { html: '' }])
      expect(await print(wrong)).toMatchObject({ ok: false, error: { code: 'usage' } });
    expect(await logged('hidden window')).toHaveLength(1);
  });

  it('passes files to the page when it is ready, including files from macOS', async () => {
    await start([trace]);
    expect(await standIn.act('openFile', other)).toBe(true);
    await standIn.page('window.seen = []; window.tracebenchHost.onOpenFile((file) => window.seen.push(file))');
    expect(await standIn.page('return window.seen')).toEqual([trace, other]);
    await standIn.act('secondInstance', { files: [3, null, trace] });
    await standIn.act('secondInstance', { files: 'no list' });
    await standIn.act('secondInstance', undefined);
    expect(await standIn.page('return window.seen')).toEqual([trace, other, trace]);
  });

  if (NIGHTLY) {
    it('opens a recent file from the menu', async () => {
      await start([trace]);
      await open(standIn, trace);
      await standIn.page('window.seen = []; window.tracebenchHost.onOpenFile((file) => window.seen.push(file))');
      await standIn.clickMenu(trace);
      expect(await standIn.page('return window.seen')).toEqual([trace, trace]);
      expect(await logged('addRecentDocument')).toEqual([['addRecentDocument', trace]]);
      await ask(standIn, 'keepTrace', { path: trace });
      await standIn.close();
      await start();
      expect(await open(standIn, other)).toBe('403 not-opened');
      await standIn.clickMenu(trace);
      expect(await open(standIn, trace)).toBe('200 opened');
    });

    it('does not remember a file that could not be opened', async () => {
      await start([path.join(folder, 'none')]);
      expect(await open(standIn, path.join(folder, 'none'))).toMatch(/^200 (?!opened)/);
      expect(await ask(standIn, 'kept', {})).toContain('"traces":[]');
    });

    it("restores the window's position unless it is off the screen", async () => {
      const place = { x: 40, y: 30, width: 1234, height: 777 };
      const where = async () => ((await logged('BrowserWindow'))[0] as [string, object])[1];
      await start();
      expect(await where()).toMatchObject({ width: 1600, height: 1000 });
      await standIn.act('place', place, true);
      await standIn.close();
      await start();
      expect(await where()).toMatchObject(place);
      await standIn.act('place', { ...place, x: 1900 }, false);
      await standIn.close();
      await start();
      expect(await where()).not.toHaveProperty('x');
    });
  }

  it('starts with a notice if its stored state is damaged', async () => {
    fs.mkdirSync(userData);
    fs.writeFileSync(path.join(userData, 'desktop.json'), '{"place": [');
    const damaged = await startStandIn(userData);
    expect(await ask(damaged, 'kept', {})).toContain('"ok":true');
    await damaged.act('closeWindow');
    const { status, stderr } = await damaged.ended;
    expect(status).toBe(0);
    expect(stderr).toMatch(/^tracebench: .*desktop\.json cannot be read, so the window position is lost: .*\n$/);
  });

  it('reports in one sentence that the page crashed, and loads it again', async () => {
    await start();
    await standIn.act('pageGone', 'oom');
    const [box] = await logged('showMessageBox');
    expect(box?.[1]).toMatchObject({
      message: 'The workbench page stopped (oom). Traces, indexes and notes are safe.',
    });
    await standIn.act('answerMessageBox', 0);
    while ((await logged('loaded')).length < 2);
    await standIn.act('pageGone', 'clean-exit');
    expect(await logged('showMessageBox')).toHaveLength(1);
  });

  it('reports in one sentence that the engine stopped, and restarts it', async () => {
    const crashed = await startStandIn(userData, [trace]);
    await crashed.act('killThreads');
    expect(await open(crashed, trace)).toBe('200 engine-stopped');
    const boxes = (await crashed.act('log')).filter(([name]) => name === 'showMessageBox');
    expect(boxes.map(([, options]) => (options as { message: string }).message)).toEqual([
      'the engine has stopped (it ended); start the program again.',
    ]);
    await crashed.act('answerMessageBox', 0);
    expect(await crashed.ended).toEqual({ status: 0, stderr: '' });
  });

  it('refuses an Electron with an old Node-API before it loads native code', async () => {
    const { status, stderr } = await endOfStandIn(userData, { STAND_IN_NODE_API: '9' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'error box: Tracebench: Tracebench needs Node-API 10, but this Electron has 9. Install the pinned Electron with npm ci.\n',
    });
  });

  it('ends with an error on calls that the stand-in does not cover', async () => {
    const probe = await startStandIn(userData);
    await probe.page('return 1');
    void probe.clickMenu('no such item').catch(() => undefined);
    const { status, stderr } = await probe.ended;
    expect({ status, stderr }).toEqual({
      status: NOT_COVERED,
      stderr: 'stand-in: there is no menu item no such item\n',
    });
  });
});

function startFromSources(profile: string, args: readonly string[]): Promise<Desktop> {
  return startStandIn(profile, args, { STAND_IN_SOURCES: 'yes' });
}

function startReal(profile: string, args: readonly string[]): Promise<Desktop> {
  if ('missing' in electron) throw new Error(electron.missing);
  return startElectron(electron.program, profile, args);
}

/** Answer of a request of the page, as text. */
async function ask(host: Desktop, name: string, args: object): Promise<unknown> {
  return host.page(`
    const body = ${JSON.stringify(JSON.stringify(args))};
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/api/${name}', { method: 'POST', headers, body })).text();`);
}

/** Status of the call, and `opened` or the code of the failure. */
async function open(host: Desktop, file: string): Promise<unknown> {
  return host.page(`
    const body = JSON.stringify({ path: ${JSON.stringify(file)} });
    const response = await fetch('/api/open', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const text = await response.text();
    const code = /"code":\\s*"([^"]+)"/.exec(text);
    return response.status + ' ' + (code ? code[1] : /"trace"/.test(text) ? 'opened' : text);`);
}

/** Returns the page's result once it is a list of at least `length` items. */
async function until(host: Desktop, source: string, length: number): Promise<unknown> {
  for (;;) {
    const answer = await host.page(source);
    if (Array.isArray(answer) && answer.length >= length) return answer;
  }
}
