import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { eligibilityReliable } from '@questboard/client'
import { type FormEvent, useState } from 'react'
import { runQuery } from '../api/graph.ts'
import { sessionQuery } from '../api/session.ts'
import { Picker } from '../pickers/picker.tsx'
import { quests } from '../pickers/source.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { canBeAddress } from '../shell/typed-address.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { explore as texts } from '../texts/index.ts'
import { AddressField, firstAddressOf } from './address-field.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type CredentialAnswer, eligibilityRequest } from './requests.ts'
import { statusOf } from './sync-status.ts'

const t = texts.credential

/** Checks whether an address holds a credential. Warns if the credential is not `SYNCED`: the result is then not reliable. */
export function EligibilityCheck({ id }: { id: string }) {
  const account = useQuery(sessionQuery).data?.account
  const [address, setAddress] = useState(firstAddressOf(account))
  const [isInvalid, setInvalid] = useState(false)
  const [questId, setQuestId] = useState('')
  const request = eligibilityRequest(id, address.trim(), questId)
  const check = useMutation({
    mutationFn: async () => ({ address: address.trim(), ...(await runQuery<CredentialAnswer>(request)).credential }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setInvalid(!canBeAddress(address.trim()))
    if (canBeAddress(address.trim())) check.mutate()
  }
  return (
    <Section title={t.check}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw="34rem">
          <AddressField value={address} onChange={setAddress} refused={isInvalid} />
          <Picker
            single
            source={quests}
            label={t.quest}
            description={t.questHelp}
            value={questId === '' ? [] : [questId]}
            onChange={([id = '']) => setQuestId(id)}
          />
          <div>
            <Button type="submit" loading={check.isPending}>
              {t.go}
            </Button>
          </div>
        </Stack>
      </form>
      <Fault error={check.error} />
      {check.data && (
        <Notice
          kind={check.data.eligible === 1 ? 'good' : 'plain'}
          title={check.data.eligible === 1 ? t.holds(check.data.address) : t.holdsNot(check.data.address)}
        >
          {!eligibilityReliable(check.data).ok && t.staleText(statusOf(check.data))}
        </Notice>
      )}
      <QueryBehind request={request} title={texts.query.check} />
    </Section>
  )
}
