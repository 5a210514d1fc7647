/** Values of typed rows as text. */
import type { DataType } from '../../../shared/requests/variables.ts';
import { knowledgeOf, numberOf, valueText, type Reading } from '../../../shared/requests/answers/watch-value.ts';
import type { Contents } from '../../../shared/requests/watches.ts';

/** Returns the value of a typed row as people read it: `GREEN (5)`, `true`, `65 'A'`, `{3 members}`, characters of an array. */
export function typedText(contents: Contents, reading: Reading, type: DataType, hasForm: boolean): string {
  if (type.kind === 'structure') return `{${type.members.length} members}`;
  if (type.kind === 'array') return arrayText(contents, reading);
  const plain = valueText(contents, reading);
  if (hasForm || knowledgeOf(contents) !== 'known') return plain;
  const number = numberOf(contents, reading);
  if (number === undefined || typeof number === 'number') return plain;
  if (type.kind === 'enumeration') {
    const name = type.values.find(({ value }) => value === number.toString())?.name;
    return name === undefined ? `${plain}, no name` : `${name} (${plain})`;
  }
  if (type.kind !== 'base') return plain;
  if (type.form === 'boolean') return number === 0n ? 'false' : number === 1n ? 'true' : `true (${plain})`;
  if (!type.form.endsWith('character') || number < 0x20n || number > 0x7en) return plain;
  return `${plain} '${String.fromCharCode(Number(number))}'`;
}

/** Arrays are shown as their bytes in the order of addresses. */
function arrayText(contents: Contents, reading: Reading): string {
  if (reading.form === 'ascii') return valueText(contents, reading);
  return (contents.match(/../g) ?? []).join(' ');
}
