import { Anchor, Button, Text } from '@mantine/core'
import { useEffect } from 'react'
import { linkToVisit, readAgain } from '../api/quests.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { claim as texts } from '../texts/index.ts'
import { type ConditionStep, textOf } from './check-now.tsx'

const t = texts.visit
const LOOK_AGAIN = 3_000

/** Opens the page of a condition in a new tab, and then waits until the visit has been recorded. */
export function Visit({ questId, condition, address }: ConditionStep) {
  const { credentialId, expression } = condition
  const visit = useMutation({
    // The tab opens at once: browsers block one that opens after an answer.
    mutationFn: async (tab: Window | null) => {
      try {
        const { url, expiresAt } = await linkToVisit(questId, credentialId, address)
        tab?.location.replace(url)
        return { url, until: Date.parse(expiresAt), blocked: tab === null }
      } catch (error) {
        tab?.close()
        throw error
      }
    },
  })
  const until = visit.data?.until
  useEffect(() => {
    if (until === undefined) return undefined
    const timer = setInterval(() => {
      if (Date.now() > until) clearInterval(timer)
      else if (document.visibilityState === 'visible') void readAgain(questId)
    }, LOOK_AGAIN)
    return () => clearInterval(timer)
  }, [questId, until])
  return (
    <>
      {' '}
      <Button
        size="compact-sm"
        variant="light"
        aria-label={t.goOf(expression)}
        loading={visit.isPending}
        onClick={() => visit.mutate(window.open('', '_blank'))}
      >
        {t.go}
      </Button>
      <Text component="span" size="sm" role="status" c={visit.error ? 'red' : 'dimmed'}>
        {visit.error && ` ${textOf(visit.error)}`}
        {visit.data && !visit.data.blocked && ` ${t.opened}`}
      </Text>
      {visit.data?.blocked && (
        <Anchor href={visit.data.url} target="_blank" rel="noreferrer" size="sm">
          {' '}
          {t.open}
        </Anchor>
      )}
    </>
  )
}
