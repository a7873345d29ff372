import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { tags } from '@lezer/highlight'
import { EditorView } from 'codemirror'

const surface = {
  backgroundColor: 'var(--mantine-color-body)',
  color: 'var(--mantine-color-text)',
  border: '1px solid var(--mantine-color-default-border)',
}

const frame = EditorView.theme({
  '&': { height: '100%', fontSize: '14px', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--editor-line)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--editor-selection)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--editor-line)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--editor-selection)' },
  '.cm-foldPlaceholder': { ...surface, padding: '0 0.3em' },
  '.cm-tooltip': { ...surface, borderRadius: 'var(--mantine-radius-sm)', maxWidth: 'min(30rem, 90vw)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-color-white)',
  },
  '.cm-completionDetail': { color: 'inherit' },
  '.cm-panels': { ...surface, border: 'none', borderTop: surface.border },
  '.cm-button, .cm-textfield': { ...surface, backgroundImage: 'none' },
})

/** The colours are variables of the page's style sheet, one set for each colour scheme. */
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.modifier], color: 'var(--syntax-keyword)' },
  { tag: [tags.propertyName, tags.special(tags.name)], color: 'var(--syntax-field)' },
  { tag: tags.attributeName, color: 'var(--syntax-argument)' },
  { tag: [tags.string], color: 'var(--syntax-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--syntax-number)' },
  { tag: tags.variableName, color: 'var(--syntax-variable)' },
  { tag: tags.atom, color: 'var(--syntax-type)' },
  { tag: tags.lineComment, color: 'var(--mantine-color-dimmed)' },
])

/** The editor in the colours and fonts of the pages. */
export const editorTheme: Extension = [frame, syntaxHighlighting(colours)]
