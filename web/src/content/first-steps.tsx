import './content.css'
import { Button, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { credentialsQuery, type EditedSpace, questsQuery } from '../api/content.ts'
import { sessionQuery } from '../api/session.ts'
import { teamQuery } from '../api/teams.ts'
import { Icon } from '../shell/icon.tsx'
import { leadTo } from '../shell/lead-to.ts'
import { keepChoice, readChoice } from '../shell/local-choice.ts'
import { Section } from '../shell/section.tsx'
import { INVITE_PLACE } from '../teams/team.tsx'
import { content } from '../texts/index.ts'
import { mayEdit, mayManage } from './rights.ts'
import { SLUG_PLACE } from './space-form.tsx'

const t = content.firstSteps
/** A space with more quests is not new, even if it has no public page. */
const MAX_QUESTS = 1

type Name = keyof typeof t.steps

/** The next steps for a new space, until all are done or the user hides the list. The page has already loaded the data. */
export function FirstSteps({ space: { spaceId, slug, standing } }: { space: EditedSpace }) {
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
    return null
  const base = `/content/spaces/${spaceId}`
  const steps: { name: Name; href: string; done: boolean }[] = [
    { name: 'credential', href: `${base}/new-credential`, done: credentials.items.length > 0 },
    { name: 'quest', href: `${base}/new-quest`, done: quests.items.length > 0 },
  ]
  if (mayManage(standing))
    steps.push(
      { name: 'page', href: `#${SLUG_PLACE}`, done: slug !== null },
      { name: 'team', href: `#${INVITE_PLACE}`, done: team.members.length + team.invitations.length > 0 },
    )
  const done = steps.filter((step) => step.done).length
  if (done === steps.length) return null
  const hide = () => {
    keepChoice(key, 'hidden')
    setJustHidden(true)
    // The button with the focus disappears.
    document.getElementById('content')?.focus()
  }
  return (
    <Section title={t.title} lead={t.progress(done, steps.length)}>
      <ol className="first-steps">
        {steps.map((step) => (
          <Step key={step.name} {...step} />
        ))}
      </ol>
      <div>
        <Button variant="subtle" size="compact-sm" ml="-0.5rem" onClick={hide}>
          {t.hide}
        </Button>
      </div>
    </Section>
  )
}

function Step({ name, href, done }: { name: Name; href: string; done: boolean }) {
  const { label, text } = t.steps[name]
  return (
    <li className={done ? 'first-step first-step-done' : 'first-step'}>
      <span className="first-step-mark">{done && <Icon name="check" size={14} />}</span>
      <span>
        {done ? (
          <>
            {label}
            <VisuallyHidden> {t.done}</VisuallyHidden>
          </>
        ) : href.startsWith('#') ? (
          <a
            href={href}
            className="text-link"
            onClick={(event) => {
              event.preventDefault()
              leadTo(document.getElementById(href.slice(1)))
            }}
          >
            {label}
          </a>
        ) : (
          <Link href={href} className="text-link">
            {label}
          </Link>
        )}
        {!done && (
          <Text component="span" size="sm" c="dimmed">
            {` · ${text}`}
          </Text>
        )}
      </span>
    </li>
  )
}
