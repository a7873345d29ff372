import {
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
  invalidStatusFilter,
  type ServiceError,
} from '../errors.ts'
import { schema } from './schema.ts'

/**
 * The library's words for a wrong document or variable, in the words of the specification (7.3): clients match on
 * `Invalid pagination`, `Invalid status filter`, `Invalid cursor`, `Invalid sprint ID` and `Address not provided`.
 */

interface Place {
  /** The argument in which the mistake stands. */
  argument: string | undefined
  /** The innermost input field, when it stands in an input object. */
  field: string | undefined
  /** Name of the type that was expected. */
  type: string | undefined
  /** Nothing or null was given. */
  absent: boolean
  value: string | undefined
}

const questStatuses = () =>
  (schema.getType('QuestStatus') as unknown as { getValues(): { name: string }[] }).getValues().map((v) => v.name)

function inWordsOfTheSpecification(place: Place, message: string): ServiceError {
  const { argument, field, type, absent, value } = place
  if (type === 'QuestStatus') return invalidStatusFilter(questStatuses(), value)
  if (argument === 'pagination') return invalidPagination(message)
  if ((argument === 'address' || argument === 'evmAddress') && absent) return addressNotProvided()
  if (argument === 'cursorAfter' || argument === 'cursorBefore' || argument === 'after' || field === 'after')
    return invalidCursor(message)
  if (argument === 'sprintId') return invalidArgument('Invalid sprint ID', `reason: ${message}`)
  return invalidArgument(message)
}

/** What validation found wrong with a document. */
export function explainValidation(error: GraphQLError, document: DocumentNode): ServiceError {
  const node = error.nodes?.[0]
  const types = new TypeInfo(schema)
  let explained = invalidArgument(error.message)
  if (!node) return explained
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(visited) {
        if (visited !== node) return
        const missing = visited.kind === Kind.FIELD ? missingArgument(types, visited.arguments ?? []) : undefined
        const type = getNamedType(types.getInputType())?.name
        explained = inWordsOfTheSpecification(
          {
            argument: missing ?? types.getArgument()?.name,
            field: visited.kind === Kind.OBJECT_FIELD ? visited.name.value : undefined,
            type,
            absent: missing !== undefined || visited.kind === Kind.NULL,
            value:
              visited.kind === Kind.ENUM ? visited.value : visited.kind === Kind.STRING ? print(visited) : undefined,
          },
          error.message,
        )
      },
    }),
  )
  return explained
}

function missingArgument(types: TypeInfo, given: readonly { name: { value: string } }[]): string | undefined {
  return types
    .getFieldDef()
    ?.args.find(
      (arg) =>
        isNonNullType(arg.type) && arg.default === undefined && !given.some((one) => one.name.value === arg.name),
    )?.name
}

/** What is wrong with the values of an operation's variables; empty when nothing is. */
export function explainVariables(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  values: Record<string, unknown>,
): ServiceError[] {
  const errors: ServiceError[] = []
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type) as GraphQLInputType
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    if (given === undefined && (definition.defaultValue || !isNonNullType(type))) continue
    validateInputValue(given, type, (error, path) => {
      const place = { ...placeOf(type, path), argument: argumentFed(document, name) }
      const at = path.length > 0 ? ` at "${name}.${path.join('.')}"` : ''
      errors.push(
        inWordsOfTheSpecification(
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
  return typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value)
}

/** The argument that a variable is given to, directly or inside of an input object. */
function argumentFed(document: DocumentNode, variable: string): string | undefined {
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
