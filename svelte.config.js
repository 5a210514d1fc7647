// How components are compiled: runes everywhere, styles in files of their own (the page's policy forbids inline styles).
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true, css: 'external' },
};
