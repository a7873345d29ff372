import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { SignInPanel } from '../sign-in/panel.tsx'
import { explainCode } from '../sign-in/explain.ts'
import { useRedirectAnswer } from '../sign-in/return-to.ts'
import { account as texts, shell } from '../texts/index.ts'
import { MergeConfirmation } from './merge-confirmation.tsx'

const t = texts.merge

type Step = { at: 'start' } | { at: 'proving' } | { at: 'confirming'; id: string } | { at: 'done'; from: string }

/** Merges another account of the user in three steps: prove it, review it, confirm. */
export function MergeAccounts() {
  const { merge, merging, error } = useRedirectAnswer()
  const refused = merging ? error : undefined
  const [step, setStep] = useState<Step>(
    merge !== undefined ? { at: 'confirming', id: merge } : { at: refused === undefined ? 'start' : 'proving' },
  )
  const start = () => setStep({ at: 'start' })
  return (
    <Section title={t.title} lead={t.lead}>
      {step.at === 'done' && <Notice kind="good" title={t.done(step.from)} />}
      {(step.at === 'start' || step.at === 'done') && (
        <div>
          <Button variant="light" onClick={() => setStep({ at: 'proving' })}>
            {t.start}
          </Button>
        </div>
      )}
      {step.at === 'proving' && (
        <div className="inset">
          <Text mb="sm">{t.prove}</Text>
          <SignInPanel
            purpose="merge"
            returnTo="/account?merging=1"
            fault={refused === undefined ? undefined : explainCode(refused)}
            onDone={({ merge }) => setStep(merge ? { at: 'confirming', id: merge.id } : { at: 'start' })}
          />
          <Button variant="subtle" mt="sm" onClick={start}>
            {shell.cancel}
          </Button>
        </div>
      )}
      {step.at === 'confirming' && (
        <MergeConfirmation id={step.id} onDone={(from) => setStep({ at: 'done', from })} onCancel={start} />
      )}
    </Section>
  )
}
