// How the page is bundled: renderer/index.html into dist/page/, relative addresses, nothing inline,
// because the page's Content-Security-Policy allows neither inline scripts nor inline styles.
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { InlineConfig } from 'vite';

const root = fileURLToPath(new URL('../../renderer', import.meta.url));

export const page: InlineConfig = {
  configFile: false,
  logLevel: 'warn',
  root,
  base: './',
  plugins: [svelte({ configFile: '../svelte.config.js' })],
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('../../dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'chrome130',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    chunkSizeWarningLimit: 2000,
  },
};
