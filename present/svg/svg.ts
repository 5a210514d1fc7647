/**
 * Writes SVG as text: elements with attributes in the given order, numbers with at most two decimals, and every text
 * escaped. Appearance uses attributes, never styles, so that a page that forbids styles shows it too. The same
 * arguments give the same bytes.
 */
import { visible } from '../../shared/base/visible.ts';

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Returns `<name a="1">content</name>`. The content must be SVG. Undefined attributes are left out. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? fixed(value) : escaped(String(value))}"`)
    .join('');
  const inner = content.join('');
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/**
 * Escapes text for the content of an element or the value of an attribute. Invisible characters appear by name, so they have no
 * effect, and XML can represent all others.
 */
export function escaped(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Formats a number as `12.5` or `3`, never `-0` and never with an exponent. */
export function fixed(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}
