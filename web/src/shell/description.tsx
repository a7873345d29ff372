import { Anchor, Text } from '@mantine/core'
import { splitLinks } from '../../../server/src/text/links.ts'

/** A text that people wrote about an object, with its lines and links. */
export function Description({ text, size }: { text: string; size?: 'sm' }) {
  if (text === '') return null
  return (
    <Text c="dimmed" className="description" {...(size !== undefined && { size })}>
      {splitLinks(text).map(({ text: part, isLink }, place) =>
        isLink ? (
          <Anchor key={place} href={part} rel="nofollow ugc noreferrer" inherit underline="always">
            {part}
          </Anchor>
        ) : (
          part
        ),
      )}
    </Text>
  )
}
