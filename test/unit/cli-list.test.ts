/** The command list repeats what the command files declare, so that one command loads no other. */
import { expect, test } from 'vitest';
import { COMMANDS } from '../../electron/cli/commands/index.ts';

test.each(COMMANDS.map((listed) => [listed.names.join(', '), listed] as const))(
  'the list of commands describes %s as its file does',
  async (_, { names, load }) => {
    expect((await load()).map(({ name }) => name)).toEqual(names);
  },
);
