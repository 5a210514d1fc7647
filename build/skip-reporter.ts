// Names every test that did not run, with the reason it gave (`context.skip(reason)`, or its title): nothing is skipped
// in silence.
import type { Reporter, TestModule } from 'vitest/node';

export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const reason = result.state === 'skipped' && result.note ? `: ${result.note}` : '';
        process.stdout.write(`skipped: ${test.fullName}${reason}\n`);
      }
    }
  }
}
