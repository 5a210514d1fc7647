// Makes dist/: the Node bundles, the preload, the page. Run by set-up under Node 24; empties dist/ first.
import { build } from 'vite';
import { node, preload, singles } from './node.config.ts';
import { page } from './page.config.ts';

await build(node());
for (const single of singles()) await build(single);
await build(preload());
await build(page);
