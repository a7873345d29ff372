import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { kindsQuery } from '../api/sources.ts'
import { leadTo } from '../shell/lead-to.ts'
import { Notice } from '../shell/notice.tsx'
import { sources as texts } from '../texts/index.ts'
import { LIST_PLACE } from './list-form.tsx'
import { SOURCE_PLACE } from './source-section.tsx'

const t = texts.missing

/** Says that a credential has no source and no holders yet, and leads to the form that gives it some. */
export function MissingSource({ kind: name }: { kind: string }) {
  const kinds = useQuery(kindsQuery).data
  if (!kinds) return null
  const kind = kinds.find((one) => one.kind === name)
  const place = kind === undefined ? LIST_PLACE : SOURCE_PLACE
  return (
    <Notice kind="warning" title={t.title}>
      <p>{kind === undefined ? t.list : kind.act === null ? t.source : t[kind.act]}</p>
      <Button
        size="xs"
        variant="default"
        onClick={() => leadTo(document.querySelector(`#${place} :is(input:not([type="file"]), select, textarea)`))}
      >
        {kind === undefined ? t.enter : t.setUp}
      </Button>
    </Notice>
  )
}
