import type { z } from 'zod'
import { schemaOf } from './json-schema.ts'
import type { ApiParameter } from './openapi-document.ts'

/** The documentation of a parameter. */
export interface ParameterDescription {
  description: string
  /** Text by default. */
  shape?: z.ZodType
  /** Parameters of a path are always required. */
  required?: boolean
  example?: string | number
}

/** A path parameter with a reader. The reader throws an ApiError for a value that cannot exist. */
export interface PathParameter<T = unknown> extends ParameterDescription {
  read: (text: string) => T
}

/** Every parameter of a path. A parameter that is only described reaches the handler as sent. */
export type PathParameters = Record<string, string | ParameterDescription | PathParameter>

/** The values that the handler receives. */
export type ParamsOf<P> = { [Name in keyof P]: P[Name] extends { read: (text: string) => infer T } ? T : string }

interface Described {
  method: string
  path: string
  params?: PathParameters
  query?: Record<string, ParameterDescription>
}

/** @throws Error if the path and `params` do not contain the same parameter names */
export function checkNames({ method, path, params = {} }: Described): void {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const unlike = [...new Set(named).symmetricDifference(new Set(Object.keys(params)))]
  if (unlike.length > 0) throw new Error(`${method} ${path}: path and params differ in ${unlike.join(', ')}`)
}

export function readParams({ params = {} }: Pick<Described, 'params'>, sent: unknown): Record<string, unknown> {
  const texts = sent as Record<string, string>
  return Object.fromEntries(
    Object.entries(params).map(([name, parameter]) => {
      const text = texts[name] ?? ''
      return [name, typeof parameter === 'object' && 'read' in parameter ? parameter.read(text) : text]
    }),
  )
}

export const parametersOf = ({ params = {}, query = {} }: Described): ApiParameter[] => [
  ...Object.entries(params).map(([name, parameter]) =>
    documented(name, 'path', typeof parameter === 'string' ? { description: parameter } : parameter),
  ),
  ...Object.entries(query).map(([name, parameter]) => documented(name, 'query', parameter)),
]

function documented(
  name: string,
  place: 'path' | 'query',
  { description, shape, required = false, example }: ParameterDescription,
): ApiParameter {
  const schema = shape ? schemaOf(shape) : { type: 'string' }
  return { name, in: place, description, schema, required, ...(example !== undefined && { example }) }
}
