/** Facts and stores of an open trace that its other stores, and the state of features, build on. */
import type { Client, ImagePlace, Opened, Reach, TraceInfo } from '../../shared/requests/requests.ts';
import type { Settings } from '../../shared/format/format.ts';
import type { RecordNumber } from '../../shared/base/units.ts';
import type { Cursor, Range } from './cursor.svelte.ts';
import type { PaneOptions } from './kept-options.svelte.ts';
import type { Rows } from './questions/rows.svelte.ts';
import type { View } from './view.svelte.ts';

/** How a trace was opened: enough to open it again. */
export interface Source {
  readonly path: string;
  readonly format?: string;
  readonly options?: Settings;
  /** Images of the program that ran. */
  readonly images?: readonly ImagePlace[];
  /** Folders of source files that a person named with the trace. */
  readonly folders?: readonly string[];
}

export interface TraceBase {
  readonly id: string;
  readonly source: Source;
  /** File name without its folder, with hidden characters made visible. */
  readonly name: string;
  readonly opened: Opened;
  readonly client: Client;
  readonly cursor: Cursor;
  readonly view: View;
  readonly paneOptions: PaneOptions;
  readonly rows: Rows;
  readonly reach: Reach;
  /** Last record that the cursor can go to. The first records are available before the index reaches them. */
  readonly last: RecordNumber;
  /** Number of records in the whole trace, estimated from the bytes read so far until the index is complete. */
  readonly extent: number;
  /** Range that the charts show: the cursor's range, or the whole trace. */
  readonly shown: Range;
  readonly info: TraceInfo | null;
  /** Shows a message about this trace in the status bar. */
  readonly say: (text: string) => void;
  /** Registers work to finish before the trace closes. */
  readonly beforeClose: (work: () => Promise<unknown>) => void;
}
