import { graphql, updateSchema } from 'cm6-graphql'
import { EditorView } from 'codemirror'
import type { GraphQLSchema } from 'graphql'
import { useEffect, useEffectEvent, useState } from 'react'
import { playground as texts } from '../texts/index.ts'
import type { DocsEntry } from './docs/entry.ts'
import { useEditor } from './use-editor.ts'

interface QueryEditorProps {
  query: string
  onChange: (query: string) => void
  /** Completes and checks the query; undefined until it is loaded. */
  schema: GraphQLSchema | undefined
  /** Called when a name is clicked with Ctrl or ⌘. */
  onShowDocs: (place: DocsEntry) => void
  onCursor: (offset: number) => void
}

/** The editor of the query, with completion and errors from the schema. */
export function QueryEditor({ query, onChange, schema, onShowDocs, onCursor }: QueryEditorProps) {
  const showDocs = useEffectEvent(onShowDocs)
  const moveCursor = useEffectEvent(onCursor)
  const [extension] = useState(() => [
    EditorView.updateListener.of(({ state }) => moveCursor(state.selection.main.head)),
    graphql(undefined, {
      onShowInDocs: (field, type, parentType) => {
        const typeName = parentType ?? type?.replace(/[[\]!]/g, '')
        if (typeName !== undefined) showDocs({ type: typeName, field: parentType === undefined ? undefined : field })
      },
    }),
  ])
  const { host, view } = useEditor({ label: texts.request.editorLabel, text: query, onChange, extension })
  useEffect(() => {
    if (view !== undefined) updateSchema(view, schema)
  }, [view, schema])
  return <div className="playground-editor playground-query" ref={host} />
}
