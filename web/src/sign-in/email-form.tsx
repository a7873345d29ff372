import { Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import { challengeRequester, type Challenge, type Purpose } from '../api/challenges.ts'
import { faultAtField, fieldProblems } from '../shell/field-fault.ts'
import { Notice } from '../shell/notice.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { signIn as texts } from '../texts/index.ts'
import { explain, type Explanation } from './explain.ts'

const t = texts.email

interface EmailFormProps {
  purpose: Purpose
  /** Sends the code as the proof of its challenge. */
  confirm: (challenge: Challenge, code: string) => void
  confirming: boolean
  /** The reason why the last code was refused. */
  refusal: Error | null
  /** Forgets the last refusal. */
  reset: () => void
  back: () => void
}

/** A code by mail: the address, then the code. The address stays filled in when a new code is needed. */
export function EmailForm({ purpose, confirm, confirming, refusal, reset, back }: EmailFormProps) {
  const [address, setAddress] = useState('')
  const [code, setCode] = useState('')
  const [incomplete, setIncomplete] = useState(false)
  const mail = useMutation({ mutationFn: () => challengeRequester('Email', purpose)({ address: address.trim() }) })
  const field = faultOf(mail.error, 'address')
  // A refusal that names the field leaves the code usable; any other one needs a new code.
  const wrongCode = faultOf(refusal, 'code')
  const over = refusal !== null && wrongCode === undefined
  const fault = over ? explainOver(refusal) : mail.error && field === undefined ? explain(mail.error) : undefined
  const forgetCode = () => {
    setCode('')
    setIncomplete(false)
    reset()
  }
  const startOver = () => {
    forgetCode()
    mail.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (mail.data === undefined || over) {
      forgetCode()
      mail.mutate()
    } else if (isComplete(code)) {
      setIncomplete(false)
      confirm(mail.data, code)
    } else setIncomplete(true)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {purpose === 'sign-in' ? t.heading : t.headingLink}
        </Title>
        {mail.data && !over ? (
          <>
            <Text size="sm" role="status">
              {t.sent(address.trim())}
            </Text>
            <TextInput
              label={t.code}
              description={t.codeHelp}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              error={incomplete ? t.codeIncomplete : wrongCode}
              autoComplete="one-time-code"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={40}
              autoFocus
              required
            />
            <Button type="submit" loading={confirming} disabled={code.trim() === ''}>
              {t.confirm}
            </Button>
            <Button variant="subtle" onClick={startOver}>
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
              {over ? t.again : t.send}
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

const CODE_LENGTH = 13
const isComplete = (code: string) => code.replace(/[\s-]/g, '').length === CODE_LENGTH

const explainOver = (refusal: Error): Explanation =>
  refusal instanceof ApiFailure && refusal.code === 'no_attempts_left' ? t.void : explain(refusal)

function faultOf(error: Error | null, path: string): string | undefined {
  const problem = fieldProblems(error).find(({ field }) => field === path)
  return problem && faultAtField(problem)
}
