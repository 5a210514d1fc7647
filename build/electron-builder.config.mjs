// Installers, made from Forge's output: `npm run installers`. Nothing is built, rebuilt or fused here.
import { FORMATS } from '../shared/formats/index.ts';

/** Endings that belong to other programs too: a trace with such a name is opened from within. */
const common = new Set(['txt', 'log', 'out', 'bin', 'dat', 'csv', 'gz']);

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'org.tracebench.Tracebench',
  productName: 'Tracebench',
  copyright: 'MIT licence',
  directories: { output: 'out/installers', buildResources: 'build/icons' },
  npmRebuild: false,
  nodeGypRebuild: false,
  publish: null,
  fileAssociations: FORMATS.flatMap((format) =>
    format.extensions
      .filter((ending) => !common.has(ending))
      .map((ext) => ({ ext, name: format.name, description: format.name, role: 'Viewer', rank: 'Alternate' })),
  ),
  linux: {
    target: ['AppImage'],
    category: 'Development',
    executableName: 'tracebench',
    synopsis: 'Execution traces',
  },
  mac: { target: ['dmg'], category: 'public.app-category.developer-tools' },
  win: { target: ['nsis'] },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
};
