import { type AnySource, type SourceKind, storeSource, testSource } from '../api/sources.ts'
import { Section } from '../shell/section.tsx'
import { content } from '../texts/index.ts'
import { ActSource, isActKind } from './act-source.tsx'
import type { Fill } from './new-credential.tsx'
import { SourceForm } from './source-form.tsx'
import { headingOf } from './source-texts.ts'

interface NewSourceProps {
  kind: SourceKind
  spaceId: number
  credType: string
  create: (fill: Fill) => Promise<void>
}

const none = { source: null, version: null }

/** The settings of the source with which a credential is created. */
export function NewSource({ kind, spaceId, credType, create }: NewSourceProps) {
  const actions = {
    action: content.create,
    save: (source: AnySource) =>
      create(async (id) => {
        await storeSource(id, source, null)
        return true
      }),
    test: (source: AnySource, address?: string) => testSource({ spaceId, credType }, source, address),
  }
  return (
    <Section {...headingOf(kind)}>
      {isActKind(kind.kind) ? (
        <ActSource kind={kind.kind} stored={none} {...actions} />
      ) : (
        <SourceForm kinds={[kind]} first={kind} stored={none} restart={() => {}} reload={() => {}} {...actions} />
      )}
    </Section>
  )
}
