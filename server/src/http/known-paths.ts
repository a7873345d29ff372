import type { FastifyInstance } from 'fastify'

/** The methods of a path; empty for an unknown path. */
export type MethodsAt = (path: string) => string[]

/** Notes every route that is registered from now on. */
export function knownPaths(fastify: FastifyInstance): MethodsAt {
  const routes: { methods: string[]; shape: RegExp }[] = []
  fastify.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat(), shape: shapeOf(url) })
  })
  return (path) => [...new Set(routes.flatMap(({ methods, shape }) => (shape.test(path) ? methods : [])))].toSorted()
}

/** As the router has it: `:name` for one part of the path, `*` for any number. */
function shapeOf(url: string): RegExp {
  const shape = url.replaceAll('.', '\\.').replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${shape}$`)
}
