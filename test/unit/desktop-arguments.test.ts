/** Command-line arguments of the desktop program, and accelerators of its commands. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { acceleratorOf } from '../../electron/accelerator.ts';
import { fileArguments } from '../../electron/file-arguments.ts';
import { readCommands } from '../../shared/commands.ts';

it("takes files from a command line, without switches and the program's folder", () => {
  const home = path.resolve('/home/someone');
  const named = [path.join(home, 'a.trc'), path.resolve('/b c.trc')];
  expect(fileArguments(['electron', '--no-sandbox', '.', 'a.trc', '/b c.trc'], true, home)).toEqual(named);
  expect(fileArguments(['tracebench', 'a.trc', '--x=y', '', '/b c.trc'], false, home)).toEqual(named);
  expect(fileArguments(['electron', '.'], true, home)).toEqual([]);
  expect(fileArguments(['tracebench'], false, home)).toEqual([]);
});

it('takes file URLs, as desktop environments pass them', ({ skip }) => {
  skip(process.platform === 'win32', 'Windows hands over paths');
  expect(fileArguments(['tracebench', 'file:///tmp/b%20c.trc'], false, '/')).toEqual(['/tmp/b c.trc']);
});

it('names keys as Electron does', () => {
  const keys = ['Ctrl+O', 'g', '+', '-', '?', '0', 'Shift+X', 'Alt+Left', 'Ctrl+Shift+P', 'PageDown', 'Down j'];
  expect(keys.map((key) => acceleratorOf(key, 'linux'))).toEqual([
    ...['CmdOrCtrl+O', 'G', 'Plus', '-', '?', '0', 'Shift+X', 'Alt+Left', 'CmdOrCtrl+Shift+P', 'PageDown', 'Down'],
  ]);
  expect(keys.map((key) => acceleratorOf(key, 'darwin')).filter((key) => key !== undefined)).toEqual([
    ...['CmdOrCtrl+O', 'Alt+Left', 'CmdOrCtrl+Shift+P'],
  ]);
});

it('accepts only a list of commands from the page', () => {
  const command = { id: 'open', title: 'Open trace…', key: 'Ctrl+O', menu: 'File' };
  expect(readCommands([command, { id: 'x', title: 'X', menu: 'Go' }])).toHaveLength(2);
  for (const other of [
    undefined,
    {},
    'x',
    [null],
    [{ ...command, menu: 'Edit' }],
    [{ ...command, key: 1 }],
    [{ id: 'x' }],
  ])
    expect(readCommands(other)).toBeUndefined();
});
