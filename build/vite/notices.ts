// Writes dist/THIRD-PARTY-NOTICES.txt: the licences of all packages whose code is in the program, which most of them require.
// A package whose licence is not known to fit, or whose text is missing, stops the build.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';

const project = fileURLToPath(new URL('../../', import.meta.url));
const NODE_MODULES = `${project}node_modules/`;

/** Licences under which code may be part of a program that is under MIT. */
const FITTING = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'MPL-2.0',
]);

/** Packages whose package.json names no licence of that list, and what their licence file says. */
const NAMED_ELSEWHERE: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'Bitstream Vera and Arev fonts licence; changes in the public domain',
};

/** Additions to what packages contain: texts of build/licences/, and sentences about code inside. */
const ADDED: Readonly<Record<string, { readonly texts?: readonly string[]; readonly remark: string }>> = {
  '@alexaltea/capstone-js': {
    texts: ['capstone.txt'],
    remark:
      'Contains Capstone, compiled to WebAssembly (https://github.com/capstone-engine/capstone), and with it parts of LLVM.',
  },
  '@resvg/resvg-wasm': {
    texts: ['mpl-2.0.txt'],
    remark:
      'Contains resvg, compiled to WebAssembly and unchanged. Its source: https://github.com/yisibl/resvg-js and https://github.com/linebender/resvg.',
  },
  'better-sqlite3': { remark: 'Contains SQLite, which is in the public domain (https://www.sqlite.org).' },
};

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the configuration with a plugin that adds the names of all packages in the bundles to `names`. */
export function noting(config: InlineConfig, names: Set<string>): InlineConfig {
  const plugin: Plugin = {
    name: 'note-packages',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const id of chunk.moduleIds) {
          const name = packageOf(id);
          if (name !== undefined) names.add(name);
        }
      }
    },
  };
  return {
    ...config,
    plugins: [...(config.plugins ?? []), plugin],
    worker: { ...config.worker, plugins: () => [plugin] },
  };
}

/** Writes the notices of the packages in the bundles, and of those that the packaged program loads from `node_modules`. */
export function writeNotices(path: string, bundled: ReadonlySet<string>): void {
  const loaded = Object.keys(packageJson(project).dependencies ?? {});
  const names = [...new Set([...bundled, ...loaded])].sort();
  const head = `Tracebench contains code of these packages: ${names.join(', ')}.\nTheir licences follow.\n`;
  writeFileSync(path, [head, ...names.map(notice)].join(`\n${'='.repeat(80)}\n\n`));
}

function notice(name: string): string {
  const folder = join(NODE_MODULES, name);
  const { version, license = '' } = packageJson(folder);
  const licence = NAMED_ELSEWHERE[name] ?? license;
  if (NAMED_ELSEWHERE[name] === undefined && !FITTING.has(licence))
    throw new Error(
      `the licence of the package ${name}, "${licence}", is not among those that fit (build/vite/notices.ts)`,
    );
  const added = ADDED[name];
  const own = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = [
    ...own.map((file) => join(folder, file)),
    ...(added?.texts ?? []).map((file) => join(project, 'build/licences', file)),
  ];
  if (texts.length === 0) throw new Error(`the package ${name} has no licence file: add its text to build/licences`);
  return [
    `${name} ${version}\nLicence: ${licence}\nSource: https://www.npmjs.com/package/${name}/v/${version}\n`,
    ...(added === undefined ? [] : [`${added.remark}\n`]),
    ...texts.map((text) => `${readFileSync(text, 'utf8').trim()}\n`),
  ].join('\n');
}

/** Returns the name of the package that a module belongs to; undefined for the project's own modules and virtual ones. */
function packageOf(id: string): string | undefined {
  const path = id.replaceAll('\\', '/').replace(/^\0/, '');
  const at = path.lastIndexOf('/node_modules/');
  if (at < 0) return undefined;
  const [first = '', second = ''] = path.slice(at + '/node_modules/'.length).split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function packageJson(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson;
}
