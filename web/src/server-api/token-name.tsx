import { Text } from '@mantine/core'
import { serverApi as texts } from '../texts/index.ts'

/** The name of a token, with the end of its value by which its owner finds it in a configuration. */
export function TokenName({ token: { name, lastFour } }: { token: { name: string; lastFour: string | null } }) {
  return (
    <Text fw={500}>
      {name}
      {lastFour !== null && (
        <Text span size="sm" c="dimmed" className="mono nowrap">
          {' '}
          {texts.tokens.endsIn(lastFour)}
        </Text>
      )}
    </Text>
  )
}
