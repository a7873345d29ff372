import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql'
import { invalidArgument, RequestFailure, tooComplex } from '../errors.ts'
import { MAX_TOKENS, refuseOversizedDocument } from './limits.ts'
import { schema } from './schema.ts'
import { explainValidation, MAX_REPORTED } from './spec-messages.ts'

/** Parses and validates a document. @throws RequestFailure: syntax, validation, limits */
export function readDocument(query: string): DocumentNode {
  const document = parseDocument(query)
  refuseOversizedDocument(document)
  const mistakes = validate(schema, document, undefined, { maxErrors: MAX_REPORTED })
  if (mistakes.length === 0) return document
  throw new RequestFailure(mistakes.map((mistake) => explainValidation(mistake, document).locatedAt(mistake.locations)))
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

/** The only operation, or the named operation. @throws RequestFailure if it does not exist */
export function chooseOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
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

export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  )
}
