import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isOperator } from '../accounts/account.queries.ts'
import { FRESH_SIGN_IN } from '../lifetimes.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { sessionOf } from '../sessions/session.ts'
import type { SessionRecord } from '../sessions/session.queries.ts'
import { withActor, type RequestServices, type SessionServices } from '../sessions/with-account.ts'
import type { Services } from '../services.ts'
import { freshSignInRequired, operatorRequired, signInRequired } from '../errors.ts'
import { isFromForeignPage, requireOwnPage } from './foreign-pages.ts'
import { createAdmission } from './large-body.ts'
import type { ApiOperation } from './openapi-document.ts'
import { checkNames, type ParamsOf, readParams } from './parameters.ts'
import { readBody } from './read-body.ts'
import { needsCsrf, operationOf, type RequestBody, type RouteDescription } from './route-description.ts'

/** The caller of a route, after the authentication that the route requires. */
export type Caller<R extends RouteDescription = RouteDescription> = {
  /** Contains `actor` if the route requires a session. Changes then check again that the session has not ended. */
  services: R['who'] extends 'anyone' ? RequestServices : SessionServices
  request: FastifyRequest
  network: string
  params: ParamsOf<R['params']>
} & (R['who'] extends 'anyone' ? AnyCaller : AccountCaller)

export interface AnyCaller {
  /**
   * Used by routes where only some requests need a session.
   * @throws ApiError sign_in_required, fresh_sign_in_required
   */
  authenticate: (demand?: { recentSignIn?: boolean }) => Promise<SessionRecord>
}

export interface AccountCaller {
  session: SessionRecord
  accountId: string
  /** Used by routes where only some requests need a recent sign-in. @throws ApiError fresh_sign_in_required */
  checkRecentSignIn: () => void
}

/** The argument of a handler: the caller, and the validated parts of the request that the description declares. */
export type Call<R extends RouteDescription> = Caller<R> & {
  reply: FastifyReply
  resource: R extends { resource: (caller: never) => Promise<infer T> } ? T : undefined
  query: R extends { readQuery: (query: Record<string, unknown>, params: never) => infer T } ? T : undefined
  /** Whether a page of another origin sent the browser here. */
  isFromForeignPage: R extends { ownPages: object } ? boolean : undefined
  body: R extends { body: infer B } ? BodyOf<B> : undefined
  /** Aborts after the timeout of a large body. */
  deadline: R extends { largeBody: object } ? AbortSignal : undefined
}

type BodyOf<B> = B extends z.ZodType<infer T> ? T : B extends RequestBody<infer T> ? T : undefined

/** Requires that the function `resource` of a description accepts the caller of the same route. */
type WithResource<R extends RouteDescription> = R extends { resource: unknown }
  ? { resource: (caller: Caller<R>) => Promise<unknown> }
  : unknown

/** Requires that the function `readQuery` of a description accepts the parameters of the path of the same route. */
type WithReadQuery<R extends RouteDescription> = R extends { readQuery: unknown }
  ? { readQuery: (query: Record<string, unknown>, params: ParamsOf<R['params']>) => unknown }
  : unknown

/** Requires that the function `only` of `ownPages` accepts the query of the same route. */
type WithOwnPages<R extends RouteDescription> = R extends { ownPages: unknown; readQuery: (query: never) => infer Q }
  ? { ownPages: { only: (query: Q) => boolean } }
  : unknown

/**
 * Registers a route. The handler runs after these checks, in this order: CSRF token, session, operator, recent sign-in,
 * path parameters, resource, query, pages, body.
 */
export function route<const R extends RouteDescription>(
  scope: FastifyInstance,
  services: Services,
  description: R & WithResource<R> & WithReadQuery<R> & WithOwnPages<R>,
  handler: (call: Call<R>) => unknown,
): void {
  const { method, path: url, head = true, answer, readQuery, ownPages, largeBody } = description
  checkNames(description)
  // These casts are safe, but TypeScript cannot verify them in a function that is generic in R.
  const resource = description.resource as ((caller: object) => Promise<unknown>) | undefined
  const read = readQuery as ((query: Record<string, unknown>, params: object) => unknown) | undefined
  const handle = handler as (call: object) => unknown
  const check = async (request: FastifyRequest) => {
    if (needsCsrf(description)) checkCsrf(services, request)
    const { network } = request
    const caller = { ...(await callerOf(services, request, description)), request, network, params: {} }
    caller.params = readParams(description, request.params)
    return { ...caller, resource: await resource?.(caller) }
  }
  const admission = largeBody && createAdmission(largeBody, check)
  let operation: ApiOperation | undefined
  scope.route({
    method,
    url,
    exposeHeadRoute: method === 'GET' && head,
    // The JSON Schemas of all routes take 4 MB, so they are generated when a document needs them.
    config: { api: () => (operation ??= operationOf(description)) },
    ...(admission &&
      largeBody && {
        bodyLimit: largeBody.bytes,
        handlerTimeout: largeBody.timeout,
        onRequest: (request, reply) => admission.admit(request, reply),
      }),
    async handler(request, reply) {
      const respond = async (caller: { params: object }, deadline?: AbortSignal) => {
        const query = read?.(request.query as Record<string, unknown>, caller.params)
        if (ownPages?.only(query as never)) requireOwnPage(services, request, ownPages.message)
        const body = bodyOf(description, request.body)
        void reply.code(answer.status ?? 200)
        const fromForeignPage = ownPages && isFromForeignPage(request)
        return handle({ ...caller, reply, query, isFromForeignPage: fromForeignPage, body, deadline })
      }
      return admission ? admission.run(request, respond) : respond(await check(request))
    },
  })
}

async function callerOf(
  services: Services,
  request: FastifyRequest,
  demand: RouteDescription,
): Promise<{ services: RequestServices } & (AnyCaller | AccountCaller)> {
  if (demand.who === 'anyone')
    return { services, authenticate: (needed = {}) => authenticate(services, request, { who: 'account', ...needed }) }
  const session = await authenticate(services, request, demand)
  return {
    services: withActor(services, request, session),
    session,
    accountId: session.accountId,
    checkRecentSignIn: () => checkRecentSignIn(services, session),
  }
}

/** @throws ApiError sign_in_required, permission_denied, fresh_sign_in_required */
async function authenticate(
  services: Services,
  request: FastifyRequest,
  { who, recentSignIn = false }: Pick<RouteDescription, 'who' | 'recentSignIn'>,
): Promise<SessionRecord> {
  const session = await sessionOf(services, request)
  if (!session) throw signInRequired()
  if (who === 'operator' && !(await isOperator(services.database.kysely, session.accountId))) throw operatorRequired()
  if (recentSignIn) checkRecentSignIn(services, session)
  return session
}

function checkRecentSignIn({ clock }: Services, { authenticatedAt }: SessionRecord): void {
  if (clock.now() - authenticatedAt.getTime() > FRESH_SIGN_IN) throw freshSignInRequired()
}

function bodyOf({ body }: RouteDescription, sent: unknown): unknown {
  if (body === undefined) return undefined
  return body instanceof z.ZodType ? readBody(body, sent) : body.read(sent)
}
