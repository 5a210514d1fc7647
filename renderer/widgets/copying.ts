/**
 * What a list gives to the clipboard: rows as lines, their cells between tabs. A selection inside one row is copied as it is; without a
 * selection the row that one is at is copied.
 */

/** For `{@attach copying}` on a grid. */
export function copying(grid: HTMLElement): () => void {
  const copy = (event: ClipboardEvent): void => {
    const rows = chosenRows(grid, getSelection());
    if (rows.length === 0) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', rows.map(lineOf).join('\n'));
  };
  grid.addEventListener('copy', copy);
  return () => grid.removeEventListener('copy', copy);
}

/** Nothing where the browser knows better what is meant. */
function chosenRows(grid: HTMLElement, selection: Selection | null): readonly Element[] {
  if (selection && !selection.isCollapsed) {
    const touched = [...grid.querySelectorAll('[role=row]')].filter((row) => selection.containsNode(row, true));
    return touched.length > 1 ? touched : [];
  }
  const walked = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return walked && grid.contains(walked) ? [walked] : [];
}

function lineOf(row: Element): string {
  return [...row.querySelectorAll('[role=gridcell], [role=columnheader]')].map(textOf).join('\t');
}

/** What stands apart on the screen stands apart in the text; what is there for eyes or ears alone is left out. */
function textOf(cell: Element): string {
  const copy = cell.cloneNode(true) as Element;
  for (const part of copy.querySelectorAll('.spoken, [aria-hidden=true], [data-fold]')) part.remove();
  for (const part of copy.querySelectorAll('code, small, em')) {
    part.before(' ');
    part.after(' ');
  }
  return copy.textContent.replaceAll(/\s+/g, ' ').trim();
}
