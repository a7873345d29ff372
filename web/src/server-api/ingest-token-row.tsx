import { Group, Text } from '@mantine/core'
import type { IngestToken } from '../api/ingest-tokens.ts'
import { credentials, spaces, starboards } from '../pickers/source.ts'
import { useNameList } from '../pickers/use-name-list.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime, onDay } from '../shell/dates.ts'
import { hooks, serverApi } from '../texts/index.ts'
import { TokenName } from './token-name.tsx'

const t = hooks.ingest
const common = serverApi.tokens

interface IngestTokenRowProps {
  token: IngestToken
  regenerate: () => void
  revoke: () => void
}

export function IngestTokenRow({ token, regenerate, revoke }: IngestTokenRowProps) {
  return (
    <li className="row">
      <div className="row-main">
        <TokenName token={token} />
        <Text size="sm" c="dimmed">
          {[t.writes(useScope(token)), common.created(onDay(token.createdAt)), endOf(token), useOf(token)]
            .filter((part) => part !== undefined)
            .join(' · ')}
        </Text>
      </div>
      <Group gap="xs">
        <ConfirmButton
          label={common.regenerate}
          name={common.regenerateNamed(token.name)}
          question={common.regenerateQuestion}
          onConfirm={regenerate}
        />
        <ConfirmButton
          label={common.revoke}
          name={common.revokeNamed(token.name)}
          question={common.revokeQuestion}
          onConfirm={revoke}
        />
      </Group>
    </li>
  )
}

function useScope({ scope: { spaceIds, starboardIds, credentialIds } }: IngestToken): string {
  const kinds = [
    ['spaces', spaceIds, useNameList(spaces, spaceIds ?? [])],
    ['starboards', starboardIds, useNameList(starboards, starboardIds ?? [])],
    ['credentials', credentialIds, useNameList(credentials, credentialIds ?? [])],
  ] as const
  return kinds
    .filter(([, ids]) => ids?.length !== 0)
    .map(([kind, ids, names]) => (ids === null ? t.all[kind] : t.some[kind](names)))
    .join('; ')
}

const endOf = ({ expiresAt }: IngestToken) => (expiresAt === null ? undefined : common.expires(onDay(expiresAt)))
const useOf = ({ lastUsedAt }: IngestToken) => (lastUsedAt === null ? common.unused : common.used(atTime(lastUsedAt)))
