// How the desktop program is packaged: what goes in, what the fuses forbid, which archives are made of it.
// Everything native is Node-API, so nothing is rebuilt for Electron; installers are electron-builder's part, made from
// this output (build/electron-builder.config.mjs).
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { FuseV1Options, FuseVersion } from '@electron/fuses';
import { MakerDeb } from '@electron-forge/maker-deb';
import { MakerZIP } from '@electron-forge/maker-zip';
import { FusesPlugin } from '@electron-forge/plugin-fuses';
import type { ForgeConfig } from '@electron-forge/shared-types';

const root = import.meta.dirname;
/** Contents of the package besides the modules needed at run time, which the hook below adds. */
const contents = ['dist', 'electron/native/build/Release/tracebench_map.node', 'package.json', 'LICENSE'];
/** For machines without a way to Electron's releases: a folder with `electron-vVERSION-PLATFORM-ARCH.zip`. */
const zips = process.env['TRACEBENCH_ELECTRON_ZIPS'];
const out = process.env['TRACEBENCH_OUT'];

/** Of those that pictures are written with. */
const FONTS = ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono', 'DejaVuSansMono-Bold'];

const config: ForgeConfig = {
  ...(out ? { outDir: out } : {}),
  packagerConfig: {
    name: 'Tracebench',
    executableName: 'tracebench',
    icon: join(root, 'build/icons/icon'),
    appBundleId: 'org.tracebench.Tracebench',
    appCategoryType: 'public.app-category.developer-tools',
    asar: { unpack: '**/*.node' },
    prune: false,
    extraResource: [join(root, 'dist/THIRD-PARTY-NOTICES.txt')],
    ignore: (path: string) => !isContent(path),
    ...(zips ? { electronZipDir: zips } : {}),
  },
  rebuildConfig: { onlyModules: [] },
  hooks: {
    packageAfterCopy: async (_config, app, _electron, platform, arch) => copyModules(app, `${platform}-${arch}`),
  },
  plugins: [
    new FusesPlugin({
      version: FuseVersion.V1,
      strictlyRequireAllFuses: true,
      [FuseV1Options.RunAsNode]: false,
      [FuseV1Options.EnableCookieEncryption]: false,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: false,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
      [FuseV1Options.OnlyLoadAppFromAsar]: true,
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
      [FuseV1Options.WasmTrapHandlers]: true,
    }),
  ],
  makers: [
    new MakerZIP({}),
    new MakerDeb({
      options: {
        bin: 'tracebench',
        icon: join(root, 'build/icons/icon.png'),
        categories: ['Development'],
        section: 'devel',
      },
    }),
  ],
};

export default config;

/** @param path below the project, with a leading `/`; empty for the project itself */
function isContent(path: string): boolean {
  const inside = path.replaceAll('\\', '/').slice(1);
  const belongs = contents.some(
    (each) => each === inside || each.startsWith(`${inside}/`) || inside.startsWith(`${each}/`),
  );
  return (inside === '' || belongs) && !/\.(compiled|map|sources)$/.test(inside);
}

/** Of better-sqlite3 the JavaScript and the one prebuilt library this platform loads, not the sources of SQLite. */
async function copyModules(app: string, target: string): Promise<void> {
  const parts = {
    'better-sqlite3': ['package.json', 'LICENSE', 'lib', `prebuilds/${target}.node`],
    '@alexaltea/capstone-js': ['package.json', 'LICENSE', 'dist'],
    '@resvg/resvg-wasm': ['package.json', 'README.md', 'index.js', 'index.mjs', 'index_bg.wasm'],
    'dejavu-fonts-ttf': ['package.json', 'LICENSE', ...FONTS.map((font) => `ttf/${font}.ttf`)],
  };
  for (const [name, wanted] of Object.entries(parts)) {
    for (const part of wanted) {
      const path = join('node_modules', name, part);
      await cp(join(root, path), join(app, path), { recursive: true, dereference: true });
    }
  }
}
