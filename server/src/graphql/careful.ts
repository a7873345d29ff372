import { type GraphQLOutputType, isListType, isNonNullType } from 'graphql'
import type { Resolver } from './context.ts'
import type { Run } from './execute.ts'
import type { FieldPlan, ObjectPlan } from './plan.ts'
import { type Fast, leafWriter, NullViolation, type Path } from './write.ts'

/** Completes a value where resolvers run or an error has to be placed (GraphQL specification, 6.4.3 and 6.4.4). */
export type Careful = (value: unknown, run: Run, path: Path | undefined) => string | Promise<string>

/** Thrown upward when a field that must not be null is: its error is reported already. */
const BUBBLE = new Error('a null moves up to the nearest field that may be null')

/** Completes a field's value; takes the fast way where there is one, and this one when it fails. */
export function carefulField(type: GraphQLOutputType, below: ObjectPlan | undefined, fast: Fast | undefined): Careful {
  const careful = complete(type, below)
  if (!fast) return careful
  return (value, run, path) => {
    try {
      return fast(value)
    } catch {
      return careful(value, run, path)
    }
  }
}

function complete(type: GraphQLOutputType, below: ObjectPlan | undefined): Careful {
  const nonNull = isNonNullType(type)
  const bare = nonNull ? type.ofType : type
  const write = isListType(bare) ? completeList(bare.ofType, below) : (below?.careful ?? leaf(leafWriter(bare)))
  return (value, run, path) => {
    if (value !== null && value !== undefined) return write(value, run, path)
    if (nonNull) throw new NullViolation()
    return 'null'
  }
}

function leaf(write: Fast): Careful {
  return (value) => write(value)
}

function completeList(itemType: GraphQLOutputType, below: ObjectPlan | undefined): Careful {
  const item = complete(itemType, below)
  const nullable = !isNonNullType(itemType)
  return (value, run, path) => {
    const parts = (value as unknown[]).map(
      (each, key) => () => guard(nullable, run, { above: path, key }, (at) => item(each, run, at)),
    )
    return joined(parts, (all) => `[${all.join(',')}]`)
  }
}

/** Writes an object field by field, side by side where resolvers have to wait. */
export function carefulObject(fields: readonly FieldPlan[]): Careful {
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
    ? value.then((found: unknown) => field.careful(found, run, path))
    : field.careful(value, run, path)
}

function resolve(field: FieldPlan, resolver: Resolver, source: unknown, run: Run, path: Path): unknown {
  run.context.grounds.expect()
  const report = (error: Error) => run.report(error, path)
  return resolver(source as never, run.argumentsOf(field) as never, run.context, { report })
}

/** Turns a failure into a null here, with its error at this path, or sends the null further up. */
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

/** Writes all parts, side by side where they have to wait; a part that fails leaves none unobserved. */
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
