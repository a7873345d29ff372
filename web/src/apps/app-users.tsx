import { Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type AppUser, appUsersQuery, type OwnApp, revokeAppUsers } from '../api/apps.ts'
import { nameOfScope } from '../consent/scope-name.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime, onDay } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts, shell } from '../texts/index.ts'

const t = texts.apps

/** The users of an app with their grants, and a button that revokes all of them. */
export function AppUsers({ app }: { app: OwnApp }) {
  const list = useInfiniteQuery(appUsersQuery(app.clientId))
  const revoke = useMutation({
    mutationFn: () => revokeAppUsers(app.clientId),
    onSuccess: ({ revoked }) => toast(t.revokedAll(revoked)),
  })
  const users = list.data?.pages.flatMap((page) => page.users) ?? []
  const total = list.data?.pages[0]?.total ?? 0
  return (
    <Section title={t.users} lead={t.usersLead}>
      {list.isPending && <Loading rows={2} />}
      {list.isSuccess && users.length === 0 && <Empty icon="users" title={t.noUsers} text={t.noUsersText} />}
      {users.length > 0 && <Text size="sm">{t.allUsers(total)}</Text>}
      <ul className="rows">
        {users.map((user, place) => (
          <li key={place} className="row">
            <div className="row-main">
              <Text size="sm" className="mono">
                {sharedOf(user)}
              </Text>
              <Text size="xs" c="dimmed">
                {`${t.userSince(onDay(user.grantedAt))} · ${user.lastUsedAt === null ? t.userUnused : t.userUsed(atTime(user.lastUsedAt))}`}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      <Fault error={list.error ?? revoke.error} />
      <Group>
        <MoreButton list={list} label={shell.more} size="xs" />
        {users.length > 0 && (
          <ConfirmButton
            label={t.revokeAll}
            question={t.revokeAllQuestion}
            pending={revoke.isPending}
            onConfirm={() => revoke.mutate()}
          />
        )}
      </Group>
    </Section>
  )
}

function sharedOf({ shared }: AppUser): string {
  const values = Object.entries(shared).map(
    ([scope, { subject, username }]) => `${nameOfScope(scope)}: ${username ?? subject}`,
  )
  return values.length === 0 ? t.userNothing : values.join(' · ')
}
