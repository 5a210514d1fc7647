/**
 * The editor of statements: CodeMirror, which is loaded when the pane is first shown. It lives in a shadow tree, because there its styles
 * are style sheets of their own, where in a document they would be an inline style, which the page's policy refuses.
 */
import {
  autocompletion,
  closeBrackets,
  closeCompletion,
  completionKeymap,
  type CompletionContext,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLite } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, LanguageSupport, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, keymap, placeholder, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Recipe } from '../../../../shared/sql/recipes.ts';
import type { TextSpan } from '../error-places.ts';
import { suggestionsAt, type Suggestion } from '../suggestions.ts';

export interface SqlEditor {
  /** Replaces the statement, unless it is the same. */
  readonly set: (sql: string) => void;
  /** Underlines parts of the statement until it changes. */
  readonly mark: (places: readonly TextSpan[]) => void;
  readonly focus: () => void;
  readonly destroy: () => void;
}

export interface SqlEditorOptions {
  readonly sql: string;
  readonly label: string;
  readonly hint: string;
  readonly onchange: (sql: string) => void;
  readonly onrun: () => void;
  /** Returns false if nothing was running. */
  readonly oncancel: () => boolean;
  readonly onrecipe: (recipe: Recipe) => void;
}

export function createEditor(host: HTMLElement, options: SqlEditorOptions): SqlEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const { onchange, onrun, oncancel, onrecipe } = options;
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.sql,
      extensions: [
        Prec.highest(
          keymap.of([
            {
              key: 'Mod-Enter',
              run: (its) => {
                closeCompletion(its);
                onrun();
                return true;
              },
            },
          ]),
        ),
        keymap.of([...completionKeymap, { key: 'Escape', run: oncancel }, ...historyKeymap, ...defaultKeymap]),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        new LanguageSupport(SQLite.language),
        autocompletion({ override: [(context) => complete(context, onrecipe)], icons: false, interactionDelay: 0 }),
        syntaxHighlighting(COLOURS),
        MARKS,
        TYPING,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        placeholder(options.hint),
        THEME,
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onchange(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    set(sql) {
      const now = view.state.doc.toString();
      if (sql === now) return;
      view.dispatch({ changes: { from: 0, to: now.length, insert: sql }, selection: { anchor: sql.length } });
    },
    mark: (places) => view.dispatch({ effects: marked.of(places) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** Suggestions of the same word, the most fitting kind first. */
const BOOSTS: Readonly<Record<Suggestion['kind'], number>> = {
  parameter: 5,
  column: 4,
  recipe: 3,
  table: 2,
  function: 1,
  keyword: 0,
};

function complete(context: CompletionContext, onrecipe: (recipe: Recipe) => void) {
  const sql = context.state.doc.toString();
  const found = suggestionsAt(sql, context.pos);
  if (!found) return null;
  const before = sql[found.from - 1] ?? '';
  if (!context.explicit && found.from === context.pos && before !== '.' && before !== ':') return null;
  return {
    from: found.from,
    validFor: /^[\w-]*$/,
    options: found.all.map(({ label, kind, detail, text, insert, recipe }) => ({
      label,
      detail,
      boost: BOOSTS[kind],
      ...(text !== '' && { info: text }),
      ...(insert !== undefined && { apply: insert }),
      ...(recipe && { apply: () => onrecipe(recipe) }),
    })),
  };
}

const marked = StateEffect.define<readonly TextSpan[]>();
const MARK = Decoration.mark({ class: 'cm-wrong' });

const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(marked)) {
        const { length } = transaction.newDoc;
        const fitting = effect.value.filter(({ from, to }) => from < to && to <= length);
        return Decoration.set(fitting.map(({ from, to }) => MARK.range(from, to)));
      }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Replaces selected text as the editor itself would. A browser that does it keeps the look of the text with an inline style, which the page's
 * policy refuses with an error.
 */
const TYPING = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { from, to } = selected(view);
    if (inputType !== 'insertText' || data === null || isComposing || from === to) return false;
    const insert = () =>
      view.state.update({
        changes: { from, to, insert: data },
        selection: { anchor: from + data.length },
        scrollIntoView: true,
        userEvent: 'input.type',
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** Returns the selected part of the statement. The editor learns of a selection of the browser only later. */
function selected(view: EditorView): TextSpan {
  const { root, contentDOM } = view;
  const { main } = view.state.selection;
  const own = (root as { getSelection?(): Selection | null }).getSelection?.();
  const [anchor, focus] = [own?.anchorNode, own?.focusNode];
  if (!own || !anchor || !focus || !contentDOM.contains(anchor) || !contentDOM.contains(focus)) return main;
  const [a, b] = [view.posAtDOM(anchor, own.anchorOffset), view.posAtDOM(focus, own.focusOffset)];
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--n-blue)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--n-teal)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--n-orange)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: tags.special(tags.name), color: 'var(--n-purple)' },
]);

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--chart)', color: 'var(--text)', height: '100%', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', userSelect: 'text' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-placeholder': { color: 'var(--text-3)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 35%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-wrong': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '0',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '180px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { lineHeight: '20px', padding: '0 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-2)', fontStyle: 'normal', marginLeft: '1.5em' },
  '.cm-completionMatchedText': { fontWeight: '600', textDecoration: 'none' },
  '.cm-completionInfo': { fontFamily: 'var(--ui)', maxWidth: '260px', padding: '4px 8px' },
});
