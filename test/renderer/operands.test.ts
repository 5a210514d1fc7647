// Texts of instructions: the addresses in them, what a search marks, and words that repeat.
import { expect, test } from 'vitest';
import type { RecordView } from '../../shared/records/record.ts';
import { modeWords, remarkableFlags } from '../../renderer/widgets/mode-words.ts';
import { operandsIn } from '../../renderer/widgets/operands.ts';
import { markingExpression, partsOf } from '../../renderer/widgets/text-parts.ts';

test.each([
  ['bl #0x8230', '0x8230'],
  ['BL   0X2109BC', '0x2109bc'],
  ['b 8230 <f>', '0x8230'],
  ['b.eq   0x2109cc', '0x2109cc'],
  ['bne t0,t3,0x80001008', '0x80001008'],
  ['cbz r0, #0x8010', '0x8010'],
  ['call 0x401136', '0x401136'],
  ['B        {pc}-8 ; 0x8018', '0x8018'],
  ['ldr r0, 0x8068', '0x8068'],
  ['lea rax, [0x404000]', '0x404000'],
  // Offsets, immediates and short numbers are no addresses.
  ['BL       {pc}+0x10c', undefined],
  ['str r3, [r0, #0x100]', undefined],
  ['lw a0, 0x120(sp)', undefined],
  ['mov rax, [rbx+0x120]', undefined],
  ['add r0, r0, #0x200', undefined],
  ['cmp r5, #0x400', undefined],
  ['bic r0, r0, #0x700', undefined],
  ['b 12', undefined],
  ['bx lr', undefined],
  ['nop', undefined],
])('the address in %j is %j', (text, address) => {
  expect(operandsIn(text).map((operand) => operand.address)).toEqual(address === undefined ? [] : [address]);
});

test('splits a text at addresses with symbols and at matches', () => {
  const text = 'bl #0x8230';
  const named = (address: string): string | undefined => (address === '0x8230' ? 'fib' : undefined);
  expect(partsOf(text, operandsIn(text), named)).toEqual([
    { text: 'bl #', marks: [] },
    { text: '0x8230', marks: [], address: '0x8230', symbol: 'fib' },
  ]);
  const marking = { expression: /82/gu, colour: 'red', label: '82' };
  expect(
    partsOf(text, operandsIn(text), named, [marking]).map((part) => [part.text, part.marks.length, part.symbol]),
  ).toEqual([
    ['bl #', 0, undefined],
    ['0x', 0, undefined],
    ['82', 1, undefined],
    ['30', 0, 'fib'],
  ]);
  expect(partsOf(text, operandsIn(text), () => undefined)).toEqual([{ text, marks: [] }]);
});

test.each([
  ['beq 8230 <fib>', undefined],
  ['beq 8230 <fib+0x4>', 'fib'],
])('names the address in %j only if the text does not', (text, symbol) => {
  const parts = partsOf(text, operandsIn(text), () => 'fib');
  expect(parts.find(({ address }) => address === '0x8230')?.symbol).toBe(symbol);
});

test('marks what each search matches, and both where two overlap', () => {
  const searches = [
    { expression: /ldr r1/gu, colour: 'orange', label: 'load' },
    { expression: /r\d/gu, colour: 'green', label: 'register' },
  ];
  const parts = partsOf('ldr r1, [r2]', [], undefined, searches);
  expect(parts.map(({ text, marks }) => [text, ...marks.map(({ colour }) => colour)])).toEqual([
    ['ldr ', 'orange'],
    ['r1', 'orange', 'green'],
    [', ['],
    ['r2', 'green'],
    [']'],
  ]);
});

test('marks only with expressions that cannot take long', () => {
  expect(['ldr', 'r[0-3]', 'a.*b'].map((text) => markingExpression(text)?.source)).toEqual(['ldr', 'r[0-3]', 'a.*b']);
  expect(['', '(a+)+b', '(a)\\1', '(?=a)', 'a*a*a*b', '['].map(markingExpression)).toEqual(Array(6).fill(undefined));
});

test('separates the mode of an instruction from what is special about it', () => {
  const record: RecordView = {
    ...{ n: 0, offset: 0, bytes: 1, kind: 'instruction', native: 'IT', isa: 'T' },
    flags: ['svc', 'ns', 'number-7', 'bl-first', 'disassembled', 'cpu-assumed'],
  };
  expect([modeWords(record), remarkableFlags(record)]).toEqual(['Thumb svc ns disassembled', ['bl-first']]);
  // The `s` of an access is about the access, not about the mode.
  expect(remarkableFlags({ ...record, kind: 'write', flags: ['s', 'pa-0x10'] })).toEqual(['s', 'pa-0x10']);
});
