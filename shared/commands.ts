/** THE LIST of commands: menu, palette and help sheet derive from it; renderer/shell/commands.ts says what each does. */

export type Menu = 'File' | 'Go' | 'Notes' | 'View' | 'Help';

export interface Command {
  readonly id: string;
  readonly title: string;
  /** As a person reads it: `Ctrl+O`; Ctrl stands for Cmd on macOS. Several are separated by a blank. */
  readonly key?: string;
  readonly menu: Menu;
  /** While somebody types its key belongs to the text. */
  readonly leavesText?: boolean;
}

export const COMMANDS: readonly Command[] = [
  { id: 'open', title: 'Open trace…', key: 'Ctrl+O', menu: 'File' },
  { id: 'format', title: 'Read as another format…', menu: 'File' },
  { id: 'images', title: 'Program images…', menu: 'File' },
  { id: 'report', title: 'Report', key: 'Shift+P', menu: 'File' },
  { id: 'report-export', title: 'Export report…', key: 'Ctrl+Shift+E', menu: 'File' },
  { id: 'close', title: 'Close trace', key: 'Ctrl+W', menu: 'File' },
  { id: 'rebuild', title: 'Rebuild index', menu: 'File' },
  { id: 'export-figure', title: 'Export figure…', key: 'Shift+E', menu: 'File' },
  { id: 'cancel', title: 'Stop what is under way', key: 'Shift+Escape', menu: 'File' },
  { id: 'step', title: 'Next record', key: 'Down', menu: 'Go' },
  { id: 'step-back', title: 'Previous record', key: 'Up', menu: 'Go' },
  { id: 'page-down', title: 'Page down', key: 'PageDown', menu: 'Go' },
  { id: 'page-up', title: 'Page up', key: 'PageUp', menu: 'Go' },
  { id: 'first', title: 'First record', key: 'Ctrl+Home', menu: 'Go', leavesText: true },
  { id: 'last', title: 'Last record', key: 'Ctrl+End', menu: 'Go', leavesText: true },
  { id: 'go', title: 'Go to record, time, address or symbol…', key: 'g', menu: 'Go' },
  { id: 'next-access', title: 'Next access to the address or register', key: 'x', menu: 'Go' },
  { id: 'previous-access', title: 'Previous access to the address or register', key: 'Shift+X', menu: 'Go' },
  { id: 'previous-write', title: 'Who wrote this', key: 'Shift+W', menu: 'Go' },
  { id: 'next-write', title: 'Next write to it', key: 'w', menu: 'Go' },
  { id: 'next-read', title: 'Next reader of it', key: 'r', menu: 'Go' },
  { id: 'previous-read', title: 'Previous reader of it', key: 'Shift+R', menu: 'Go' },
  { id: 'step-over', title: 'Step over the call', key: 'o', menu: 'Go' },
  { id: 'step-back-over', title: 'Step back over the call', key: 'Shift+O', menu: 'Go' },
  { id: 'step-out', title: 'Step out of the function', key: 'u', menu: 'Go' },
  { id: 'step-back-out', title: 'Step back out to the call', key: 'Shift+U', menu: 'Go' },
  { id: 'next-call', title: 'Next branch or call of this edge', key: 'c', menu: 'Go' },
  { id: 'previous-call', title: 'Previous branch or call of this edge', key: 'Shift+C', menu: 'Go' },
  { id: 'search', title: 'Search…', key: 'Ctrl+F /', menu: 'Go' },
  { id: 'search-next', title: 'Next match', key: 'F3', menu: 'Go' },
  { id: 'search-previous', title: 'Previous match', key: 'Shift+F3', menu: 'Go' },
  { id: 'graph-here', title: 'Callers and callees of the function here', key: 'e', menu: 'Go' },
  { id: 'back', title: 'Back', key: 'Alt+Left', menu: 'Go' },
  { id: 'forward', title: 'Forward', key: 'Alt+Right', menu: 'Go' },
  { id: 'bookmark', title: 'Bookmark here', key: 'b', menu: 'Notes' },
  { id: 'note', title: 'Note here…', key: 'n', menu: 'Notes' },
  { id: 'next-note', title: 'Next note', key: 'm', menu: 'Notes' },
  { id: 'previous-note', title: 'Previous note', key: 'Shift+M', menu: 'Notes' },
  { id: 'undo', title: 'Undo change of notes', key: 'Ctrl+Z', menu: 'Notes', leavesText: true },
  { id: 'redo', title: 'Redo change of notes', key: 'Ctrl+Shift+Z Ctrl+Y', menu: 'Notes', leavesText: true },
  { id: 'save-view', title: 'Save this view…', key: 'v', menu: 'Notes' },
  { id: 'import-notes', title: 'Import notes…', menu: 'Notes' },
  { id: 'export-notes', title: 'Export notes…', menu: 'Notes' },
  { id: 'zoom-in', title: 'Zoom in', key: '+ =', menu: 'View' },
  { id: 'zoom-out', title: 'Zoom out', key: '-', menu: 'View' },
  { id: 'zoom-range', title: 'Zoom to range', key: 'z', menu: 'View' },
  { id: 'zoom-all', title: 'Zoom to all', key: '0', menu: 'View' },
  { id: 'fold', title: 'Fold empty address space', key: 'f', menu: 'View' },
  { id: 'fold-call', title: 'Fold or unfold the call', key: 'Shift+F', menu: 'View' },
  { id: 'unfold-calls', title: 'Unfold all calls', menu: 'View' },
  { id: 'theme', title: 'Toggle dark and light', key: 'Ctrl+Shift+L', menu: 'View' },
  { id: 'layout', title: 'Reset layout', menu: 'View' },
  { id: 'pane-1', title: 'Overview', key: 'Ctrl+1', menu: 'View' },
  { id: 'pane-2', title: 'Heatmap', key: 'Ctrl+2', menu: 'View' },
  { id: 'pane-3', title: 'Instructions', key: 'Ctrl+3', menu: 'View' },
  { id: 'pane-4', title: 'Bytes', key: 'Ctrl+4', menu: 'View' },
  { id: 'pane-5', title: 'Diagnostics', key: 'Ctrl+5', menu: 'View' },
  { id: 'pane-6', title: 'Memory', key: 'Ctrl+6', menu: 'View' },
  { id: 'pane-7', title: 'Registers', key: 'Ctrl+7', menu: 'View' },
  { id: 'pane-8', title: 'Search results', key: 'Ctrl+8', menu: 'View' },
  { id: 'pane-9', title: 'Stack', key: 'Ctrl+9', menu: 'View' },
  { id: 'pane-branches', title: 'Branches', key: 'Shift+B', menu: 'View' },
  { id: 'pane-graph', title: 'Call graph', key: 'Shift+G', menu: 'View' },
  { id: 'pane-tree', title: 'Call tree', key: 'Shift+T', menu: 'View' },
  { id: 'pane-notes', title: 'Notes', key: 'Shift+N', menu: 'View' },
  { id: 'palette', title: 'Command palette', key: 'Ctrl+Shift+P', menu: 'Help' },
  { id: 'help', title: 'Keyboard help', key: '?', menu: 'Help' },
];
