import './content.css'
import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { credentialsQuery, type EditedSpace, questsQuery } from '../api/content.ts'
import { sessionQuery } from '../api/session.ts'
import { teamQuery } from '../api/teams.ts'
import { Icon } from '../shell/icon.tsx'
import { keepChoice, readChoice } from '../shell/local-choice.ts'
import { Section } from '../shell/section.tsx'
import { INVITE_PLACE } from '../teams/team.tsx'
import { content } from '../texts/index.ts'
import { mayEdit, mayManage } from './rights.ts'
import { SLUG_PLACE } from './public-page.tsx'

const t = content.firstSteps
/** A space with more quests is not new, even if it has no public page. */
const MAX_QUESTS = 1

type Name = keyof typeof t.steps

interface FirstStep {
  name: Name
  href: string
  done: boolean
}

interface Steps {
  steps: FirstStep[]
  hide: () => void
}

/** The next steps for a new space, until all are done or the user hides them. The page has already loaded the data. */
export function useFirstSteps({ spaceId, slug, standing }: EditedSpace): Steps | undefined {
  const account = useQuery(sessionQuery).data?.account?.id ?? ''
  const key = `questboard.first-steps.${account}.${spaceId}`
  const [justHidden, setJustHidden] = useState(false)
  const credentials = useQuery({ ...credentialsQuery(spaceId), refetchOnMount: false }).data
  const quests = useQuery({ ...questsQuery(spaceId), refetchOnMount: false }).data
  const team = useQuery({ ...teamQuery(spaceId), refetchOnMount: false }).data
  if (
    justHidden ||
    readChoice(key) !== undefined ||
    !mayEdit(standing) ||
    !credentials ||
    !quests ||
    !team ||
    quests.items.length > MAX_QUESTS
  )
    return undefined
  const base = `/content/spaces/${spaceId}`
  const steps: FirstStep[] = [
    { name: 'credential', href: `${base}/new-credential`, done: credentials.items.length > 0 },
    { name: 'quest', href: `${base}/new-quest`, done: quests.items.length > 0 },
  ]
  if (mayManage(standing))
    steps.push(
      { name: 'page', href: `${base}/settings#${SLUG_PLACE}`, done: slug !== null },
      {
        name: 'team',
        href: `${base}/settings#${INVITE_PLACE}`,
        done: team.members.length + team.invitations.length > 0,
      },
    )
  if (steps.every(({ done }) => done)) return undefined
  const hide = () => {
    keepChoice(key, 'hidden')
    setJustHidden(true)
  }
  return { steps, hide }
}

export function FirstSteps({ steps, hide }: Steps) {
  const next = steps.find(({ done }) => !done)
  return (
    <Section title={t.title} lead={t.progress(steps.filter(({ done }) => done).length, steps.length)}>
      <ol className="first-steps">
        {steps.map((step) => (
          <Step key={step.name} {...step} isNext={step === next} />
        ))}
      </ol>
      <Group gap="md">
        <Text size="sm">
          <a href="/docs/guides/first-quest" className="text-link">
            {t.guide}
          </a>
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={hide}>
          {t.hide}
        </Button>
      </Group>
    </Section>
  )
}

function Step({ name, href, done, isNext }: FirstStep & { isNext: boolean }) {
  const { label, text } = t.steps[name]
  return (
    <li className={done ? 'first-step first-step-done' : 'first-step'}>
      <span className="first-step-mark">{done && <Icon name="check" size={14} />}</span>
      <div className="first-step-text">
        {done ? (
          <>
            {label}
            <VisuallyHidden> {t.done}</VisuallyHidden>
          </>
        ) : (
          <StepLink href={href} label={label} isNext={isNext} />
        )}
        {!done && (
          <Text component="span" size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
    </li>
  )
}

/** The next step has a button, the later ones have links. */
function StepLink({ href, label, isNext }: { href: string; label: string; isNext: boolean }) {
  return isNext ? (
    <Button component={Link} href={href}>
      {label}
    </Button>
  ) : (
    <Link href={href} className="text-link">
      {label}
    </Link>
  )
}
