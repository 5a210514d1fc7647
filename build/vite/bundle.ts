// Makes dist/: the Node bundles, the preload, the page. Run by set-up under Node 24; empties dist/ first.
import { existsSync } from 'node:fs';
import { build } from 'vite';
import { node, preload } from './node.config.ts';
import { page } from './page.config.ts';

if (existsSync('electron/cli.ts')) await build(node());
if (existsSync('electron/preload.ts')) await build(preload());
if (existsSync('renderer/index.html')) await build(page);
