import { type GraphQLOutputType, isListType, isNonNullType } from 'graphql'
import type { Resolver } from './context.ts'
import type { FastPath, FieldPlan, ObjectPlan, Path, Run, SlowPath } from './object-plan.ts'
import { leafWriter, NullViolation } from './write.ts'

/** Thrown if a non-null field is null. Its error was already reported. */
const BUBBLE = new Error('a null moves up to the nearest field that may be null')

/** Completes the value of a field on the fast path, if it has one. If the fast path throws, uses the slow path. */
export function slowField(
  type: GraphQLOutputType,
  below: ObjectPlan | undefined,
  fastPath: FastPath | undefined,
): SlowPath {
  const slowPath = complete(type, below)
  if (!fastPath) return slowPath
  return (value, run, path) => {
    try {
      return fastPath(value)
    } catch {
      return slowPath(value, run, path)
    }
  }
}

function complete(type: GraphQLOutputType, below: ObjectPlan | undefined): SlowPath {
  const nonNull = isNonNullType(type)
  const bare = nonNull ? type.ofType : type
  const write = isListType(bare) ? completeList(bare.ofType, below) : (below?.slowPath ?? leaf(leafWriter(bare)))
  return (value, run, path) => {
    if (value !== null && value !== undefined) return write(value, run, path)
    if (nonNull) throw new NullViolation()
    return 'null'
  }
}

function leaf(write: FastPath): SlowPath {
  return (value) => write(value)
}

function completeList(itemType: GraphQLOutputType, below: ObjectPlan | undefined): SlowPath {
  const item = complete(itemType, below)
  const nullable = !isNonNullType(itemType)
  return (value, run, path) => {
    const parts = (value as unknown[]).map(
      (each, key) => () => guard(nullable, run, { above: path, key }, (at) => item(each, run, at)),
    )
    return joined(parts, (all) => `[${all.join(',')}]`)
  }
}

/** Writes the fields of an object. Resolvers that wait run concurrently. */
export function slowObject(fields: readonly FieldPlan[]): SlowPath {
  return (source, run, path) => {
    const parts = fields.map(
      (field) => () =>
        guard(field.nullable, run, { above: path, key: field.key, field }, (at) =>
          completeField(field, source, run, at),
        ),
    )
    return joined(parts, (all) => `{${all.map((text, index) => (fields[index] as FieldPlan).prefix + text).join(',')}}`)
  }
}

function completeField(field: FieldPlan, source: unknown, run: Run, path: Path): string | Promise<string> {
  const value = field.resolve ? resolve(field, field.resolve, source, run, path) : field.get(source as never)
  return value instanceof Promise
    ? value.then((found: unknown) => field.slowPath(found, run, path))
    : field.slowPath(value, run, path)
}

function resolve(field: FieldPlan, resolver: Resolver, source: unknown, run: Run, path: Path): unknown {
  run.context.cacheValidators.resolverStarted()
  const report = (error: Error) => run.report(error, path)
  return resolver(source as never, run.argumentsOf(field) as never, run.context, { report })
}

/** Replaces a failed value with null and reports its error at this path; a non-null field passes the null to its parent. */
function guard(
  nullable: boolean,
  run: Run,
  path: Path,
  work: (path: Path) => string | Promise<string>,
): string | Promise<string> {
  const failed = (error: unknown): string => {
    if (error !== BUBBLE) run.report(error, path)
    if (nullable) return 'null'
    throw BUBBLE
  }
  try {
    const text = work(path)
    return typeof text === 'string' ? text : text.catch(failed)
  } catch (error) {
    return failed(error)
  }
}

/** Writes all parts. Parts that wait run concurrently. If one fails, the rejections of the others are also handled. */
function joined(
  parts: readonly (() => string | Promise<string>)[],
  join: (all: string[]) => string,
): string | Promise<string> {
  const texts: (string | Promise<string>)[] = []
  let waiting = false
  try {
    for (const part of parts) {
      const text = part()
      waiting ||= typeof text !== 'string'
      texts.push(text)
    }
  } catch (error) {
    void Promise.allSettled(texts as Promise<string>[])
    throw error
  }
  return waiting ? Promise.all(texts as Promise<string>[]).then(join) : join(texts as string[])
}
