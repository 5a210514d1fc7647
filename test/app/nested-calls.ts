/** A run in QEMU4V form: a program that calls `twice` three times, which calls `leaf` two times. */

/** `first`: the first time and instruction number. `effects`: lines after the first instruction of `leaf`, by its time. */
export function nestedCalls(first: number, effects: (time: number) => readonly string[] = () => []): readonly string[] {
  const lines: string[] = [];
  let time = first;
  const run = (address: number, opcode: string, text: string): number => {
    lines.push(`${time} clk 0 IT (${time}) ${address.toString(16).padStart(8, '0')} ${opcode} A svc : ${text}`);
    return time++;
  };
  const leaf = (): void => {
    lines.push(...effects(run(0x9000, 'e2800001', 'add r0, r0, #1')));
    run(0x9004, 'e12fff1e', 'bx lr');
  };
  const twice = (): void => {
    run(0x8800, 'e52de004', 'push {lr}');
    run(0x8804, 'eb0001fd', 'bl #0x9000');
    leaf();
    run(0x8808, 'e1a00000', 'mov r0, r0');
    run(0x880c, 'eb0001fb', 'bl #0x9000');
    leaf();
    run(0x8810, 'e49df004', 'pop {pc}');
  };
  run(0x8000, 'e3a00000', 'mov r0, #0');
  for (const address of [0x8004, 0x800c, 0x8014]) {
    run(address, `eb${(((0x8800 - address - 8) >>> 2) & 0xffffff).toString(16).padStart(6, '0')}`, 'bl #0x8800');
    twice();
    run(address + 4, 'e1a00000', 'mov r0, r0');
  }
  run(0x801c, 'e1a00000', 'mov r0, r0');
  return lines;
}
