/** Peak resident memory of this process, in bytes. */
import { readFileSync } from 'node:fs';

export function peakMemory(): number {
  return 1024 * (ownPeak() ?? process.resourceUsage().maxRSS);
}

/** In kilobytes; undefined on systems other than Linux. Linux counts `maxRSS` from the size of the parent process, which may be larger. */
function ownPeak(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const digits = /^VmHWM:\s*(\d+) kB$/m.exec(readStatus())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    // /proc may be unreadable: the caller then uses the larger figure.
    return '';
  }
}
