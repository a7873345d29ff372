import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { basicSetup, EditorView } from 'codemirror'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { styleNonce } from '../style-nonce.ts'
import { playground as texts } from '../texts/index.ts'
import { editorTheme } from './editor-theme.ts'
import { replaceSelection } from './replace-selection.ts'

interface EditorOptions {
  /** The name for screen readers. */
  label: string
  text: string
  /** Without it, the text can be read and selected but not changed. */
  onChange?: (text: string) => void
  /** The language; only the value of the first call is used. */
  extension: Extension
}

/** JSON, without a check. */
export const jsonLanguage = json()

/** JSON with its errors marked; an empty text is allowed. */
export const checkedJson: Extension = [
  jsonLanguage,
  linter((view) => (view.state.doc.toString().trim() === '' ? [] : jsonParseLinter()(view))),
]

/** Mounts an editor in the element of `host`. Tab moves the focus, because CodeMirror does not handle it. */
export function useEditor({ label, text, onChange, extension }: EditorOptions): {
  host: RefObject<HTMLDivElement | null>
  view: EditorView | undefined
} {
  const host = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<EditorView>()
  const changed = useEffectEvent((changedText: string) => onChange?.(changedText))
  const create = useEffectEvent((parent: HTMLElement) => {
    const isReadOnly = onChange === undefined
    return new EditorView({
      parent,
      doc: text,
      extensions: [
        EditorView.cspNonce.of(styleNonce()),
        EditorState.phrases.of(texts.editorPhrases),
        basicSetup,
        editorTheme,
        replaceSelection,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.editable.of(!isReadOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString())
        }),
        extension,
      ],
    })
  })

  useEffect(() => {
    if (host.current === null) return
    const created = create(host.current)
    setView(created)
    return () => created.destroy()
  }, [])
  useEffect(() => {
    if (view === undefined || view.state.doc.toString() === text) return
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
  }, [view, text])
  return { host, view }
}
