import { Code, Text } from '@mantine/core'

/** A description of the schema: paragraphs with `code`. */
export function Description({ text }: { text: string | null | undefined }) {
  if (!text) return null
  return text.split(/\n{2,}/).map((paragraph, index) => (
    <Text key={index} size="sm">
      {paragraph.split('`').map((part, at) => (at % 2 === 1 ? <Code key={at}>{part}</Code> : part))}
    </Text>
  ))
}
