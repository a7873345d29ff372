import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { erasePerson, exportPerson, type PersonProfile } from '../api/people.ts'
import { destructive } from '../shell/destructive.ts'
import { download } from '../shell/download.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { TypedConfirmation } from '../shell/typed-confirmation.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { people as texts } from '../texts/operator-pages.ts'

/** Exports the data of a person, or deletes the account. */
export function PersonalData({ person: { id, username } }: { person: PersonProfile }) {
  const [, navigate] = useLocation()
  const [erasing, setErasing] = useState(false)
  const take = useMutation({
    mutationFn: () => exportPerson(id),
    onSuccess: (data) => download(`questboard-${username}.json`, data),
  })
  const erase = useMutation({
    mutationFn: () => erasePerson(id),
    onSuccess() {
      toast(texts.erased(username))
      navigate('/operator/people', { replace: true })
    },
  })
  return (
    <Section title={texts.data} lead={texts.dataLead}>
      <Group>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          {texts.export}
        </Button>
        {!erasing && (
          <Button {...destructive} onClick={() => setErasing(true)}>
            {texts.erase}
          </Button>
        )}
      </Group>
      <Fault error={take.error} />
      {erasing && (
        <TypedConfirmation
          lead={texts.eraseLead}
          expected={username}
          label={texts.eraseConfirm(username)}
          action={texts.eraseFor}
          pending={erase.isPending}
          error={erase.error}
          onConfirm={() => erase.mutate()}
          cancel={() => setErasing(false)}
        />
      )}
    </Section>
  )
}
