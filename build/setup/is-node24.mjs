// Separate from `node24.mjs`, because the `tracebench` command asks only this at each start.

/** True if this very Node can run the program. */
export function isNode24() {
  return Number(process.versions.node.split('.')[0]) >= 24 && Number(process.versions.napi) >= 10;
}
