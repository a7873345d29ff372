import { SegmentedControl } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { playground as texts } from '../texts/index.ts'
import { ResponsePanel } from './response-panel.tsx'
import type { Connection } from './connection.ts'
import type { DocsEntry } from './docs/entry.ts'
import { DocsPanel } from './docs/panel.tsx'
import { ExampleList } from './example-list.tsx'
import { type Example, variablesText } from './examples/example.ts'
import { operationAt } from './operation-name.ts'
import { RequestPanel } from './request-panel.tsx'
import { storeRequest, type RequestText } from './request-text.ts'
import { useRun } from './use-run.ts'

const t = texts
type Side = 'examples' | 'docs'
type View = Side | 'request' | 'response'

/** Examples or documentation next to query and response; a narrow screen shows one of them at a time. */
export function Workbench({ connection, start }: { connection: Connection; start: RequestText }) {
  const [view, setView] = useState<View>('examples')
  const [side, setSide] = useState<Side>('examples')
  const [chosen, setChosen] = useState<Example>()
  const [request, setRequest] = useState(start)
  const [problem, setProblem] = useState<string>()
  const [trail, setTrail] = useState<readonly DocsEntry[]>([])
  const [sought, setSought] = useState('')
  const cursor = useRef(0)
  const { response, running, run, stop } = useRun(connection.access)
  const schema = connection.state === 'connected' ? connection.schema : undefined
  useEffect(() => storeRequest(request), [request])

  function show(next: View) {
    setView(next)
    if (next === 'examples' || next === 'docs') setSide(next)
  }

  function choose(example: Example) {
    setChosen(example)
    setRequest({ query: example.query, variables: variablesText(example) })
    setProblem(undefined)
    show('request')
  }

  function showDocs(place: DocsEntry) {
    setSought('')
    setTrail([...trail, place])
    show('docs')
  }

  const chosenOperation = () => operationAt(request.query, cursor.current)

  function runAndShow() {
    const { query, variables } = request
    const parsed = parseVariables(variables)
    setProblem(parsed.problem)
    if (parsed.problem !== undefined) return
    show('response')
    const operationName = chosenOperation()
    void run({
      query,
      ...(parsed.value !== undefined && { variables: parsed.value }),
      ...(operationName && { operationName }),
    })
  }

  return (
    <main
      className="playground-workbench"
      data-view={view}
      data-side={side}
      // Handled before the editors, because their handler starts a new line.
      onKeyDownCapture={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        event.stopPropagation()
        runAndShow()
      }}
    >
      <SegmentedControl
        className="playground-view-switch"
        aria-label={t.views.label}
        fullWidth
        value={view}
        onChange={(value) => show(value)}
        data={[
          { value: 'examples', label: t.views.examples },
          { value: 'request', label: t.views.request },
          { value: 'response', label: t.views.response },
          { value: 'docs', label: t.views.docs },
        ]}
      />
      <section
        className="playground-panel playground-side"
        aria-label={side === 'examples' ? t.examples.heading : t.docs.heading}
      >
        <SegmentedControl
          className="playground-side-switch"
          aria-label={t.views.label}
          value={side}
          onChange={(value) => show(value)}
          data={[
            { value: 'examples', label: t.views.examples },
            { value: 'docs', label: t.views.docs },
          ]}
        />
        {side === 'examples' ? (
          <ExampleList chosen={chosen} onChoose={choose} />
        ) : (
          <DocsPanel schema={schema} trail={trail} onTrail={setTrail} sought={sought} onSought={setSought} />
        )}
      </section>
      <section className="playground-panel playground-request" aria-label={t.request.heading}>
        <RequestPanel
          request={request}
          onChange={setRequest}
          problem={problem}
          schema={schema}
          running={running}
          operationName={chosenOperation}
          onRun={runAndShow}
          onStop={stop}
          onShowDocs={showDocs}
          onCursor={(offset) => {
            cursor.current = offset
          }}
        />
      </section>
      <section className="playground-panel playground-response" aria-label={t.response.heading}>
        <ResponsePanel response={response} running={running} />
      </section>
    </main>
  )
}

/** The value of the variables; an empty text has none. */
function parseVariables(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === '') return {}
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { problem: t.request.variablesNotJson(error instanceof Error ? error.message : String(error)) }
  }
}
