import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type PersonProfile, resumePerson, suspendPerson } from '../api/people.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { people as texts } from '../texts/operator-pages.ts'

/** Suspends an account, or ends its suspension. */
export function Suspension({ person: { id, username, suspension } }: { person: PersonProfile }) {
  const [reason, setReason] = useState('')
  useUnsaved(reason.trim() !== '')
  const suspend = useMutation({
    mutationFn: () => suspendPerson(id, reason),
    onSuccess() {
      setReason('')
      toast(texts.suspendedNow(username))
    },
  })
  const resume = useMutation({ mutationFn: () => resumePerson(id), onSuccess: () => toast(texts.resumed(username)) })
  const submit = (event: FormEvent) => event.preventDefault()
  return (
    <Section title={texts.suspension} lead={texts.suspensionLead}>
      {suspension ? (
        <div>
          <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
            {texts.resume}
          </Button>
        </div>
      ) : (
        <form onSubmit={submit}>
          <div className="line-form">
            <TextInput
              className="wide-field"
              label={texts.reason}
              value={reason}
              maxLength={500}
              onChange={(event) => setReason(event.currentTarget.value)}
              autoComplete="off"
            />
            <ConfirmButton
              size="sm"
              label={texts.suspend}
              question={texts.suspendQuestion(username)}
              pending={suspend.isPending}
              disabled={reason.trim() === ''}
              onConfirm={() => suspend.mutate()}
            />
          </div>
        </form>
      )}
      <Fault error={suspend.error ?? resume.error} />
    </Section>
  )
}
