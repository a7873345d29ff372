import { Anchor, Group } from '@mantine/core'
import { Link } from 'wouter'
import type { ServerToken } from '../api/tokens.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { TokenFacts } from './token-facts.tsx'
import { TokenName } from './token-name.tsx'

const t = texts.tokens

interface TokenRowProps {
  token: ServerToken
  live: boolean
  regenerate: () => void
  revoke: () => void
}

export function TokenRow({ token, live, regenerate, revoke }: TokenRowProps) {
  return (
    <li className="row">
      <div className="row-main">
        <Anchor component={Link} href={`/settings/server-api/tokens/${token.tokenId}`}>
          <TokenName token={token} />
        </Anchor>
        <TokenFacts token={token} />
      </div>
      {live && (
        <Group gap="xs">
          <ConfirmButton
            label={t.regenerate}
            name={t.regenerateNamed(token.name)}
            question={t.regenerateQuestion}
            onConfirm={regenerate}
          />
          <ConfirmButton
            label={t.revoke}
            name={t.revokeNamed(token.name)}
            question={t.revokeQuestion}
            onConfirm={revoke}
          />
        </Group>
      )}
    </li>
  )
}
