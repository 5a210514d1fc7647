/** THE LIST of tools, in the order in which a model reads them: one line each. */
import type { Tool } from '../tool.ts';
import { diff } from './diff.ts';
import { flowTools } from './flow.ts';
import { recordTools } from './records.ts';
import { report } from './report.ts';
import { sql } from './sql.ts';
import { stateTools } from './state.ts';
import { why } from './why.ts';

export const TOOLS: readonly Tool[] = [...recordTools, ...stateTools, why, diff, ...flowTools, sql, report];
