import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { sessionQuery } from '../api/session.ts'
import { serverApi } from '../texts/index.ts'
import { operator } from '../texts/operator-pages.ts'

/** Tells operators, who have a shell, why a token that a command created is not in the list. */
export function TokensOfCommands({ command, withPlans = false }: { command: string; withPlans?: boolean }) {
  const isOperator = useQuery(sessionQuery).data?.account?.operator === true
  if (!isOperator) return null
  return (
    <Text size="sm" c="dimmed">
      {serverApi.tokens.ofCommands(command)}
      {withPlans && (
        <>
          {' '}
          <Link href="/operator/plans" className="text-link">
            {operator.plans.title}
          </Link>
        </>
      )}
    </Text>
  )
}
