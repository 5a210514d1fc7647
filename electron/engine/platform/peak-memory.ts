/** How much memory, in bytes, this process has had in use at most. */
import { readFileSync } from 'node:fs';

export function peakMemory(): number {
  return 1024 * (ownPeak() ?? process.resourceUsage().maxRSS);
}

/** In kilobytes. What Linux tells of the resources used begins with the size of the program that started this one. */
function ownPeak(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const digits = /^VmHWM:\s*(\d+) kB$/m.exec(readStatus())?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    // Not everybody may see /proc: then the larger figure is told.
    return '';
  }
}
