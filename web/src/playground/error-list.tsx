import { Code, List, Text } from '@mantine/core'
import { playground as texts } from '../texts/index.ts'
import type { AnsweredError } from './query-endpoint.ts'

/** The `errors` of a response, for reading: code, message, where, and the details. */
export function ErrorList({ errors }: { errors: AnsweredError[] }) {
  return (
    <List size="sm" listStyleType="none">
      {errors.map((error, index) => (
        <List.Item key={index}>
          {error.extensions?.code !== undefined && <Code>{error.extensions.code}</Code>} {error.message}
          {error.path !== undefined && (
            <Text span size="sm">
              {' '}
              {texts.response.at} <Code>{error.path.join('.')}</Code>
            </Text>
          )}
          {error.extensions?.details?.map((detail) => (
            <Text key={detail} size="xs">
              {detail}
            </Text>
          ))}
        </List.Item>
      ))}
    </List>
  )
}
