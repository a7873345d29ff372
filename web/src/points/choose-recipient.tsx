import { Button, Stack } from '@mantine/core'
import { Notice } from '../shell/notice.tsx'
import { points as t } from '../texts/index.ts'
import './points.css'
import type { Candidate } from './recipient.ts'

interface ChooseRecipientProps {
  /** What was typed. */
  text: string
  candidates: readonly Candidate[]
  pending: boolean
  choose: (address: string) => void
}

/** Asks for the member if the text names none or several, because points for a wrong name create a new member. */
export function ChooseRecipient({ text, candidates, pending, choose }: ChooseRecipientProps) {
  return (
    <Notice kind="warning" title={candidates.length === 0 ? t.unknown(text) : t.ambiguous(text)}>
      {candidates.length === 0 && <p>{t.unknownHelp}</p>}
      <Stack gap="xs" align="flex-start">
        {candidates.map(({ address, username, points }) => (
          <Button
            key={address}
            size="xs"
            variant="default"
            className="whole-label"
            loading={pending}
            onClick={() => choose(address)}
          >
            {t.candidate(username === '' ? address : `${username} (${address})`, points)}
          </Button>
        ))}
        {candidates.every(({ username }) => username !== '') && (
          <Button size="xs" variant="default" className="whole-label" loading={pending} onClick={() => choose(text)}>
            {t.newMember(text)}
          </Button>
        )}
      </Stack>
    </Notice>
  )
}
