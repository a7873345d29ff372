import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type EditedCredential, spaceQuery } from '../api/content.ts'
import { type AnySource, kindsQuery, type SourceKind, sourceQuery, storeSource, testSource } from '../api/sources.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { content, sources as texts } from '../texts/index.ts'
import { ActSource, isActKind } from './act-source.tsx'
import { mayManage } from './rights.ts'
import { SourceForm } from './source-form.tsx'
import { SourceStatus } from './source-status.tsx'
import { headingOf } from './source-texts.ts'

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
  const act = credSource === 'QUIZ' ? 'quiz' : credSource === 'VISIT_LINK' ? 'visit' : null
  const { title, lead } = headingOf({ act, lists: credSource !== 'API' })
  if (!read.data || !kinds.data)
    return (
      <Section title={title} lead={lead}>
        {error ? <Fault error={error} /> : <Loading rows={3} />}
      </Section>
    )
  const stored = read.data
  const removable = stored.version === null ? undefined : id
  const test = (source: AnySource, address?: string) => testSource({ credentialId: id }, source, address)
  if (isAct)
    return (
      <Section title={title} lead={lead}>
        <ActSource
          key={stored.version}
          kind={credSource}
          stored={stored}
          removable={removable}
          save={async (form, version) => {
            await storeSource(id, form, version)
            toast(content.saved)
          }}
          test={test}
        />
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
        removable={removable}
        kinds={fitting}
        first={find(stored.kind) ?? find(wanted) ?? find(credSource)}
        stored={stored}
        save={async (settings, version) => {
          await storeSource(id, settings, version)
          toast(texts.saved)
          restart()
        }}
        test={test}
        restart={restart}
        reload={() => void read.refetch().then(restart)}
      />
    </Section>
  )
}

/** The service compares a source with the type of the credential, and with whether its holders are a list. */
const fits = (kind: SourceKind, { credSource, credType }: EditedCredential): boolean =>
  kind.act === null && kind.lists === (credSource !== 'API') && (kind.credType === null || kind.credType === credType)
