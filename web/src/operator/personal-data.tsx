import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { erasePerson, exportPerson, type PersonProfile } from '../api/people.ts'
import { download } from '../shell/download.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { people as texts, shell } from '../texts/index.ts'

/** Exports the data of a person, or deletes the account. */
export function PersonalData({ person: { id, username } }: { person: PersonProfile }) {
  const [, navigate] = useLocation()
  const [erasing, setErasing] = useState(false)
  const [typed, setTyped] = useState('')
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
          <Button variant="subtle" color="red" onClick={() => setErasing(true)}>
            {texts.erase}
          </Button>
        )}
      </Group>
      <Fault error={take.error} />
      {erasing && (
        <Stack gap="sm" maw="28rem" className="inset">
          <Text size="sm">{texts.eraseLead}</Text>
          <TextInput
            label={texts.eraseConfirm(username)}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group>
            <Button color="red" disabled={typed !== username} loading={erase.isPending} onClick={() => erase.mutate()}>
              {texts.eraseFor}
            </Button>
            <Button variant="default" onClick={() => setErasing(false)}>
              {shell.cancel}
            </Button>
          </Group>
          <Fault error={erase.error} />
        </Stack>
      )}
    </Section>
  )
}
