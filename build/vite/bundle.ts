// Makes dist/: the Node bundles, the preload, the page, and the notices of third parties. Run by set-up under Node 24; empties dist/ first.
import { build } from 'vite';
import { node, preload, singles } from './node.config.ts';
import { noting, writeNotices } from './notices.ts';
import { page } from './page.config.ts';

const packages = new Set<string>();
for (const config of [node(), ...singles(), preload(), page]) await build(noting(config, packages));
writeNotices('dist/THIRD-PARTY-NOTICES.txt', packages);
