/** A figure whose answers are there, ready to be drawn in one look or several. */
import type { Figure } from '../../../present/svg/figure.ts';
import type { Look } from '../../../present/svg/look.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';

export interface Drawing {
  /** Shown records [from, to); more than requested if the figure shows whole blocks of the index. */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly draw: (look: Look) => Figure;
}
