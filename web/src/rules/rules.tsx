import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { FieldProblem } from '../api/call.ts'
import type { EditedSpace } from '../api/content.ts'
import { type RuleSet, rulesQuery, versionsQuery } from '../api/rules.ts'
import { mayManage } from '../content/rights.ts'
import { SpacePart } from '../content/space-part.tsx'
import type { PageProps } from '../navigation/page.ts'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { rules as t } from '../texts/index.ts'
import { Editor, problemsIn, storedDrafts } from './editor.tsx'
import { changesOf, draftOf, isReordered } from './drafts.ts'
import { Past } from './past.tsx'
import { RuleRow } from './rule-row.tsx'
import { ruleOf, useDraft } from './use-draft.ts'
import { authorOf, Versions } from './versions.tsx'
import './rules.css'

/** `/content/spaces/:id/rules`: the rules of a space, their versions and their effect on the past. */
export default function RulesPage({ params: { id = '' } }: PageProps) {
  return (
    <SpacePart id={id} part="rules" title={t.of} lead={t.lead}>
      {(space) => <RulesOfSpace space={space} />}
    </SpacePart>
  )
}

function RulesOfSpace({ space: { spaceId, standing } }: { space: EditedSpace }) {
  const stored = useQuery(rulesQuery(spaceId))
  const newest = useInfiniteQuery(versionsQuery(spaceId)).data?.pages[0]?.versions[0]
  const lead =
    newest && stored.data?.version === newest.version
      ? t.versionBy(newest.version, atTime(newest.createdAt), authorOf(newest.createdBy))
      : undefined
  if (stored.isPending) return <Loading />
  return (
    <>
      {stored.isError && <LoadFailure error={stored.error} retry={() => void stored.refetch()} />}
      {stored.data !== undefined &&
        (mayManage(standing) ? (
          <Managed spaceId={spaceId} stored={stored.data} lead={lead} />
        ) : (
          <ReadOnly spaceId={spaceId} stored={stored.data} lead={lead} />
        ))}
    </>
  )
}

interface ShownProps {
  spaceId: number
  stored: RuleSet | null
  lead: string | undefined
}

function Managed({ spaceId, stored, lead }: ShownProps) {
  const edits = useDraft(spaceId)
  const { editing } = edits
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const drafts = editing?.drafts ?? storedDrafts(stored)
  const rules = useMemo(() => drafts.map(ruleOf), [drafts])
  const before = stored?.rules ?? []
  const modified = changesOf(before, rules).length > 0 || isReordered(before, rules)
  const base = editing?.base ?? stored?.version ?? 0
  return (
    <>
      <Editor
        spaceId={spaceId}
        stored={stored}
        lead={lead}
        edits={edits}
        modified={modified}
        problems={problems}
        setProblems={setProblems}
      />
      {rules.length > 0 && (
        <Past
          spaceId={spaceId}
          rules={rules}
          version={modified ? undefined : stored?.version}
          hasVersions={stored !== null}
          onRefused={(error) => setProblems(problemsIn(error))}
          onAccepted={() => setProblems([])}
        />
      )}
      {stored && (
        <Versions
          spaceId={spaceId}
          current={stored.version}
          restore={(earlier) => {
            setProblems([])
            edits.start({ base, drafts: earlier.map(draftOf) })
          }}
        />
      )}
    </>
  )
}

function ReadOnly({ spaceId, stored, lead }: ShownProps) {
  return (
    <>
      <Notice title={t.readOnly} />
      <Section title={t.inForce} {...(lead !== undefined && { lead })}>
        {(stored === null || stored.rules.length === 0) && <Empty icon="pulse" title={t.none} text={t.noneReadOnly} />}
        <ul className="rows">
          {stored?.rules.map((rule) => (
            <RuleRow key={rule.id} spaceId={spaceId} rule={rule} state={null} />
          ))}
        </ul>
      </Section>
      {stored && <Versions spaceId={spaceId} current={stored.version} restore={undefined} />}
    </>
  )
}
