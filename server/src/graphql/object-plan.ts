import type { FieldNode, VariableValues } from 'graphql'
import type { Arguments, Context, Getter, Resolver } from './context.ts'

/**
 * The plan of one operation: the fields of each object in order, with their arguments and writers. Each combination of
 * @skip and @include has its own plan, so a plan has no conditions.
 */
export interface ObjectPlan {
  typeName: string
  fields: FieldPlan[]
  fastPath: FastPath | undefined
  slowPath: SlowPath
}

export interface FieldPlan {
  /** `Type.field`. */
  coordinate: string
  key: string
  /** `"key":` */
  prefix: string
  nodes: FieldNode[]
  nullable: boolean
  resolve: Resolver | undefined
  get: Getter
  /** The arguments, or a function that reads them from the variables. */
  args: Arguments | ((variables: VariableValues) => Arguments)
  below: ObjectPlan | undefined
  fastPath: FastPath | undefined
  slowPath: SlowPath
}

/**
 * Writes a part of the response without resolvers directly as text. If it throws, and for parts with resolvers, the slow
 * path writes the part.
 */
export type FastPath = (value: unknown) => string

/** Writes a value and handles resolvers, promises, errors and paths (GraphQL specification, 6.4.3 and 6.4.4). */
export type SlowPath = (value: unknown, run: Run, path: Path | undefined) => string | Promise<string>

/** One execution of a plan. */
export interface Run {
  readonly context: Context
  readonly rawVariables: Record<string, unknown>
  argumentsOf(field: FieldPlan): Arguments
  report(error: unknown, path: Path): void
}

/** The position of a value in the response, as a linked list. It is formatted only for an error. */
export interface Path {
  readonly above: Path | undefined
  readonly key: string | number
  readonly field?: FieldPlan
}
