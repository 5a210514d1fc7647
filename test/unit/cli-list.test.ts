/** The list of commands names what its files hold, so that a command is found without loading the others. */
import { expect, test } from 'vitest';
import { COMMANDS } from '../../electron/cli/commands/index.ts';

test.each(COMMANDS.map((listed) => [listed.names.join(', '), listed] as const))('%s', async (_, { names, load }) => {
  expect((await load()).map(({ name }) => name)).toEqual(names);
});
