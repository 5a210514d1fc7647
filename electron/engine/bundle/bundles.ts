/** Evidence bundles: what of a trace travels without it. They are made, read, joined and compared with their trace here. */
export { importBundle } from './import-bundle.ts';
export { makeBundle } from './make-bundle.ts';
export { mergeBundles } from './merge-bundles.ts';
export { bundleText, readBundle } from './read-bundle.ts';
export { bundleSlice } from './slice-file.ts';
export { verifyBundle } from './verify-bundle.ts';
