import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { groupMet, type NoParticipation, type Quest, questAcceptsParticipation } from '@questboard/client'
import { type FormEvent, useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { atUnixTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { canBeAddress } from '../shell/typed-address.ts'
import { explore as texts } from '../texts/index.ts'
import { AddressField, firstAddressOf } from './address-field.tsx'
import { GroupVerdict } from './group-verdict.tsx'
import { RuleVerdict } from './rule-verdict.tsx'

const t = texts.quest

interface ReadinessProps {
  quest: Quest
  /** The address that the groups were evaluated for; empty before one was given. */
  address: string
  pending: boolean
  /** The reason why they could not be evaluated. */
  error: Error | null
  check: (address: string) => void
}

/** Whether the quest accepts participants now, and which groups the address meets. */
export function Readiness({ quest, address, pending, error, check }: ReadinessProps) {
  const account = useQuery(sessionQuery).data?.account
  const [text, setText] = useState(address === '' ? firstAddressOf(account) : address)
  const [refused, setRefused] = useState(false)
  const groups = (quest.credentialGroups ?? []).filter((group) => group !== null)
  const open = questAcceptsParticipation(quest, new Date())
  const met = groups.filter((group) => groupMet(group).ok).length
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setRefused(!canBeAddress(text.trim()))
    if (canBeAddress(text.trim())) check(text.trim())
  }
  return (
    <Section title={t.ready} lead={t.readyLead}>
      <form onSubmit={submit} className="line-form">
        <AddressField wide value={text} onChange={setText} refused={refused} />
        <Button type="submit" variant="default" loading={pending}>
          {t.go}
        </Button>
      </form>
      <Fault error={error} />
      {address !== '' && <Summary address={address} open={open.ok} met={met} of={groups.length} />}
      <RuleVerdict title={t.rule1} ok={open.ok} reasons={open.reasons.map(({ code }) => reasonOf(code, quest))} />
      {groups.length === 0 && <Text size="sm">{t.noGroups}</Text>}
      {groups.map((group, place) => (
        <GroupVerdict key={group.id} group={group} place={place + 1} asked={address !== ''} />
      ))}
      <Text size="xs" c="dimmed">
        {t.rule3}
      </Text>
    </Section>
  )
}

function reasonOf(code: NoParticipation, { status, cap, startTime, endTime }: Quest): string {
  switch (code) {
    case 'not_active':
      return t.reasons.not_active(t.statuses[status] ?? status)
    case 'cap_reached':
      return t.reasons.cap_reached(cap)
    case 'not_started':
      return t.reasons.not_started(atUnixTime(startTime ?? 0))
    case 'ended':
      return t.reasons.ended(atUnixTime(endTime ?? 0))
    case 'unknown_time':
      return t.reasons.unknown_time
  }
}

function Summary({ address, open, met, of }: { address: string; open: boolean; met: number; of: number }) {
  if (!open) return <Notice kind="warning" title={t.notNow} />
  if (met === of) return <Notice kind="good" title={t.yes(address)} />
  return <Notice kind={met > 0 ? 'good' : 'warning'} title={met > 0 ? t.some(address, met, of) : t.no(address)} />
}
