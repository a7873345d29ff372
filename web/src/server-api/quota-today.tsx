import { Progress, Text } from '@mantine/core'
import type { TokenUsage } from '../api/tokens.ts'
import { serverApi as texts } from '../texts/index.ts'
import { isUsed } from './usage-quality.ts'

const t = texts.usage

/** The recently used tokens with the used part of their daily quota. Rejected requests are not counted. */
export function QuotaToday({ usage }: { usage: readonly TokenUsage[] }) {
  const today = new Date().toISOString().slice(0, 10)
  const used = usage.filter(isUsed)
  return (
    <ul className="rows">
      {used.map(({ tokenId, name, quota, days }) => {
        const count = days.reduce(
          (sum, { day, status, requests }) => sum + (day === today && status !== 429 ? requests : 0),
          0,
        )
        const limit = quota.perDay
        const label = limit === null ? t.noQuota(count) : t.ofQuota(count, limit)
        return (
          <li key={tokenId} className="row">
            <div className="row-main">
              <Text fw={500}>{name}</Text>
              {limit !== null && (
                <Progress.Root size="sm" mt={6}>
                  <Progress.Section value={Math.min(100, (100 * count) / limit)} aria-label={`${name}: ${label}`} />
                </Progress.Root>
              )}
            </div>
            <Text size="sm" c="dimmed">
              {label}
              {quota.perSecond !== null && ` · ${t.perSecond(quota.perSecond)}`}
            </Text>
          </li>
        )
      })}
    </ul>
  )
}
