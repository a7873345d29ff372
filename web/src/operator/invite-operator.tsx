import { Button } from '@mantine/core'
import { inviteOperator } from '../api/people.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { people as texts } from '../texts/operator-pages.ts'

/** Creates a one-time link; the account that opens it becomes an operator. */
export function InviteOperator() {
  const invite = useMutation({ mutationFn: inviteOperator })
  return (
    <Section title={texts.invite} lead={texts.inviteLead}>
      <div>
        <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
          {texts.createLink}
        </Button>
      </div>
      <Fault error={invite.error} />
      {invite.data && (
        <SecretOnce
          title={texts.linkUntil(atTime(invite.data.expiresAt))}
          value={invite.data.url}
          close={invite.reset}
        />
      )}
    </Section>
  )
}
