import type { FieldNode, VariableValues } from 'graphql'
import type { Arguments, Context, Getter, Resolver } from './context.ts'

/**
 * The plan of one operation, computed once for each document: the fields of each object in order, with their arguments
 * and writers. @skip and @include are evaluated before, so a plan has no conditions.
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
 * Writes values as response text without objects in between. A plain function, the fast path, writes each part of the
 * response without resolvers. If it throws, and for parts with resolvers, the slow path writes the part and handles
 * paths, errors and promises.
 */
export type FastPath = (value: unknown) => string

/** Completes a value with resolvers or an error (GraphQL specification, 6.4.3 and 6.4.4). */
export type SlowPath = (value: unknown, run: Run, path: Path | undefined) => string | Promise<string>

/** One execution of a plan. */
export interface Run {
  readonly context: Context
  readonly rawVariables: Record<string, unknown>
  argumentsOf(field: FieldPlan): Arguments
  report(error: unknown, path: Path): void
}

/** The position of a value in the response; one link for each step, formatted only for an error. */
export interface Path {
  readonly above: Path | undefined
  readonly key: string | number
  readonly field?: FieldPlan
}
