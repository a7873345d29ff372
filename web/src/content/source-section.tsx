import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type EditedCredential, spaceQuery } from '../api/content.ts'
import { kindsQuery, type SourceKind, sourceQuery } from '../api/sources.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { content, sources as texts } from '../texts/index.ts'
import { ActSource, isActKind } from './act-source.tsx'
import { mayManage } from './rights.ts'
import { SourceForm } from './source-form.tsx'
import { SourceStatus } from './source-status.tsx'

const t = content.source

interface SourceSectionProps {
  credential: EditedCredential
  /** The kind that the credential was created for. */
  wanted: string
}

/** The ID of the section of the source. */
export const SOURCE_PLACE = 'source'

/** The source of a credential: its status, and the form of its kind. */
export function SourceSection(props: SourceSectionProps) {
  return (
    <div id={SOURCE_PLACE}>
      <SourceParts {...props} />
    </div>
  )
}

function SourceParts({ credential, wanted }: SourceSectionProps) {
  const { id, credSource, curatorSpaceId } = credential
  const read = useQuery({ ...sourceQuery(id), refetchOnWindowFocus: false })
  const kinds = useQuery(kindsQuery)
  const space = useQuery({ ...spaceQuery(String(curatorSpaceId)), enabled: curatorSpaceId !== null, retry: false })
  const [edition, setEdition] = useState(0)
  const restart = () => setEdition((current) => current + 1)
  const error = read.error ?? kinds.error
  const isAct = isActKind(credSource)
  const title = !isAct ? texts.title : credSource === 'QUIZ' ? t.quiz : t.visit
  const lead = !isAct ? texts.lead : credSource === 'QUIZ' ? t.quizLead : t.visitLead
  if (!read.data || !kinds.data)
    return (
      <Section title={title} lead={lead}>
        {error ? <Fault error={error} /> : <Loading rows={3} />}
      </Section>
    )
  const stored = read.data
  if (isAct)
    return (
      <Section title={title} lead={lead}>
        <ActSource key={stored.version} credentialId={id} kind={credSource} stored={stored} />
      </Section>
    )
  const fitting = kinds.data.filter((kind) => fits(kind, credential))
  const find = (name: string | null) => fitting.find(({ kind }) => kind === name)
  return (
    <Section title={title} lead={lead}>
      {stored.kind !== null && (
        <SourceStatus
          credentialId={id}
          stored={stored}
          kind={find(stored.kind)}
          mayConfirm={curatorSpaceId === null || (space.data !== undefined && mayManage(space.data.standing))}
        />
      )}
      <SourceForm
        key={edition}
        credentialId={id}
        kinds={fitting}
        first={find(stored.kind) ?? find(wanted) ?? find(credSource)}
        stored={stored}
        restart={restart}
        reload={() => void read.refetch().then(restart)}
      />
      {stored.kind === null && (
        <Text size="sm">
          <a href="/docs/import" className="text-link">
            {texts.importManual}
          </a>
        </Text>
      )}
    </Section>
  )
}

/** The service compares a source with the type of the credential, and with whether its holders are a list. */
const fits = (kind: SourceKind, { credSource, credType }: EditedCredential): boolean =>
  kind.act === null && kind.lists === (credSource !== 'API') && (kind.credType === null || kind.credType === credType)
