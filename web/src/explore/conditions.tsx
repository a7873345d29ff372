import { Anchor, Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import type { QuestCondition, Readiness } from '../api/quests.ts'
import { isWebLink } from '../../../server/src/text/links.ts'
import { Icon } from '../shell/icon.tsx'
import { claim as texts, signIn } from '../texts/index.ts'
import { AnswerQuiz } from './answer-quiz.tsx'
import { CheckNow } from './check-now.tsx'
import { SyncingList } from './syncing-list.tsx'
import { Visit } from './visit.tsx'

interface ConditionsProps {
  questId: string
  readiness: Readiness
  /** The kinds of identities that the member can link above the conditions. */
  toLink: readonly string[]
}

/** The conditions of a quest: those that are missing with the next step, and those that are met with a check mark. */
export function Conditions({ questId, readiness, toLink }: ConditionsProps) {
  return readiness.groups.map(({ id, name, relation, met, conditions }) => {
    // One condition is enough for some groups, so the others are not needed any more.
    const missing = met ? [] : conditions.filter(({ state }) => state !== 'met')
    const done = conditions.filter(({ state }) => state === 'met')
    const title = relation === 'ANY' && conditions.length > 1 ? texts.oneOf(name) : texts.allOf(name)
    return (
      <Fragment key={id}>
        {missing.length > 0 && (
          <ConditionList title={title}>
            {missing.map((condition) => (
              <li key={keyOf(condition)}>
                <Condition condition={condition} toLink={toLink} />
                {condition.linked && <NextStep questId={questId} condition={condition} readiness={readiness} />}
              </li>
            ))}
          </ConditionList>
        )}
        {done.length > 0 && (
          <ConditionList title={texts.metOf(name)}>
            {done.map((condition) => (
              <li key={keyOf(condition)} className="condition-met">
                <Condition condition={condition} toLink={toLink} />
              </li>
            ))}
          </ConditionList>
        )}
      </Fragment>
    )
  })
}

const keyOf = ({ credentialId, expression }: QuestCondition) => `${credentialId} ${expression}`

function ConditionList({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <ul className="conditions">{children}</ul>
    </div>
  )
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

function Condition({ condition, toLink }: { condition: QuestCondition; toLink: readonly string[] }) {
  const { expression, state, kind, linked, link } = condition
  if (state === 'met')
    return (
      <>
        <Icon name="check" size={16} /> {expression} · {texts.states.met}
      </>
    )
  const name = kind === null ? '' : (signIn.kinds[kind] ?? kind)
  const needsLink = kind !== null && !linked && toLink.includes(kind)
  return (
    <>
      {expression} · {state === 'syncing' ? <SyncingList credentialId={condition.credentialId} /> : texts.states[state]}
      {needsLink && ` · ${texts.linkAbove(name)}`}
      {isWebLink(link) && (
        <>
          {' · '}
          <Anchor href={link} rel="nofollow noreferrer" inherit underline="always">
            {texts.open}
          </Anchor>
        </>
      )}
    </>
  )
}
