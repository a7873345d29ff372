import { Anchor, Text } from '@mantine/core'
import type { QuestCondition, Readiness } from '../api/quests.ts'
import { isWebLink } from '../../../server/src/text/links.ts'
import { Icon } from '../shell/icon.tsx'
import { LinkInPlace } from '../sign-in/link-in-place.tsx'
import { claim as texts, signIn } from '../texts/index.ts'
import { AnswerQuiz } from './answer-quiz.tsx'
import { CheckNow } from './check-now.tsx'
import { SyncingList } from './syncing-list.tsx'
import { Visit } from './visit.tsx'

/** The conditions of a quest: those that are met with a check mark, the others with the next step. */
export function Conditions({ questId, readiness }: { questId: string; readiness: Readiness }) {
  return readiness.groups
    .filter(({ conditions }) => conditions.length > 0)
    .map(({ id, name, relation, met, conditions }) => (
      <div key={id}>
        <Text size="sm" fw={600}>
          {met
            ? texts.metOf(name)
            : relation === 'ANY' && conditions.length > 1
              ? texts.oneOf(name)
              : texts.allOf(name)}
        </Text>
        <ul className="conditions">
          {conditions
            // One condition is enough for some groups, so the others are not needed any more.
            .filter(({ state }) => state === 'met' || !met)
            .map((condition) => (
              <li
                key={`${condition.credentialId} ${condition.expression}`}
                className={condition.state === 'met' ? 'condition-met' : undefined}
              >
                <Condition condition={condition} />
                {condition.state !== 'met' && condition.linked && (
                  <NextStep questId={questId} condition={condition} readiness={readiness} />
                )}
              </li>
            ))}
        </ul>
      </div>
    ))
}

interface StepProps {
  questId: string
  condition: QuestCondition
  readiness: Readiness
}

/** The actions that meet the condition, for the address that a claim would use. */
function NextStep({ questId, condition, readiness: { address, addresses } }: StepProps) {
  const chosen = addresses.find((one) => one.address === address && one.kind === condition.kind)?.address
  const step = { questId, condition, address: chosen }
  if (condition.act === 'quiz') return <AnswerQuiz {...step} />
  if (condition.act === 'visit') return <Visit {...step} />
  return condition.checkable ? <CheckNow {...step} /> : null
}

function Condition({ condition }: { condition: QuestCondition }) {
  const { expression, state, kind, linked, link } = condition
  if (state === 'met')
    return (
      <>
        <Icon name="check" size={16} /> {expression} · {texts.states.met}
      </>
    )
  const name = kind === null ? '' : (signIn.kinds[kind] ?? kind)
  return (
    <>
      {expression} · {state === 'syncing' ? <SyncingList credentialId={condition.credentialId} /> : texts.states[state]}
      {isWebLink(link) && (
        <>
          {' · '}
          <Anchor href={link} rel="nofollow noreferrer">
            {texts.open}
          </Anchor>
        </>
      )}
      {kind !== null && !linked && (
        <div className="link-in-place">
          <LinkInPlace label={texts.link(name)} only={(one) => one === kind} />
        </div>
      )}
    </>
  )
}
