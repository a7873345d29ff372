import { Badge, Stack, Text, Title } from '@mantine/core'
import {
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { useEffect, useRef } from 'react'
import { playground } from '../../texts/index.ts'
import { Description } from './description.tsx'
import { NameLink, type Open, TypeLink } from './type-link.tsx'

const t = playground.docs

interface TypePageProps {
  schema: GraphQLSchema
  type: GraphQLNamedType
  /** The field or value to scroll to and highlight. */
  member: string | undefined
  onOpen: Open
}

/** A type with its fields, values or possible types. */
export function TypePage({ schema, type, member, onOpen }: TypePageProps) {
  const chosen = useRef<HTMLLIElement>(null)
  useEffect(() => {
    void chosen.current?.scrollIntoView({ block: 'nearest' })
  }, [type, member])
  const chosenProps = (name: string) => (name === member ? { ref: chosen, 'data-chosen': true } : {})
  return (
    <Stack gap="xs">
      <Title order={2} size="h5" className="mono">
        {type.name}
      </Title>
      <Description text={type.description} />
      {isObjectType(type) && type.getInterfaces().length > 0 && (
        <TypeList heading={t.implements} types={type.getInterfaces()} onOpen={onOpen} />
      )}
      {isAbstractType(type) && (
        <TypeList heading={t.possibleTypes} types={schema.getPossibleTypes(type)} onOpen={onOpen} />
      )}
      {(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) && (
        <Section heading={t.fields}>
          {Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()).map((field) => (
            <li key={field.name} {...chosenProps(field.name)}>
              <Signature field={field} onOpen={onOpen} />
              <Details element={field} />
              {'args' in field && field.args.length > 0 && <Arguments list={field.args} onOpen={onOpen} />}
            </li>
          ))}
        </Section>
      )}
      {isEnumType(type) && (
        <Section heading={t.values}>
          {type.getValues().map((value) => (
            <li key={value.name} {...chosenProps(value.name)}>
              <span className="mono">{value.name}</span>
              <Details element={value} />
            </li>
          ))}
        </Section>
      )}
    </Stack>
  )
}

function Section({ heading, children }: { heading: string; children: React.ReactNode }) {
  return (
    <section aria-label={heading}>
      <Title order={3} size="h6">
        {heading}
      </Title>
      <ul className="playground-members">{children}</ul>
    </section>
  )
}

function TypeList({ heading, types, onOpen }: { heading: string; types: readonly GraphQLNamedType[]; onOpen: Open }) {
  return (
    <Section heading={heading}>
      {types.map(({ name }) => (
        <li key={name}>
          <NameLink place={{ type: name }} onOpen={onOpen} />
        </li>
      ))}
    </Section>
  )
}

type FieldOrArgument = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument

function Signature({ field, onOpen }: { field: FieldOrArgument; onOpen: Open }) {
  return (
    <span className="mono">
      {field.name}: <TypeLink type={field.type} onOpen={onOpen} />
    </span>
  )
}

function Arguments({ list, onOpen }: { list: readonly GraphQLArgument[]; onOpen: Open }) {
  return (
    <ul aria-label={t.arguments} className="playground-arguments">
      {list.map((argument) => (
        <li key={argument.name}>
          <Signature field={argument} onOpen={onOpen} />
          <Details element={argument} />
        </li>
      ))}
    </ul>
  )
}

function Details({ element }: { element: FieldOrArgument | GraphQLEnumValue }) {
  return (
    <>
      {typeof element.deprecationReason === 'string' && (
        <Text size="sm">
          <Badge size="sm" color="yellow.9" tt="none">
            {t.deprecated}
          </Badge>{' '}
          {element.deprecationReason}
        </Text>
      )}
      <Description text={element.description} />
    </>
  )
}
