/** The questions about code that are loaded when the first of them is asked. */
export { codeDifference } from './code-changes.ts';
export { codeCosts } from './code-costs.ts';
export { codeTimes } from './code-times.ts';
export { lineExecution } from './line-execution.ts';
export { lineStep } from './line-step.ts';
export { code } from './listing.ts';
export { coverageFiles, lineInstructions, sourceLines } from './source-lines.ts';
