/** Numbers the elements of both paths as they are read from records: equal numbers are the same element. */
import type { Batch } from '../../../../../shared/records/batch.ts';
import { addressNumbers } from '../symbols/address-numbers.ts';
import { createRecordNumbers, type NumberOf } from './record-legs.ts';
import type { InstructionNumbers, Side } from './side.ts';
import { halvesOf } from '../runs/address-shift.ts';

/** Returns a function that returns how the elements of a side are numbered. */
export function createElementNumbers(sides: readonly [Side, Side]): (side: Side) => NumberOf {
  const [one, other] = sides;
  if (one.elements !== 'instructions') {
    const records = createRecordNumbers();
    return ({ ends, shift }) => {
      const halves = halvesOf(shift);
      return (batch, row) => records.numberOf(batch, row, ends, halves);
    };
  }
  const byAddress = addressNumbers([one.shift, other.shift]);
  return (side) => ofInstructions(side.numbers ?? byAddress[side === one ? 0 : 1]);
}

function ofInstructions(numbers: InstructionNumbers): NumberOf {
  return ({ addressLow, addressHigh }: Batch, row) => numbers.of(addressLow[row]!, addressHigh[row]!);
}
