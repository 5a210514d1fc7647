// The package: built by Forge with a stub Electron and no network; its fuses are set, and the engine inside answers.
// Electron itself cannot run here, so the packed command line runs under Node, from the archive's content.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractAll, listPackage } from '@electron/asar';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeStubElectron } from './stub-electron.ts';
import { NIGHTLY } from '../short-form.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = `${process.platform}-${process.arch}`;
// The stub has the layout of Linux; on the other systems Forge wants a whole application bundle or a real PE file.
const canPackage = process.platform === 'linux';

describe.skipIf(!canPackage)('the package (made on Linux only: the stub Electron has its layout)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracebench-package-'));
  const app = join(folder, 'out', `Tracebench-${target}`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    execFileSync(process.execPath, ['build/setup.mjs'], { cwd: root });
    const version = readJson(join(root, 'node_modules/electron/package.json'))['version'];
    // Every fuse starts in the opposite state of forge.config.ts.
    writeStubElectron(join(folder, 'zips'), String(version), target, '111100110');
    const env = {
      ...process.env,
      TRACEBENCH_ELECTRON_ZIPS: join(folder, 'zips'),
      TRACEBENCH_OUT: join(folder, 'out'),
    };
    execFileSync(process.execPath, ['node_modules/@electron-forge/cli/dist/electron-forge.js', 'package'], {
      cwd: root,
      env,
    });
  });

  test('cannot be started as a plain Node, and loads only its own archive', async () => {
    const wire = await getCurrentFuseWire(join(app, 'tracebench'));
    expect(wire).toMatchObject({
      [FuseV1Options.RunAsNode]: FuseState.DISABLE,
      [FuseV1Options.EnableCookieEncryption]: FuseState.DISABLE,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: FuseState.DISABLE,
      [FuseV1Options.EnableNodeCliInspectArguments]: FuseState.DISABLE,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: FuseState.ENABLE,
      [FuseV1Options.OnlyLoadAppFromAsar]: FuseState.ENABLE,
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: FuseState.DISABLE,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: FuseState.DISABLE,
      [FuseV1Options.WasmTrapHandlers]: FuseState.ENABLE,
    });
  });

  test('contains the program without its sources and tools', () => {
    const names = listPackage(join(app, 'resources/app.asar'), { isPack: false }).map((name) =>
      name.split('\\').join('/'),
    );
    const modules = '/node_modules/@alexaltea/capstone-js/dist';
    for (const name of [
      '/dist/main.js',
      '/dist/preload.cjs',
      '/dist/cli.js',
      '/package.json',
      `${modules}/capstone.js`,
      `${modules}/capstone.wasm`,
    ]) {
      expect(names).toContain(name);
    }
    const stray = names.filter((name) =>
      /^\/(shared|renderer|build|test|\.)|\.(ts|c|map|svelte)$|\/(deps|\.compiled)\//.test(name),
    );
    expect(stray).toEqual([]);
  });

  test('has the notices of all packages in it, where a person finds them', () => {
    const notices = readFileSync(join(app, 'resources/THIRD-PARTY-NOTICES.txt'), 'utf8');
    const named = [...notices.matchAll(/^(\S+) [\d.]+\nLicence: /gm)].map(([, name]) => name);
    const dependencies = Object.keys(readJson(join(root, 'package.json'))['dependencies'] as object);
    expect(named).toEqual([...new Set([...packagesOfBundles(), ...dependencies])].sort());
    for (const author of ['Mike Bostock', 'Svelte Contributors', 'Chris Pettitt', 'Titus Wormer', 'Arjun Barrett'])
      expect(notices).toMatch(new RegExp(`Copyright .*${author}`));
    expect(notices).toContain('Mozilla Public License Version 2.0');
    expect(notices).toContain('https://github.com/linebender/resvg');
    expect(notices).toContain('LLVM Release License');
  });

  if (NIGHTLY) {
    test('is accepted by electron-builder for installers', () => {
      const args = ['--config', 'build/electron-builder.config.mjs', '--prepackaged', app, '--linux', 'dir'];
      const done = spawnSync(process.execPath, ['node_modules/electron-builder/cli.js', ...args], {
        cwd: root,
        encoding: 'utf8',
      });
      // It exits with 1 on an unknown setting.
      expect(done).toMatchObject({ status: 0 });
    });
  }

  test('keeps libraries outside of the archive, where the system can load them', () => {
    const unpacked = join(app, 'resources/app.asar.unpacked');
    expect(existsSync(join(unpacked, `node_modules/better-sqlite3/prebuilds/${target}.node`))).toBe(true);
    const built = existsSync(join(root, 'electron/native/build/Release/tracebench_map.node'));
    expect(existsSync(join(unpacked, 'electron/native/build/Release/tracebench_map.node'))).toBe(built);
  });

  test('answers info from the packed engine', () => {
    const content = join(folder, 'content');
    extractAll(join(app, 'resources/app.asar'), content);
    // A kept sample of 150 six-byte records, 53 of them data writes (counted by hand in its golden).
    const trace = join(root, 'test/samples/byu6/branch-trace/trace.byu');
    const args = ['info', trace, '--index-dir', join(folder, 'index'), '--json'];
    const answer: unknown = JSON.parse(
      execFileSync(process.execPath, [join(content, 'dist/cli.js'), ...args], { encoding: 'utf8', cwd: folder }),
    );
    expect(answer).toMatchObject({
      file: { bytes: 900 },
      format: { id: 'byu6' },
      records: 150,
      kinds: { write: 53 },
      index: { complete: true },
    });
    // An instruction without text in a trace of ARM's simulator: MOV r0, #1 is e3a00001.
    const text = join(root, 'test/samples/armtracer/registers/trace.txt');
    const bare = ['find', text, '--kind', 'instruction', '--index-dir', join(folder, 'index'), '--json'];
    const found: unknown = JSON.parse(
      execFileSync(process.execPath, [join(content, 'dist/cli.js'), ...bare], { encoding: 'utf8', cwd: folder }),
    );
    expect(found).toMatchObject({ opcode: '0xe3a00001', text: 'mov r0, #1' });
  });
});

/** Names of the packages whose modules are in the bundles, by their source maps. */
function packagesOfBundles(): string[] {
  const maps = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  const sources = maps.flatMap((name) => readJson(join(root, 'dist', name))['sources'] as string[]);
  return [...new Set(sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []))];
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>;
}
