/** Hands a person a figure as a file: a drawing of the page with all its looks written into it, so that it stands alone. */

/** What tells how an element looks; groups only fade. */
const OF_SHAPES = ['fill', 'fill-opacity', 'stroke', 'stroke-opacity', 'stroke-width', 'stroke-dasharray'] as const;
const OF_WORDS = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-linejoin',
  'paint-order',
  'text-anchor',
  'font-family',
  'font-size',
  'font-weight',
] as const;
const OF_GROUPS = ['opacity'] as const;

/**
 * What an SVG of the page shows, as text: everything in it, on its ground, in a frame of `width` by `height`. A group with
 * `data-moves` is what a person moves about: the figure has it where it stands by itself.
 */
export function standaloneSvg(svg: SVGSVGElement, width: number, height: number, ground: string): string {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return '';
  const originals = [...svg.querySelectorAll<SVGElement>('*')];
  for (const [at, element] of [...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const original = originals[at];
    if (!original) continue;
    const style = getComputedStyle(original);
    if ('moves' in element.dataset) element.removeAttribute('transform');
    const looks = element.tagName === 'g' ? OF_GROUPS : element.tagName === 'text' ? OF_WORDS : OF_SHAPES;
    for (const look of looks) element.setAttribute(look, style.getPropertyValue(look));
    for (const name of element.getAttributeNames()) {
      if (name === 'class' || name === 'style' || name.startsWith('data-')) element.removeAttribute(name);
    }
  }
  for (const name of copy.getAttributeNames()) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`);
  copy.setAttribute('width', String(Math.ceil(width)));
  copy.setAttribute('height', String(Math.ceil(height)));
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', ground);
  copy.prepend(paper);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export function saveText(text: string, type: string, name: string): void {
  saveBlob(new Blob([text], { type }), name);
}

export function saveBytes(bytes: Uint8Array, type: string, name: string): void {
  saveBlob(new Blob([bytes.slice()], { type }), name);
}

function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
