import { Anchor } from '@mantine/core'
import { getNamedType, type GraphQLType } from 'graphql'
import type { DocsEntry } from './entry.ts'

export type Open = (place: DocsEntry) => void

/** A name that opens the page of a type. */
export function NameLink({ place, onOpen }: { place: DocsEntry; onOpen: Open }) {
  const name = place.field === undefined ? place.type : `${place.type}.${place.field}`
  return (
    <Anchor component="button" type="button" inherit className="playground-name" onClick={() => onOpen(place)}>
      {name}
    </Anchor>
  )
}

/** A type as it is written in the schema, such as `[Quest!]!`; its name opens its page. */
export function TypeLink({ type, onOpen }: { type: GraphQLType; onOpen: Open }) {
  const { name } = getNamedType(type)
  const [before, after] = type.toString().split(name)
  return (
    <span className="mono">
      {before}
      <NameLink place={{ type: name }} onOpen={onOpen} />
      {after}
    </span>
  )
}
