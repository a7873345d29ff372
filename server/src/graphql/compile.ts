import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getVariableValues,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  type VariableValues,
  visit,
} from 'graphql'
import { createRecent } from '../recent.ts'
import { invalidArgument, RequestFailure, tooComplex, tooDeep } from '../errors.ts'
import { type Asked, whatIsAsked } from './asked.ts'
import type { FieldTable } from './context.ts'
import { refuseExpensive } from './cost.ts'
import { MAX_DEPTH, MAX_TOKENS, refuseOversizedDocument } from './limits.ts'
import { type ObjectPlan, planOperation } from './plan.ts'
import { schema } from './schema.ts'
import { explainValidation, explainVariables, MAX_REPORTED } from './spec-messages.ts'

/** An operation that passed every check that needs no variables. */
export interface CompiledOperation extends Asked {
  /** The plan for these variables. @throws RequestFailure when they do not fit, or ask for too much */
  prepare(rawVariables: Record<string, unknown>): { plan: ObjectPlan; variables: VariableValues }
}

/** Compiles documents and remembers the newest. */
export interface Compiler {
  /** @throws RequestFailure: syntax, validation, limits, no such operation */
  compile(query: string, operationName: string | undefined): CompiledOperation
}

// Enough for every document of many integrators. A plan takes several times the characters of its document.
const MAX_CACHED_CHARACTERS = 20_000_000
const ENTRY_CHARACTERS = 10_000
const MAX_VARIANTS = 16

export function createCompiler(tables: FieldTable): Compiler {
  const compiled = createRecent<CompiledOperation>(MAX_CACHED_CHARACTERS, (key) => key.length + ENTRY_CHARACTERS)
  return {
    compile(query, operationName) {
      // The length keeps a name with line breaks from being taken for the beginning of a document.
      const key = `${operationName?.length ?? ''} ${operationName ?? ''} ${query}`
      const known = compiled.get(key)
      if (known) return known
      const fresh = withinStack(() => compileOperation(query, operationName, tables))
      compiled.set(key, fresh)
      return fresh
    },
  }
}

/** The library walks nested values by recursion; what exhausts the stack is nested beyond any use. */
function withinStack<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack')) throw tooDeep(MAX_DEPTH, 'hundreds')
    throw error
  }
}

function compileOperation(query: string, operationName: string | undefined, tables: FieldTable): CompiledOperation {
  const document = parseDocument(query)
  refuseOversizedDocument(document)
  const mistakes = validate(schema, document, undefined, { maxErrors: MAX_REPORTED })
  if (mistakes.length > 0)
    throw new RequestFailure(
      mistakes.map((mistake) => explainValidation(mistake, document).locatedAt(mistake.locations)),
    )
  const operation = chooseOperation(document, operationName)
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  )
  const source = { operation, fragments, document, tables }
  const switches = conditionVariables(document)
  const variants = new Map<string, ObjectPlan>()
  const planFor = (variables: VariableValues): ObjectPlan => {
    const key = switches.map((name) => (variables.coerced[name] === true ? '1' : '0')).join('')
    const known = variants.get(key)
    if (known) return known
    const plan = planOperation(source, variables)
    if (variants.size < MAX_VARIANTS) variants.set(key, plan)
    return plan
  }
  return {
    ...whatIsAsked(operation, fragments, tables),
    prepare(rawVariables) {
      const variables = coerceVariables(operation, document, rawVariables)
      const plan = planFor(variables)
      refuseExpensive(plan, variables)
      return { plan, variables }
    },
  }
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (/more than \d+ tokens/.test(error.message)) throw tooComplex('too many tokens', MAX_TOKENS, MAX_TOKENS + 1)
    throw new RequestFailure([invalidArgument(error.message).locatedAt(error.locations)])
  }
}

function chooseOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const names = operations.map((operation) => operation.name?.value ?? '(without a name)')
  const chosen = name === undefined ? operations : operations.filter((operation) => operation.name?.value === name)
  if (chosen.length === 1) return chosen[0] as OperationDefinitionNode
  const problem =
    operations.length === 0
      ? 'The document has no operation'
      : name === undefined
        ? 'The document has several operations: name one in operationName'
        : `The document has no operation named "${name}"`
  throw new RequestFailure([invalidArgument(problem, `operations: ${names.join(', ')}`)])
}

function coerceVariables(
  operation: OperationDefinitionNode,
  document: DocumentNode,
  rawVariables: Record<string, unknown>,
): VariableValues {
  const { variableValues, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], rawVariables, {
    maxErrors: MAX_REPORTED,
  })
  if (variableValues) return variableValues
  const explained = withinStack(() => explainVariables(operation, document, rawVariables))
  throw new RequestFailure(explained.length > 0 ? explained : errors.map((error) => invalidArgument(error.message)))
}

/** The variables that @skip and @include look at. */
function conditionVariables(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    Directive(directive) {
      for (const { value } of directive.arguments ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}
