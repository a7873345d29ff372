import { Button, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { RequestedScope } from '../api/authorizations.ts'
import { KindMark } from '../sign-in/kind-mark.tsx'
import { SignInPanel } from '../sign-in/panel.tsx'
import { consent as texts } from '../texts/index.ts'
import { nameOfScope } from './scope-name.ts'

interface ScopeFieldProps {
  asked: RequestedScope
  /** The subject of the identity that will be shown. */
  value: string | undefined
  returnTo: string
  onPick: (subject: string) => void
  onLinked: () => void
}

/** One thing that the app asks for: its value, a choice where there are several, or linking one on the spot. */
export function ScopeField({ asked, value, returnTo, onPick, onLinked }: ScopeFieldProps) {
  const { scope, identities, missing } = asked
  const [linking, setLinking] = useState(false)
  const name = nameOfScope(scope)
  return (
    <section className="scope" aria-label={name}>
      <KindMark kind={scope} />
      <div className="scope-body">
        <Text fw={600}>{name}</Text>
        {texts.notes[scope] !== undefined && <Text size="sm">{texts.notes[scope]}</Text>}
        {identities.length > 0 && (
          <Radio.Group
            value={value ?? null}
            onChange={(next) => onPick(String(next))}
            aria-label={identities.length > 1 ? texts.pick(name) : name}
          >
            <Stack gap="xs" mt={4}>
              {identities.map(({ subject, username }) => (
                <Radio
                  key={subject}
                  value={subject}
                  label={<IdentityName scope={scope} subject={subject} username={username} />}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {missing && (
          <Text size="sm" c="dimmed">
            {texts.none}
          </Text>
        )}
        {missing && !linking && (
          <Button size="xs" variant="light" mt="xs" onClick={() => setLinking(true)}>
            {texts.link(name)}
          </Button>
        )}
        {missing && linking && (
          <Stack gap="xs" mt="xs">
            <SignInPanel purpose="link" only={[scope]} returnTo={returnTo} onDone={onLinked} />
            <Button variant="subtle" size="xs" color="gray" onClick={() => setLinking(false)}>
              {texts.notNow}
            </Button>
          </Stack>
        )}
      </div>
    </section>
  )
}

/** Addresses are shown unchanged. Accounts of other sites are shown by their username and id. */
function IdentityName({ scope, subject, username }: { scope: string; subject: string; username: string | null }) {
  if (username === null) return <span className="mono">{subject}</span>
  return (
    <>
      {username}
      {scope !== 'ServiceID' && (
        <Text span size="xs" c="dimmed" className="mono">
          {' '}
          {subject}
        </Text>
      )}
    </>
  )
}
