import { Button, Stack, Text, TextInput, Title } from '@mantine/core'
import type { GraphQLNamedType, GraphQLSchema } from 'graphql'
import { useEffect, useRef } from 'react'
import { playground } from '../../texts/index.ts'
import type { DocsEntry } from './entry.ts'
import { findInSchema, typesOf } from './search.ts'
import { NameLink, type Open } from './type-link.tsx'
import { TypePage } from './type-page.tsx'

const t = playground.docs

interface DocsPanelProps {
  schema: GraphQLSchema | undefined
  /** The pages opened so far; the last one is shown. */
  trail: readonly DocsEntry[]
  onTrail: (trail: readonly DocsEntry[]) => void
  sought: string
  onSought: (text: string) => void
}

/** The documentation of the schema: types, fields and arguments with the descriptions from the service. */
export function DocsPanel({ schema, trail, onTrail, sought, onSought }: DocsPanelProps) {
  const top = useRef<HTMLDivElement>(null)
  const here = trail.at(-1)
  useEffect(() => {
    if (here?.field === undefined) top.current?.scrollTo(0, 0)
  }, [here])
  if (schema === undefined)
    return (
      <Text size="sm" p="xs">
        {t.needsToken}
      </Text>
    )
  const type = here && schema.getType(here.type)
  const open: Open = (place) => {
    onSought('')
    onTrail([...trail, place])
  }
  return (
    <div className="playground-scroller" ref={top}>
      <Stack gap="xs">
        <TextInput
          type="search"
          size="xs"
          aria-label={t.search}
          placeholder={t.search}
          value={sought}
          onChange={(event) => onSought(event.currentTarget.value)}
        />
        {sought.trim() !== '' ? (
          <Found places={findInSchema(schema, sought)} onOpen={open} />
        ) : type ? (
          <>
            <Button
              size="compact-sm"
              variant="default"
              className="playground-back"
              onClick={() => onTrail(trail.slice(0, -1))}
            >
              ← {trail.at(-2)?.type ?? t.schema}
            </Button>
            <TypePage schema={schema} type={type} member={here.field} onOpen={open} />
          </>
        ) : (
          <Overview schema={schema} onOpen={open} />
        )}
      </Stack>
    </div>
  )
}

function Found({ places, onOpen }: { places: readonly DocsEntry[]; onOpen: Open }) {
  if (places.length === 0) return <Text size="sm">{t.nothingFound}</Text>
  return (
    <ul className="playground-members">
      {places.map((place) => (
        <li key={`${place.type}.${place.field}`}>
          <NameLink place={place} onOpen={onOpen} />
        </li>
      ))}
    </ul>
  )
}

function Overview({ schema, onOpen }: { schema: GraphQLSchema; onOpen: Open }) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter((type) => !!type)
  return (
    <>
      <Types heading={t.rootTypes} types={roots} onOpen={onOpen} />
      <Types
        heading={t.allTypes}
        types={typesOf(schema).filter((type) => !roots.some((root) => root === type))}
        onOpen={onOpen}
      />
    </>
  )
}

function Types({ heading, types, onOpen }: { heading: string; types: readonly GraphQLNamedType[]; onOpen: Open }) {
  return (
    <section aria-label={heading}>
      <Title order={2} size="h6">
        {heading}
      </Title>
      <ul className="playground-members">
        {types.map(({ name }) => (
          <li key={name}>
            <NameLink place={{ type: name }} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  )
}
