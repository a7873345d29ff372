import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useHistoryState } from 'wouter/use-browser-location'
import { eraseAddress, exportAddress } from '../api/people.ts'
import { destructive } from '../shell/destructive.ts'
import { download } from '../shell/download.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { TypedConfirmation } from '../shell/typed-confirmation.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { people } from '../texts/operator-pages.ts'

const t = people.addressData

/** `/operator/people/address`: exports or erases the data under an address that belongs to no account. */
export default function AddressDataPage() {
  // The address is not in the URL, because URLs are logged.
  const given = useHistoryState<{ address?: string } | null>()
  const [text, setText] = useState(given?.address ?? '')
  const address = text.trim()
  const [erasing, setErasing] = useState(false)
  const take = useMutation({
    mutationFn: exportAddress,
    onSuccess: (data) => download('questboard-address.json', data),
  })
  const erase = useMutation({ mutationFn: eraseAddress, onSuccess: () => setErasing(false) })
  const isEmpty = address === ''
  const change = (changed: string) => {
    setText(changed)
    setErasing(false)
    take.reset()
    erase.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty) take.mutate(address)
  }
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Section title={people.data} lead={t.dataLead}>
        <form onSubmit={submit}>
          <Stack gap="sm" maw="34rem">
            <TextInput
              label={t.address}
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change(event.currentTarget.value)}
            />
            <Group>
              <Button type="submit" variant="default" disabled={isEmpty} loading={take.isPending}>
                {people.export}
              </Button>
              {!erasing && (
                <Button {...destructive} disabled={isEmpty} onClick={() => setErasing(true)}>
                  {t.erase}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
        <Fault error={take.error} labels={{ address: t.address }} />
        {take.data && <Notice title={t.exported(rowsIn(take.data.underAddresses))} />}
        {erasing && (
          <TypedConfirmation
            lead={t.eraseLead}
            expected={address}
            label={people.eraseConfirm(address)}
            action={people.eraseFor}
            pending={erase.isPending}
            error={erase.error}
            onConfirm={() => erase.mutate(address)}
            cancel={() => setErasing(false)}
          />
        )}
        {erase.data && <Notice title={t.erased(erase.data)} />}
      </Section>
    </PageLayout>
  )
}

const rowsIn = (tables: Record<string, unknown[]>): number =>
  Object.values(tables).reduce((total, rows) => total + rows.length, 0)
