import { Button, Stack } from '@mantine/core'
import { Notice } from '../shell/notice.tsx'
import { points as t } from '../texts/index.ts'
import './points.css'
import type { Candidates } from './recipient.ts'

interface ChooseRecipientProps extends Candidates {
  /** The typed text. */
  text: string
  pending: boolean
  choose: (address: string) => void
}

/** Asks for the member if the text names none or several, because points for a wrong name create a new member. */
export function ChooseRecipient({ text, list, complete, pending, choose }: ChooseRecipientProps) {
  // The service ignores the case and the @ of handles.
  const named = text.replace(/^@/, '').toLowerCase()
  return (
    <Notice kind="warning" title={list.length === 0 ? t.unknown(text) : t.ambiguous(text)}>
      {list.length === 0 && <p>{t.unknownHelp}</p>}
      {!complete && <p>{t.incomplete}</p>}
      <Stack gap="xs" align="flex-start">
        {list.map(({ address, username, points }) => (
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
        {list.every(({ address }) => address.toLowerCase() !== named) && (
          <Button size="xs" variant="default" className="whole-label" loading={pending} onClick={() => choose(text)}>
            {t.newMember(text)}
          </Button>
        )}
      </Stack>
    </Notice>
  )
}
