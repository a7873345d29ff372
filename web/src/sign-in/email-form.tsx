import { Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import { asking, type Challenge, type Purpose } from '../api/challenges.ts'
import { Notice } from '../shell/notice.tsx'
import { texts } from '../texts/sign-in.ts'
import { explain } from './explain.ts'

const t = texts.email

interface EmailFormProps {
  purpose: Purpose
  /** Sends the code as the proof of its challenge. */
  confirm: (challenge: Challenge, code: string) => void
  back: () => void
}

/** A code by mail: the address, then the code. A wrong code is spent, so that a new one is sent for. */
export function EmailForm({ purpose, confirm, back }: EmailFormProps) {
  const [address, setAddress] = useState('')
  const [code, setCode] = useState('')
  const mail = useMutation({ mutationFn: () => asking('Email', purpose)({ address: address.trim() }) })
  const field = mail.error instanceof ApiFailure && mail.error.field === 'address' ? mail.error.message : undefined
  const fault = mail.error && field === undefined ? explain(mail.error) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (mail.data) confirm(mail.data, code.trim())
    else mail.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {purpose === 'sign-in' ? t.heading : t.headingLink}
        </Title>
        {mail.data ? (
          <>
            <Text size="sm" role="status">
              {t.sent(address.trim())}
            </Text>
            <TextInput
              label={t.code}
              description={t.codeHelp}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              autoComplete="one-time-code"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={20}
              autoFocus
              required
            />
            <Button type="submit" disabled={code.trim() === ''}>
              {t.confirm}
            </Button>
            <Button variant="subtle" onClick={() => mail.reset()}>
              {t.other}
            </Button>
          </>
        ) : (
          <>
            <TextInput
              label={t.address}
              type="email"
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
              autoComplete="email"
              error={field}
              autoFocus
              required
            />
            <Button type="submit" loading={mail.isPending} disabled={address.trim() === ''}>
              {t.send}
            </Button>
          </>
        )}
        {fault && (
          <Notice kind="fault" title={fault.title}>
            {fault.text}
          </Notice>
        )}
        <Button variant="subtle" onClick={back}>
          {texts.back}
        </Button>
      </Stack>
    </form>
  )
}
