import type { FastifyInstance } from 'fastify'

/** The methods of a path; empty for an unknown path. */
export type MethodsAt = (path: string) => string[]

/** Records every route that is registered later. */
export function knownPaths(fastify: FastifyInstance): MethodsAt {
  const routes: { methods: string[]; shape: RegExp }[] = []
  fastify.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat(), shape: shapeOf(url) })
  })
  return (path) => [...new Set(routes.flatMap(({ methods, shape }) => (shape.test(path) ? methods : [])))].toSorted()
}

/** The pattern for a path of the router: `:name` is one part of the path, `*` any number of parts. */
function shapeOf(url: string): RegExp {
  const shape = url.replaceAll('.', '\\.').replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${shape}$`)
}
