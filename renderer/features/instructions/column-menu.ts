/** Items of the menu of columns: hide, move, fit, show again, reset. */
import {
  COLUMN_TITLES,
  COLUMNS,
  NO_CHOICE,
  orderOf,
  present,
  withMoved,
  withoutWidth,
  withShown,
  type Column,
  type ColumnChoice,
  type Columns,
} from '../../widgets/record-columns.ts';
import type { MenuItem } from '../../widgets/menu.ts';

interface Shown {
  /** Columns that the records need, and those that are shown. */
  readonly needed: Columns;
  readonly columns: Columns;
  readonly choice: ColumnChoice;
  readonly onchange: (choice: ColumnChoice) => void;
}

/** @param column the column that the menu is about; absent: all columns */
export function columnItems(shown: Shown, column?: Column): readonly MenuItem[] {
  const { choice, columns, needed, onchange } = shown;
  const visible = present(columns, orderOf(choice));
  const hidden = COLUMNS.filter((other) => !visible.includes(other));
  const groups = [
    column === undefined ? [] : [...movesOf(shown, visible, column), fitItem(shown, column)],
    (column === undefined ? visible : [column]).map((other) => hideItem(shown, other)),
    hidden.map((other): MenuItem => ({
      title: `Show ${COLUMN_TITLES[other]}`,
      refusal: needed[other] === 0 ? 'No record seen so far has one.' : null,
      run: () => onchange(withShown(choice, other, true)),
    })),
    [
      {
        title: 'Reset columns',
        refusal: isChanged(choice) ? null : 'The columns are as they were at first.',
        run: () => onchange(NO_CHOICE),
      },
    ],
  ];
  return groups.flatMap((items, group) => items.map((item, at) => ({ ...item, begins: group > 0 && at === 0 })));
}

export function isChanged({ order, shown, widths }: ColumnChoice): boolean {
  return order.length + Object.keys(shown).length + Object.keys(widths).length > 0;
}

function hideItem({ choice, onchange }: Shown, column: Column): MenuItem {
  return {
    title: `Hide ${COLUMN_TITLES[column]}`,
    refusal: column === 'number' || column === 'text' ? 'This column is always shown.' : null,
    run: () => onchange(withShown(choice, column, false)),
  };
}

function movesOf({ choice, onchange }: Shown, visible: readonly Column[], column: Column): readonly MenuItem[] {
  return ([-1, 1] as const).map((by) => {
    const moved = withMoved(choice, column, by, visible);
    return {
      title: by < 0 ? 'Move left' : 'Move right',
      refusal: moved ? null : by < 0 ? 'This is the first column.' : 'This is the last column.',
      run: () => moved && onchange(moved),
    };
  });
}

function fitItem({ choice, onchange }: Shown, column: Column): MenuItem {
  return {
    title: 'Fit the width',
    refusal: choice.widths[column] === undefined ? 'The width fits the records.' : null,
    run: () => onchange(withoutWidth(choice, column)),
  };
}
