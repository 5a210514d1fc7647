/** Numbers the instructions of two runs by their addresses. */
import { ABSENT, createAddressMap } from '../../../collections/address-map.ts';
import type { InstructionNumbers } from '../paths/side.ts';
import { halvesOf, highWithout, lowWithout } from '../runs/address-shift.ts';

/** @param shifts addresses of each program minus those of the first */
export function addressNumbers(shifts: readonly [bigint, bigint]): readonly [InstructionNumbers, InstructionNumbers] {
  const numbers = createAddressMap(1 << 12);
  const numbersWithout = (shift: bigint): InstructionNumbers => {
    const moved = halvesOf(shift);
    return {
      of(low, high) {
        const [ownLow, ownHigh] = [lowWithout(low, moved), highWithout(low, high, moved)];
        const known = numbers.get(ownLow, ownHigh);
        if (known !== ABSENT) return known;
        const { size } = numbers;
        numbers.set(ownLow, ownHigh, size);
        return size;
      },
      isOutside: () => false,
    };
  };
  return [numbersWithout(shifts[0]), numbersWithout(shifts[1])];
}
