import {
  assertEnumType,
  type ASTNode,
  type DocumentNode,
  getNamedType,
  GraphQLError,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  typeFromAST,
  validateInputValue,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import {
  addressNotProvided,
  invalidArgument,
  invalidCursor,
  invalidPagination,
  introspectionTooDeep,
  invalidStatusFilter,
  invalidTypeFilter,
  type ServiceError,
  SPRINTS,
} from '../errors.ts'
import { schema } from './schema.ts'

/**
 * Replaces messages of graphql-js about documents and variables with the documented ones (docs/errors.md). Clients compare
 * `Invalid pagination`, `Invalid status filter`, `Invalid cursor`, `Invalid sprint ID` and `Address not provided`.
 */

interface InvalidInput {
  /** The argument that contains the mistake. */
  argument: string | undefined
  /** The innermost input field, if the mistake is in an input object. */
  field: string | undefined
  /** The name of the expected type. */
  type: string | undefined
  /** The value is missing or null. */
  absent: boolean
  value: string | undefined
}

/** The maximum number of reported problems. */
export const MAX_REPORTED = 20

/** graphql-js rejects a third nested list in an introspection query. */
const MAX_INTROSPECTION_LISTS = 2

/** The maximum number of characters of a value in a message. */
const MAX_QUOTED = 500

const valuesOf = (name: string) =>
  assertEnumType(schema.getType(name))
    .getValues()
    .map((value) => value.name)

function specifiedError(place: InvalidInput, words: string): ServiceError {
  const message = shortened(words)
  const { argument, field, type, absent, value } = place
  if (type === 'QuestStatus') return invalidStatusFilter(valuesOf(type), value)
  if (type === 'QuestType') return invalidTypeFilter(valuesOf(type), value)
  if (argument === 'pagination') return invalidPagination(message)
  if ((argument === 'address' || argument === 'evmAddress') && absent) return addressNotProvided(argument)
  if (argument === 'cursorAfter' || argument === 'cursorBefore' || argument === 'after' || field === 'after')
    return invalidCursor(message)
  if (argument === 'sprintId') return invalidArgument('Invalid sprint ID', `reason: ${message}`, SPRINTS)
  return invalidArgument(message)
}

/** Converts the validation errors of a document to documented errors. */
export function explainValidation(error: GraphQLError, document: DocumentNode): ServiceError {
  if (error.message === 'Validation aborted.') return invalidArgument('The document asks for the same fields too often')
  if (error.message === 'Maximum introspection depth exceeded') return introspectionTooDeep(MAX_INTROSPECTION_LISTS)
  const missing = /^Argument "[^"(]*\((\w+):\)".* is required/.exec(error.message)?.[1]
  const node = error.nodes?.[0]
  const place = node && placeInDocument(node, document)
  if (missing === undefined && !place) return invalidArgument(shortened(error.message))
  return specifiedError(
    {
      argument: missing ?? place?.argument,
      field: place?.field,
      type: place?.type,
      absent: missing !== undefined || node?.kind === Kind.NULL,
      value: node?.kind === Kind.ENUM ? node.value : node?.kind === Kind.STRING ? print(node) : undefined,
    },
    error.message,
  )
}

/** Describes an argument whose variable is null or missing when its field is executed. */
export function explainArgument({ message }: GraphQLError): ServiceError {
  const argument = /^Argument "[^"(]*\((\w+):\)"/.exec(message)?.[1]
  const type = /\bQuest(?:Status|Type)\b/.exec(message)?.[0]
  return specifiedError({ argument, field: undefined, type, absent: true, value: undefined }, message)
}

function placeInDocument(
  node: ASTNode,
  document: DocumentNode,
): Pick<InvalidInput, 'argument' | 'field' | 'type'> | undefined {
  const types = new TypeInfo(schema)
  const fields: string[] = []
  let place: Pick<InvalidInput, 'argument' | 'field' | 'type'> | undefined
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(visited) {
        if (visited.kind === Kind.OBJECT_FIELD) fields.push(visited.name.value)
        // Compared by position, not by identity, because graphql-js validates copies of some values.
        if (visited.kind !== node.kind || visited.loc?.start !== node.loc?.start) return
        place = {
          argument: types.getArgument()?.name,
          field: fields.at(-1),
          type: getNamedType(types.getInputType())?.name,
        }
      },
      leave(visited) {
        if (visited.kind === Kind.OBJECT_FIELD) fields.pop()
      },
    }),
  )
  return place
}

/** Describes the problems of the variable values of an operation; empty if all values are valid. */
export function explainVariables(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  values: Record<string, unknown>,
): ServiceError[] {
  const errors: ServiceError[] = []
  const report = (error: ServiceError) => {
    if (errors.length < MAX_REPORTED) errors.push(error)
  }
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type) as GraphQLInputType
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    if (given === undefined && (definition.defaultValue || !isNonNullType(type))) continue
    validateInputValue(given, type, (error, path) => {
      const place = { ...placeOf(type, path), argument: argumentUsing(document, name) }
      const at = path.length > 0 ? ` at "${name}.${path.join('.')}"` : ''
      report(
        specifiedError(
          { ...place, absent: at === '' && (given === undefined || given === null), value: describe(given, path) },
          `Variable "$${name}" has an invalid value${at}: ${error.message}`,
        ),
      )
    })
  }
  return errors
}

function placeOf(
  type: GraphQLInputType,
  path: readonly (string | number)[],
): { type: string | undefined; field: string | undefined } {
  let at: GraphQLInputType | undefined = type
  let field: string | undefined
  for (const key of path) {
    while (at && isNonNullType(at)) at = at.ofType
    if (at && isListType(at)) at = at.ofType
    else if (at && isInputObjectType(at)) {
      field = String(key)
      at = at.getFields()[key]?.type
    }
  }
  return { type: getNamedType(at)?.name, field }
}

function describe(given: unknown, path: readonly (string | number)[]): string | undefined {
  let value = given
  for (const key of path) value = (value as Record<string | number, unknown> | undefined)?.[key]
  const text = typeof value === 'string' ? value : JSON.stringify(value, (_, part) => exact(part))
  return text === undefined ? undefined : shortened(text)
}

/** JSON.stringify rejects a bigint, which was a number in the request body. */
function exact(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text
}

/** The argument that uses a variable, directly or in an input object. */
function argumentUsing(document: DocumentNode, variable: string): string | undefined {
  let argument: string | undefined
  visit(document, {
    Argument(node) {
      visit(node, {
        Variable(used) {
          if (used.name.value === variable) argument ??= node.name.value
        },
      })
    },
  })
  return argument
}
