import type { World } from './fixture.ts'

interface TypeReference {
  kind: string
  name: string | null
  ofType: TypeReference | null
}

interface FieldDescription {
  name: string
  type: TypeReference
  args: { name: string; type: TypeReference }[]
}

const TYPE = 'type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }'

/** The field types of an object by introspection: `{ id: 'ID!' }`. */
export async function fieldTypes(world: World, type: string): Promise<Record<string, string>> {
  return Object.fromEntries((await fieldsOf(world, type)).map((field) => [field.name, spelled(field.type)]))
}

/** The argument types of a field. */
export async function argumentTypes(world: World, type: string, field: string): Promise<Record<string, string>> {
  const found = (await fieldsOf(world, type)).find(({ name }) => name === field)
  return Object.fromEntries((found?.args ?? []).map((argument) => [argument.name, spelled(argument.type)]))
}

export async function enumValues(world: World, type: string): Promise<string[]> {
  const { data } = await world.ask<{ __type: { enumValues: { name: string }[] } }>(
    `{ __type(name: "${type}") { enumValues { name } } }`,
  )
  return data.__type.enumValues.map(({ name }) => name)
}

export async function inputFieldTypes(world: World, type: string): Promise<Record<string, string>> {
  const { data } = await world.ask<{ __type: { inputFields: { name: string; type: TypeReference }[] } }>(
    `{ __type(name: "${type}") { inputFields { name ${TYPE} } } }`,
  )
  return Object.fromEntries(data.__type.inputFields.map((field) => [field.name, spelled(field.type)]))
}

async function fieldsOf(world: World, type: string): Promise<FieldDescription[]> {
  const { data } = await world.ask<{ __type: { fields: FieldDescription[] } }>(
    `{ __type(name: "${type}") { fields(includeDeprecated: true) { name ${TYPE} args(includeDeprecated: true) { name ${TYPE} } } } }`,
  )
  return data.__type.fields
}

function spelled({ kind, name, ofType }: TypeReference): string {
  if (kind === 'NON_NULL') return `${spelled(ofType as TypeReference)}!`
  if (kind === 'LIST') return `[${spelled(ofType as TypeReference)}]`
  return name ?? ''
}
