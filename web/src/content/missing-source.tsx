import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { kindsQuery } from '../api/sources.ts'
import { leadTo } from '../shell/lead-to.ts'
import { Notice } from '../shell/notice.tsx'
import { sources as texts } from '../texts/index.ts'
import { SOURCE_PLACE } from './source-section.tsx'

const t = texts.missing

/** Says that a credential has no source and no holders yet, and leads to the settings of its source. */
export function MissingSource({ kind: name }: { kind: string }) {
  const kinds = useQuery(kindsQuery).data
  if (!kinds) return null
  const kind = kinds.find((one) => one.kind === name)
  return (
    <Notice kind="warning" title={t.title}>
      <p>{kind === undefined ? t.imported : kind.act === null ? t.source : t[kind.act]}</p>
      {kind === undefined ? (
        <Button component="a" href="/docs/import" size="xs" variant="default">
          {t.howToImport}
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          onClick={() => leadTo(document.querySelector(`#${SOURCE_PLACE} :is(input, select, textarea)`))}
        >
          {t.setUp}
        </Button>
      )}
    </Notice>
  )
}
