import { Text } from '@mantine/core'
import { AREAS, type ServerToken } from '../api/tokens.ts'
import { spaces } from '../pickers/source.ts'
import { useNameList } from '../pickers/use-name-list.ts'
import { atTime, onDay } from '../shell/dates.ts'
import { serverApi as texts } from '../texts/index.ts'

const t = texts.tokens

/** Plan, access, dates and last use of a token. */
export function TokenFacts({ token }: { token: ServerToken }) {
  const spaceNames = useNameList(spaces, token.spaceIds ?? [])
  return (
    <>
      <Text size="sm" c="dimmed">
        {[t.plan(token.plan), readsOf(token), t.created(onDay(token.createdAt)), endOf(token)]
          .filter((part) => part !== undefined)
          .join(' · ')}
      </Text>
      {token.origins !== null && (
        <Text size="sm" c="dimmed" className="token-origins">
          {t.publishableAt(token.origins.join(', '), spaceNames)}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {token.lastUsedAt === null ? t.unused : t.used(atTime(token.lastUsedAt))}
      </Text>
    </>
  )
}

function readsOf({ areas }: ServerToken): string {
  if (AREAS.every((area) => areas.includes(area))) return t.readsAll
  return t.reads(areas.map((area) => t.areaNames[area]).join(', '))
}

function endOf({ revokedAt, expiresAt }: ServerToken): string | undefined {
  if (revokedAt !== null) return t.revoked(onDay(revokedAt))
  if (expiresAt === null) return undefined
  return new Date(expiresAt) > new Date() ? t.expires(onDay(expiresAt)) : t.expired(onDay(expiresAt))
}
