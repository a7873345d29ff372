import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { AuthorizationRequest } from '../api/authorizations.ts'
import { type Account, signOut } from '../api/session.ts'
import { Notice } from '../shell/notice.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import type { Explanation } from '../sign-in/explain.ts'
import { consent as texts } from '../texts/index.ts'
import { AppHeading } from './app-heading.tsx'
import { ScopeField } from './scope-field.tsx'

interface ConsentFormProps {
  id: string
  request: AuthorizationRequest
  account: Account
  fault: Explanation | undefined
  /** With the identity to show for each scope. */
  allow: (identities: Record<string, string>) => void
  deny: () => void
  onLinked: () => void
}

/** The values that the app will receive, and the buttons of the decision. */
export function ConsentForm({ id, request, account, fault, allow, deny, onLinked }: ConsentFormProps) {
  const { app } = request
  // An identity that the account lacks, of a kind that is off here, cannot be shown to the app.
  const scopes = request.scopes.filter(({ missing, link }) => !missing || link.length > 0)
  const [picks, setPicks] = useState<Record<string, string>>({})
  const leave = useMutation({ mutationFn: signOut })
  const shown = Object.fromEntries(
    scopes.flatMap(({ scope, identities, picked }) => {
      const wanted = picks[scope]
      const value = identities.some(({ subject }) => subject === wanted) ? wanted : picked
      return typeof value === 'string' ? [[scope, value] as const] : []
    }),
  )
  return (
    <Stack gap="md">
      <AppHeading app={app}>{texts.heading(app.name)}</AppHeading>
      {fault && (
        <Notice kind="fault" title={fault.title}>
          {fault.text}
        </Notice>
      )}
      {app.publisher !== null && (
        <Notice kind="warning" title={texts.notReviewed.title}>
          {texts.notReviewed.text(app.publisher)}
        </Notice>
      )}
      {scopes.length === 0 && <Text>{texts.nothing}</Text>}
      <div className="scopes">
        {scopes.map((scope) => (
          <ScopeField
            key={scope.scope}
            asked={scope}
            value={shown[scope.scope]}
            returnTo={`/authorize/${id}`}
            onPick={(subject) => setPicks({ ...picks, [scope.scope]: subject })}
            onLinked={onLinked}
          />
        ))}
      </div>
      <Text size="sm">
        {texts.as(account.username)} {texts.returnsTo} <b className="mono">{app.returnsTo}</b>.
      </Text>
      <Button size="md" onClick={() => allow(shown)}>
        {texts.allow}
      </Button>
      <Button variant="default" onClick={deny}>
        {texts.deny}
      </Button>
      <Button variant="subtle" color="gray" loading={leave.isPending} onClick={() => leave.mutate()}>
        {texts.otherAccount}
      </Button>
      <Text size="xs" c="dimmed">
        {texts.stillValid}
      </Text>
    </Stack>
  )
}
