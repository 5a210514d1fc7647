/** A register line, as traces of QEMU4V have it: `13 clk R r0 00008004`. It names no CPU. */
import type { Settings } from '../../format/format.ts';
import type { Hex, WireTime } from '../../base/units.ts';

/** Returns a line that sets a whole register; undefined in other dialects, whose lines name a CPU. */
export function registerLine(settings: Settings, name: string, value: Hex, time: WireTime): string | undefined {
  if (settings['dialect'] !== 'qemu4v' || !/^\w+$/.test(name)) return undefined;
  const digits = value.slice(2);
  return `${String(time)} ${settings['unit'] ?? 'clk'} R ${name} ${digits.padStart(digits.length <= 8 ? 8 : 16, '0')}\n`;
}
