import { Anchor, Text } from '@mantine/core'
import { playgroundLink, type GraphqlRequest } from '../api/graph.ts'
import { explore as texts } from '../texts/index.ts'

const t = texts.query

/** The query of a page or of a part of it, with a link to the playground. */
export function QueryBehind({ request, title = t.title }: { request: GraphqlRequest; title?: string }) {
  return (
    <details className="query-behind">
      <summary>{title}</summary>
      <pre className="code" tabIndex={0}>
        {request.query}
      </pre>
      <Text size="sm" c="dimmed">
        {t.variables}
      </Text>
      <pre className="code" tabIndex={0}>
        {JSON.stringify(request.variables, null, 2)}
      </pre>
      <Anchor href={playgroundLink(request)}>{t.open}</Anchor>
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
    </details>
  )
}
