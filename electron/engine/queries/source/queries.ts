/** The questions about code that are loaded when the first of them is asked. */
export { codeCosts } from './code-costs.ts';
export { codeTimes } from './code-times.ts';
export { lineExecution } from './line-execution.ts';
export { lineStep } from './line-step.ts';
export { code, coverageFiles, lineInstructions, sourceLines } from './source-lines.ts';
