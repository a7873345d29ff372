import { Button, Stack } from '@mantine/core'
import { Notice } from '../shell/notice.tsx'
import { isPartOfAddress } from '../shell/typed-address.ts'
import { points as t, shell } from '../texts/index.ts'
import './points.css'
import type { Candidates } from './recipient.ts'

interface ChooseRecipientProps extends Candidates {
  text: string
  points: number
  pending: boolean
  choose: (address: string) => void
  cancel: () => void
}

/** Asks for the member if the text names none or several, because points for a wrong name create a new member. */
export function ChooseRecipient({
  text,
  points: awarded,
  list,
  complete,
  pending,
  choose,
  cancel,
}: ChooseRecipientProps) {
  // The service ignores the case and the @ of handles.
  const named = text.replace(/^@/, '').toLowerCase()
  const [only, ...others] = list
  /** The only member that the text names would have fewer than 0 points. */
  const isBelow = only !== undefined && others.length === 0 && complete
  const title = !only
    ? t.unknown(text)
    : isBelow
      ? t.below(only.username || only.address, only.points + awarded)
      : t.ambiguous(text)
  const isPart = isPartOfAddress(text)
  return (
    <Notice kind="warning" title={title}>
      {!only && <p>{isPart ? t.partOfAddress : t.unknownHelp}</p>}
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
            {isBelow
              ? t.subtract(-awarded)
              : t.candidate(username === '' ? address : `${username} (${address})`, points)}
          </Button>
        ))}
        {!isPart && !isBelow && list.every(({ address }) => address.toLowerCase() !== named) && (
          <Button size="xs" variant="default" className="whole-label" loading={pending} onClick={() => choose(text)}>
            {t.newMember(text)}
          </Button>
        )}
        {isBelow && (
          <Button size="xs" variant="default" disabled={pending} onClick={cancel}>
            {shell.cancel}
          </Button>
        )}
      </Stack>
    </Notice>
  )
}
