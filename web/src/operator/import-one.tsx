import { Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { applyImport, cancelImport, type FileImport, importQuery } from '../api/imports.ts'
import { queryClient } from '../api/session.ts'
import type { PageProps } from '../navigation/page.ts'
import { atTime } from '../shell/dates.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { imports as t } from '../texts/operator-pages.ts'
import { sizeOf } from './file-size.ts'
import { ImportChanges } from './import-changes.tsx'
import { kindOf } from './import-kind.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportProblems } from './import-problems.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportUndo } from './import-undo.tsx'
import { ImportStateBadge } from './import-state.tsx'

/** `/operator/import/:id`: the check of a file, its confirmation, and its result. */
export default function OneImportPage({ params: { id = '' } }: PageProps) {
  const found = useQuery(importQuery(id))
  const state = found.data?.state
  useEffect(() => {
    if (state === 'stored') void queryClient.invalidateQueries({ queryKey: ['explore'] })
  }, [state])
  if (found.isPending) return <Loading />
  if (found.isLoadingError || !found.data)
    return <LoadFailure error={found.error ?? new Error(t.failed)} retry={() => void found.refetch()} />
  return <OneImport one={found.data} />
}

function OneImport({ one }: { one: FileImport }) {
  const { fileName, preview } = one
  const another = (
    <Button component={Link} href="/operator/import" variant="default">
      {t.another}
    </Button>
  )
  return (
    <PageLayout title={fileName} lead={<ImportStateBadge one={one} />} actions={another}>
      <ImportProgress one={one} />
      <ImportProblems one={one} />
      <ImportChanges one={one} />
      {one.endedAt === null && <Decision one={one} />}
      <ImportUndo one={one} />
      {preview && preview.rows.length > 0 && <ImportPreview preview={preview} />}
      <Facts one={one} />
    </PageLayout>
  )
}

function Decision({ one }: { one: FileImport }) {
  const { id, state, lines, removed } = one
  const apply = useMutation({ mutationFn: () => applyImport(id), onSuccess: () => toast(t.confirmed) })
  const cancel = useMutation({ mutationFn: () => cancelImport(id), onSuccess: () => toast(t.cancelled) })
  return (
    <Stack gap="sm">
      <Group>
        {state === 'checked' && (
          <ConfirmButton
            size="sm"
            primary={removed === null || removed === 0}
            label={t.apply}
            question={removed !== null && removed > 0 ? t.removeQuestion(removed) : t.applyQuestion(lines ?? 0)}
            pending={apply.isPending}
            onConfirm={() => apply.mutate()}
          />
        )}
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {t.cancel}
        </Button>
      </Group>
      <Fault error={apply.error ?? cancel.error} />
    </Stack>
  )
}

function Facts({ one }: { one: FileImport }) {
  const { bytes, by, createdAt, appliedBy, endedAt } = one
  const rows: [string, string][] = [
    [t.facts.kind, kindOf(one)],
    [t.facts.size, sizeOf(bytes)],
    [t.facts.by, by.username ?? t.deletedAccount],
    [t.facts.at, atTime(createdAt)],
    ...(appliedBy === null ? [] : [[t.facts.applied, appliedBy.username ?? t.deletedAccount] as [string, string]]),
    ...(endedAt === null ? [] : [[t.facts.ended, atTime(endedAt)] as [string, string]]),
  ]
  return (
    <Section title={t.file}>
      <dl className="values facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd style={{ overflowWrap: 'anywhere' }}>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
