import { type DocumentNode, type FieldNode, getVariableValues, Kind, type VariableValues, visit } from 'graphql'
import { invalidArgument, RequestFailure, type SourceLocation, tooDeep } from '../errors.ts'
import type { FieldTable } from './context.ts'
import { refuseExpensive } from './cost.ts'
import { chooseOperation, fragmentsOf } from './document.ts'
import { MAX_DEPTH } from './limits.ts'
import { type OperationSummary, summarizeOperation } from './operation-summary.ts'
import type { ObjectPlan } from './object-plan.ts'
import { planOperation } from './plan.ts'
import { schema } from './schema.ts'
import { explainVariables, MAX_REPORTED } from './spec-messages.ts'

/** An operation that has passed all checks that do not need variables. */
export interface Operation extends OperationSummary {
  /** The plan for these variables. @throws RequestFailure if they are invalid or exceed a limit */
  prepare: (rawVariables: Record<string, unknown>) => Prepared
}

export interface Prepared {
  plan: ObjectPlan
  variables: VariableValues
  /** Returns the position of a field of the plan in the document. */
  locate: (field: FieldNode) => SourceLocation | undefined
}

const MAX_VARIANTS = 16

/** @param document a valid document @throws RequestFailure if it does not contain the operation */
export function createOperation(document: DocumentNode, name: string | undefined, tables: FieldTable): Operation {
  const operation = chooseOperation(document, name)
  const fragments = fragmentsOf(document)
  const source = { operation, fragments, document, tables }
  const switches = conditionVariables(document)
  const variants = new Map<string, ObjectPlan>()
  const planFor = (variables: VariableValues): ObjectPlan => {
    const key = switches.map((switched) => (variables.coerced[switched] === true ? '1' : '0')).join('')
    const known = variants.get(key)
    if (known) return known
    const plan = planOperation(source, variables)
    if (variants.size < MAX_VARIANTS) variants.set(key, plan)
    return plan
  }
  const coerce = (rawVariables: Record<string, unknown>): VariableValues => {
    const { variableValues, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], rawVariables, {
      maxErrors: MAX_REPORTED,
    })
    if (variableValues) return variableValues
    const explained = withinStack(() => explainVariables(operation, document, rawVariables))
    throw new RequestFailure(explained.length > 0 ? explained : errors.map((error) => invalidArgument(error.message)))
  }
  return {
    ...summarizeOperation(operation, fragments, tables),
    prepare(rawVariables) {
      const variables = coerce(rawVariables)
      const plan = planFor(variables)
      refuseExpensive(plan, variables)
      return { plan, variables, locate }
    },
  }
}

/** graphql-js visits nested values by recursion. A document that exhausts the stack is rejected as too deep. */
export function withinStack<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('call stack')) throw tooDeep(MAX_DEPTH, 'hundreds')
    throw error
  }
}

/** The variables that @skip and @include use. */
function conditionVariables(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    Directive(directive) {
      for (const { value } of directive.arguments ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}

function locate({ loc }: FieldNode): SourceLocation | undefined {
  return loc && { line: loc.startToken.line, column: loc.startToken.column }
}
