import { SegmentedControl } from '@mantine/core'
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useState } from 'react'
import { playground as texts } from '../texts/index.ts'
import { AnswerPanel } from './answer-panel.tsx'
import { DocumentationPanel } from './documentation-panel.tsx'
import { ExampleList } from './example-list.tsx'
import { type Example, variablesText } from './examples/example.ts'
import type { Answer } from './query-endpoint.ts'
import { QuestionPanel } from './question-panel.tsx'
import { useEditorSettings } from './use-editor-settings.ts'

const t = texts
type Side = 'examples' | 'docs'
type View = Side | 'question' | 'answer'

/** Examples or documentation next to query and response; a narrow screen shows one of them at a time. */
export function Workbench({ answer, connected }: { answer: Answer | undefined; connected: boolean }) {
  const [view, setView] = useState<View>('examples')
  const [side, setSide] = useState<Side>('examples')
  const [chosen, setChosen] = useState<{ example: Example }>()
  const actions = useGraphiQLActions()
  const queryEditor = useGraphiQL((state) => state.queryEditor)
  const variableEditor = useGraphiQL((state) => state.variableEditor)
  useEditorSettings()

  // Choosing is possible before the editors are there, and again after the text was changed.
  useEffect(() => {
    if (!chosen || !queryEditor || !variableEditor) return
    queryEditor.setValue(chosen.example.query)
    variableEditor.setValue(variablesText(chosen.example))
  }, [chosen, queryEditor, variableEditor])

  function show(next: View) {
    setView(next)
    if (next === 'examples' || next === 'docs') setSide(next)
  }

  function choose(example: Example) {
    setChosen({ example })
    show('question')
  }

  function runAndShow() {
    show('answer')
    void actions.run()
  }

  return (
    <main className="workbench" data-view={view} data-side={side}>
      <SegmentedControl
        className="view-switch"
        aria-label={t.views.label}
        fullWidth
        value={view}
        onChange={(value) => show(value)}
        data={[
          { value: 'examples', label: t.views.examples },
          { value: 'question', label: t.views.question },
          { value: 'answer', label: t.views.answer },
          { value: 'docs', label: t.views.docs },
        ]}
      />
      <section className="panel side-panel" aria-label={side === 'examples' ? t.examples.heading : t.docs.heading}>
        <SegmentedControl
          className="side-switch"
          aria-label={t.views.label}
          value={side}
          onChange={(value) => show(value)}
          data={[
            { value: 'examples', label: t.views.examples },
            { value: 'docs', label: t.views.docs },
          ]}
        />
        {side === 'examples' ? (
          <ExampleList chosen={chosen?.example} onChoose={choose} />
        ) : (
          <DocumentationPanel connected={connected} />
        )}
      </section>
      <section className="panel question-panel" aria-label={t.question.heading}>
        <QuestionPanel onRun={runAndShow} onReference={() => show('docs')} />
      </section>
      <section className="panel answer-panel" aria-label={t.answer.heading}>
        <AnswerPanel answer={answer} />
      </section>
    </main>
  )
}
