import { useQuery } from '@tanstack/react-query'
import { readinessQuery } from '../api/quests.ts'
import { Section } from '../shell/section.tsx'
import { claim as texts } from '../texts/index.ts'
import { ClaimForm } from './claim-form.tsx'
import { NextQuests } from './next-quests.tsx'

/** The part of the page of a quest in which the signed-in account completes it. */
export function Claim({ questId, spaceId }: { questId: string; spaceId: string }) {
  const completion = useQuery(readinessQuery(questId, '')).data?.completion
  return (
    <>
      <Section title={completion ? texts.completedTitle : texts.title}>
        <ClaimForm questId={questId} spaceId={spaceId} />
      </Section>
      {completion && <NextQuests spaceId={spaceId} />}
    </>
  )
}
