/** Describes a record in one line: an instruction, its effect, a branch, or another kind. */
import { KIND_LOOKS } from '../../../../present/base/kinds.ts';
import { counted } from '../../../../shared/base/numbers.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { namesSet } from '../../../../shared/records/registers.ts';

export function recordText(record: RecordView): string {
  const { kind, text, opcode, native, source, target } = record;
  switch (kind) {
    case 'instruction':
      return text ?? opcodeText(opcode) ?? native;
    case 'skipped':
      return `${text ?? opcodeText(opcode) ?? native} (condition failed)`;
    case 'branch':
    case 'exception': {
      const ends =
        source === undefined && target === undefined
          ? []
          : [`${endText(source, record.sourceSymbol)} → ${endText(target, record.targetSymbol)}`];
      return [KIND_LOOKS[kind].label, ...ends, ...(text === undefined ? [] : [text])].join(' ');
    }
    default:
      return [KIND_LOOKS[kind].label, ...accessText(record), ...(text === undefined ? [] : [text])].join(' ');
  }
}

/** For kinds that are effects of an instruction: `r3 = 0x10`, `write 4 bytes: 0x5`. */
export function effectText(record: RecordView): string {
  if (record.kind === 'register') {
    return namesSet(record)
      .map(([name, value]) => `${name} = ${value ?? 'unknown'}`)
      .join(', ');
  }
  return [KIND_LOOKS[record.kind].label.toLowerCase(), ...accessText(record)].join(' ');
}

function accessText({ size, value }: RecordView): readonly string[] {
  const bytes = size === undefined ? [] : [counted(size, 'byte')];
  return value === undefined ? bytes : [...bytes.map((text) => `${text}:`), value];
}

function opcodeText(opcode: string | undefined): string | undefined {
  return opcode === undefined ? undefined : `opcode ${opcode}`;
}

function endText(address: string | undefined, symbol: string | undefined): string {
  if (address === undefined) return 'unknown';
  return symbol === undefined ? address : `${address} (${symbol})`;
}
