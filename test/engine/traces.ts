/** Small traces for the engine's tests, written by hand-made writers that share nothing with the decoders. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRandom } from '../laws/random.ts';

/** A folder of its own for a test, removed by `dispose`. */
export function scratch(): {
  readonly folder: string;
  file(name: string, content: string | Uint8Array): string;
  dispose(): void;
} {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-test-'));
  return {
    folder,
    file(name, content): string {
      const file = path.join(folder, name);
      fs.writeFileSync(file, content);
      return file;
    },
    dispose(): void {
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * QEMU4V text with everything that makes an index wrong when it is careless: 64-bit and 32-bit addresses side by side,
 * accesses that run over lines and pages, 1 to 16 bytes wide, up to the top of the address space, damaged lines, blank
 * lines, text of a log and lines of some thousand bytes.
 */
export function nastyTarmac(lines: number, seed: number): string {
  const random = createRandom(seed);
  const hot = ['00008000', '00000ffe', 'ffffffc0', '0000000100000ffc', 'ffff800000400038', 'fffffffffffffff0'];
  const out: string[] = [];
  for (let time = 1; out.length < lines; time++) {
    const address =
      random.below(3) === 0
        ? hex(random.below(2 ** 32), 8)
        : addressAfter(hot[random.below(hot.length)]!, random.below(96));
    switch (random.below(12)) {
      case 0:
        out.push(`${String(time)} clk R r${String(random.below(13))} ${hex(random.below(2 ** 32), 8)}`);
        break;
      case 1:
        out.push(
          ['', '----------------', 'IN: main', `garbage ${'x'.repeat(random.below(3000))}`, '12 clk MR4 zz 00'][
            random.below(5)
          ]!,
        );
        break;
      case 2:
      case 3:
      case 4:
      case 5: {
        const size = [1, 2, 4, 8, 16][random.below(5)]!;
        const data = Array.from({ length: size }, () => hex(random.below(256), 2)).join('');
        out.push(`${String(time)} clk M${random.below(2) === 0 ? 'R' : 'W'}${String(size)} ${address} ${data}`);
        break;
      }
      default:
        out.push(
          `${String(time)} clk 0 I${random.below(8) === 0 ? 'S' : 'T'} (${String(time)}) ${address} e1a00000 A svc : nop`,
        );
    }
  }
  return `${out.join('\n')}\n`;
}

/**
 * Rows of a capture of a Pentium bus with its header: accesses, messages of which some lack a cycle, repeated rows, damaged rows, several
 * rows in one line, comments and blank lines.
 */
export function nastyBtm(lines: number, seed: number): string {
  const random = createRandom(seed);
  const out = ['time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]'];
  const message = (time: number, second: boolean): string => {
    const address = hex((random.below(2 ** 20) * 16 + 8 * random.below(2)) >>> 0, 8);
    return `${time},0,0,1,DF,${address},${hex(random.below(16), 1)}${second ? '8' : '0'}${hex(random.below(2 ** 24), 14)}`;
  };
  const access = (time: number): string => {
    const address = random.below(3) === 0 ? random.below(2 ** 28) : random.below(600);
    return `${time},1,1,${random.below(2)},${['00', 'F0', 'FE', '0F'][random.below(4)]!},${hex(address * 8, 8)},${hex(time, 16)}`;
  };
  for (let time = 1000; out.length < lines; time += 5) {
    switch (random.below(20)) {
      case 0:
        out.push(out.at(-1)!);
        break;
      case 1:
        out.push(['', '# a note', 'garbage', `${time},1,1`, `${time},1,1,0,00,xx,00`][random.below(5)]!);
        break;
      case 2:
        out.push(`${access(time)}${access(time + 1)}`);
        break;
      case 3:
        out.push(message(time, random.below(2) === 0));
        break;
      case 4:
      case 5:
      case 6:
      case 7:
        out.push(message(time, false), ...(random.below(3) === 0 ? [access(time + 1)] : []), message(time + 2, true));
        break;
      default:
        out.push(access(time));
    }
  }
  return `${out.join('\n')}\n`;
}

/** BYU records: a few hot places, the rest anywhere below `top`, all byte enables and controls, now and then lost bytes. */
export function nastyByu(records: number, seed: number, top = 2 ** 32): Uint8Array {
  const random = createRandom(seed);
  const out: number[] = [];
  const controls = [0x10, 0x30, 0x50, 0x70, 0x80, 0x90, 0x90, 0x90, 0xc0, 0xd0, 0xd0, 0xe0, 0xf0, 0xf0];
  while (out.length < records * 6) {
    const address = (random.below(3) === 0 ? random.below(top / 8) : random.below(600)) * 8;
    const width = 1 + random.below(8);
    const first = random.below(9 - width);
    const enables = 0xff & ~(((1 << width) - 1) << first);
    out.push(
      (address >>> 24) & 255,
      (address >>> 16) & 255,
      (address >>> 8) & 255,
      address & 255,
      enables,
      controls[random.below(controls.length)]!,
    );
    if (random.below(3000) === 0) out.push(...random.bytes(1 + random.below(5)));
  }
  return Uint8Array.from(out);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function addressAfter(address: string, by: number): string {
  const top = 1n << BigInt(address.length * 4);
  return ((BigInt(`0x${address}`) + BigInt(by)) % top).toString(16).padStart(address.length, '0');
}
