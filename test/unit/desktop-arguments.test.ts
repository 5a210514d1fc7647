/** Command-line arguments of the desktop program, and accelerators of its commands. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { acceleratorOf } from '../../electron/accelerator.ts';
import { fileArguments } from '../../electron/file-arguments.ts';
import { readCommands } from '../../shared/commands.ts';

it('takes files from a command line, and neither switches nor the folder of the program', () => {
  const home = path.resolve('/home/someone');
  const named = [path.join(home, 'a.trc'), path.resolve('/b c.trc')];
  expect(fileArguments(['electron', '--no-sandbox', '.', 'a.trc', '/b c.trc'], true, home)).toEqual(named);
  expect(fileArguments(['tracebench', 'a.trc', '--x=y', '', '/b c.trc'], false, home)).toEqual(named);
  expect(fileArguments(['electron', '.'], true, home)).toEqual([]);
  expect(fileArguments(['tracebench'], false, home)).toEqual([]);
});

it('takes addresses of files, as desktop environments give them', ({ skip }) => {
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

it('takes commands from the page only as a list of commands', () => {
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
