/**
 * Effects as short text: `r0=[0] r1<-r1 n,z<-r2? flow=return(r14)`. A copy is `=`, a computed value `<-`, a constant `:=`; `?` marks a conditional
 * definition, whose own target is left out of the sources. `[0+4:2]` are two bytes at offset 4 of operand 0, `[0]` is all of it.
 */
import {
  isMemory,
  type Definition,
  type Effects,
  type MemoryOperand,
  type Place,
} from '../../electron/engine/instructions/effects.ts';
import type { RegisterFile } from '../../electron/engine/instructions/register-file.ts';

export function effectsText(effects: Effects, file: RegisterFile): string {
  const name = (place: Place): string =>
    isMemory(place) ? memoryName(place, effects.memory) : file.nameOf(place.register);
  const names = (places: readonly Place[]): string => places.map(name).join(',');
  return [
    ...(effects.complete ? [] : ['incomplete']),
    ...effects.memory.map((operand, k) => operandText(operand, k, file)),
    ...effects.definitions.map((each) => definitionText(each, name, names)),
    ...(effects.flow === undefined ? [] : [`${effects.flow}(${names(effects.decides ?? [])})`]),
    ...(effects.predicates === undefined ? [] : [`predicates=${effects.predicates.join()}`]),
  ].join(' ');
}

function definitionText(
  { to, from, how, conditional }: Definition,
  name: (place: Place) => string,
  names: (places: readonly Place[]) => string,
): string {
  const own = name(to);
  const sources = conditional ? from.filter((each) => name(each) !== own) : from;
  const sign = { copy: '=', computed: '<-', constant: ':=' }[how];
  if (conditional && sources.length === from.length) return `${own} is conditional without itself`;
  return `${own}${sign}${names(sources)}${conditional ? '?' : ''}`;
}

function memoryName(
  place: { memory: number; offset: number; bytes: number },
  memory: readonly MemoryOperand[],
): string {
  const all = place.offset === 0 && place.bytes === memory[place.memory]!.bytes;
  return all ? `[${place.memory}]` : `[${place.memory}+${place.offset}:${place.bytes}]`;
}

function operandText({ way, bytes, address, compute }: MemoryOperand, k: number, file: RegisterFile): string {
  const formula =
    compute === undefined
      ? address.map((each) => file.nameOf(each)).join('&')
      : [
          ...(compute.base === undefined ? [] : [file.nameOf(compute.base)]),
          ...(compute.counter === undefined ? [] : [`pc/${compute.counter.multipleOf}+${compute.counter.ahead}`]),
          ...(compute.index === undefined
            ? []
            : [`${compute.scale}*${compute.signedIndex ? 'signed ' : ''}${file.nameOf(compute.index)}`]),
          ...(compute.displacement === 0 ? [] : [compute.displacement]),
        ].join('+');
  return `${way}${k}:${bytes}@${formula}`;
}
