import { Badge, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { type Ban, liftBan } from '../api/bans.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { bans as t } from '../texts/operator-pages.ts'

const SOON_MS = 7 * 86_400_000

/** Shows a ban, with a button to lift it. */
export function BanRow({ ban }: { ban: Ban }) {
  const { id, account, address, reason, endsAt, endedAt } = ban
  const subject = account === null ? (address ?? '') : (account.username ?? account.id)
  const lift = useMutation({ mutationFn: () => liftBan(id), onSuccess: () => toast(t.liftedNow(subject)) })
  const endsSoon = endedAt === null && endsAt !== null && Date.parse(endsAt) - Date.now() < SOON_MS
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          {account === null ? (
            <Text fw={500} className="mono">
              {subject}
            </Text>
          ) : (
            <Link href={`/operator/people/${account.id}`} className="text-link">
              {subject}
            </Link>
          )}
          {endsSoon && (
            <Badge color="yellow" variant="light" tt="none">
              {t.endsSoon}
            </Badge>
          )}
        </Group>
        <Text size="sm">{reason}</Text>
        <Text size="sm" c="dimmed">
          {factsOf(ban).join(' · ')}
        </Text>
        <Fault error={lift.error} />
      </div>
      {endedAt === null && (
        <ConfirmButton
          neutral
          label={t.lift}
          name={t.liftNamed(subject)}
          question={t.liftQuestion(subject)}
          pending={lift.isPending}
          onConfirm={() => lift.mutate()}
        />
      )}
    </li>
  )
}

function factsOf(ban: Ban): string[] {
  const { account, addresses, spaceId, spaceName, createdAt, createdBy, createdByUsername, ...ends } = ban
  const by = createdBy === null ? t.byCommand : (createdByUsername ?? t.deletedAccount)
  const { endsAt, endedAt, endCause } = ends
  return [
    spaceId === null ? t.allSpaces : t.inSpace(spaceName ?? String(spaceId)),
    ...(account !== null && endedAt === null ? [t.addresses(addresses.length)] : []),
    t.since(atTime(createdAt), by),
    endedAt !== null
      ? (endCause === 'lifted' ? t.lifted : t.expired)(atTime(endedAt))
      : endsAt === null
        ? t.untilLifted
        : t.untilTime(atTime(endsAt)),
  ]
}
