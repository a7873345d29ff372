import { Group, NativeSelect, Text } from '@mantine/core'
import { changeRole, type MemberRole, readTeamAgain, removeMember, type Team } from '../api/teams.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content, teams as texts } from '../texts/index.ts'

interface MemberRowProps {
  spaceId: number
  member: Team['members'][number]
  /** The roles that the reader of the page may give. */
  given: readonly MemberRole[]
  isOwn: boolean
}

/** A member of a team, whose role can be changed. Members can leave. */
export function MemberRow({ spaceId, member: { account, role }, given, isOwn }: MemberRowProps) {
  const { id, username } = account
  const onSuccess = () => readTeamAgain(spaceId)
  const changed = useMutation({
    mutationFn: (to: MemberRole) => changeRole(spaceId, id, to),
    async onSuccess(_, to) {
      toast(texts.changed(username, content.standings[to]))
      await onSuccess()
    },
  })
  const removed = useMutation({
    mutationFn: () => removeMember(spaceId, id),
    async onSuccess() {
      toast(isOwn ? texts.left : texts.removed(username))
      await onSuccess()
    },
  })
  const isChangeable = given.includes(role)
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{username}</Text>
        <Text size="sm" c="dimmed">
          {content.standings[role]}
        </Text>
        <Fault error={changed.error ?? removed.error} />
      </div>
      <Group gap="xs">
        {isChangeable && (
          <NativeSelect
            size="xs"
            aria-label={texts.roleOf(username)}
            value={changed.isPending ? changed.variables : role}
            aria-busy={changed.isPending}
            aria-disabled={changed.isPending}
            data={given.map((value) => ({ value, label: content.standings[value] }))}
            onChange={(event) => {
              // A disabled field would lose the focus.
              if (!changed.isPending) changed.mutate(event.currentTarget.value as MemberRole)
            }}
          />
        )}
        {(isChangeable || isOwn) && (
          <ConfirmButton
            label={isOwn ? texts.leave : texts.remove}
            {...(!isOwn && { name: texts.removeNamed(username) })}
            question={isOwn ? texts.leaveQuestion : texts.removeQuestion(username)}
            pending={removed.isPending}
            onConfirm={() => removed.mutate()}
          />
        )}
      </Group>
    </li>
  )
}
