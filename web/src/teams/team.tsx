import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { EffectiveRole } from '../api/content.ts'
import { sessionQuery } from '../api/session.ts'
import {
  inviteMember,
  type MemberRole,
  readTeamAgain,
  type Team as TeamOf,
  teamQuery,
  transferSpace,
  withdrawInvitation,
} from '../api/teams.ts'
import { Picker } from '../pickers/picker.tsx'
import { accounts } from '../pickers/source.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content, teams as texts } from '../texts/index.ts'
import { MemberRow } from './member-row.tsx'
import { rolesToGive } from './roles-to-give.ts'

/** The ID of the field for the role of a new member. */
export const INVITE_PLACE = 'invite'

export function Team({ spaceId, standing }: { spaceId: number; standing: EffectiveRole }) {
  const team = useQuery(teamQuery(spaceId))
  const ownId = useQuery(sessionQuery).data?.account?.id
  const given = rolesToGive(standing)
  return (
    <Section title={texts.title} lead={texts.lead}>
      {team.isError && <LoadFailure error={team.error} retry={() => void team.refetch()} />}
      {team.data && (
        <ul className="rows">
          <li className="row">
            <div className="row-main">
              <Text fw={500}>{team.data.owner?.username ?? texts.noOwner}</Text>
              <Text size="sm" c="dimmed">
                {content.standings.owner}
              </Text>
            </div>
          </li>
          {team.data.members.map((member) => (
            <MemberRow
              key={member.account.id}
              spaceId={spaceId}
              member={member}
              given={given}
              isOwn={member.account.id === ownId}
            />
          ))}
          {team.data.invitations.map((invitation) => (
            <InvitationRow key={invitation.id} spaceId={spaceId} invitation={invitation} given={given} />
          ))}
        </ul>
      )}
      {given.length > 0 && <Invite spaceId={spaceId} given={given} />}
      {team.data && (standing === 'owner' || standing === 'operator') && (
        <Transfer spaceId={spaceId} team={team.data} anyone={standing === 'operator'} />
      )}
    </Section>
  )
}

interface InvitationRowProps {
  spaceId: number
  invitation: TeamOf['invitations'][number]
  given: readonly MemberRole[]
}

function InvitationRow({ spaceId, invitation: { id, role, expiresAt }, given }: InvitationRowProps) {
  const withdraw = useMutation({
    mutationFn: () => withdrawInvitation(spaceId, id),
    async onSuccess() {
      toast(texts.withdrawn)
      await readTeamAgain(spaceId)
    },
  })
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{texts.open}</Text>
        <Text size="sm" c="dimmed">
          {`${content.standings[role]} · ${texts.until(atTime(expiresAt))}`}
        </Text>
        <Fault error={withdraw.error} />
      </div>
      {given.includes(role) && (
        <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {texts.withdraw}
        </Button>
      )}
    </li>
  )
}

function Invite({ spaceId, given }: { spaceId: number; given: readonly MemberRole[] }) {
  const [role, setRole] = useState<MemberRole>('editor')
  const invite = useMutation({
    mutationFn: () => inviteMember(spaceId, role),
    onSuccess: () => readTeamAgain(spaceId),
  })
  return (
    <>
      <Group align="flex-end">
        <NativeSelect
          id={INVITE_PLACE}
          label={texts.roleOfInvitation}
          description={texts.rights[role]}
          value={role}
          data={given.map((value) => ({ value, label: content.standings[value] }))}
          onChange={(event) => setRole(event.currentTarget.value as MemberRole)}
        />
        <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
          {texts.invite}
        </Button>
      </Group>
      <Fault error={invite.error} />
      {invite.data && <SecretOnce title={texts.link} value={invite.data.url} close={invite.reset} />}
    </>
  )
}

interface TransferProps {
  spaceId: number
  team: TeamOf
  /** Operators give a space to any account, owners to a member. */
  anyone: boolean
}

function Transfer({ spaceId, team, anyone }: TransferProps) {
  const [open, setOpen] = useState(false)
  const [account, setAccount] = useState('')
  const transfer = useMutation({
    mutationFn: () => transferSpace(spaceId, account.trim()),
    async onSuccess() {
      toast(texts.transferred)
      setOpen(false)
      await readTeamAgain(spaceId)
    },
  })
  if (!anyone && team.members.length === 0) return null
  if (!open)
    return (
      <div>
        <Button variant="default" onClick={() => setOpen(true)}>
          {texts.transfer}
        </Button>
      </div>
    )
  const members = [
    { value: '', label: texts.pick },
    ...team.members.map((member) => ({ value: member.account.id, label: member.account.username })),
  ]
  const submit = (event: FormEvent) => event.preventDefault()
  return (
    <form className="inset" onSubmit={submit}>
      <Group align="flex-end">
        {anyone ? (
          <Picker
            single
            className="wide-field"
            source={accounts}
            label={texts.newOwner}
            value={account === '' ? [] : [account]}
            onChange={([id = '']) => setAccount(id)}
          />
        ) : (
          <NativeSelect
            label={texts.newOwner}
            value={account}
            data={members}
            onChange={(event) => setAccount(event.currentTarget.value)}
          />
        )}
        {account.trim() !== '' && (
          <ConfirmButton
            label={texts.transfer}
            question={texts.transferQuestion}
            pending={transfer.isPending}
            onConfirm={() => transfer.mutate()}
          />
        )}
      </Group>
      <Fault error={transfer.error} labels={{ account: texts.newOwner }} />
    </form>
  )
}
