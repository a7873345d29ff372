import { Argument, type Command, Option } from 'commander'
import { findAccountName } from '../accounts/account.queries.ts'
import { ApiError } from '../errors.ts'
import { createServices } from '../services.ts'
import { type App, type AppFilter, listApps, subjectTypes } from '../oauth/app.queries.ts'
import { readBody } from '../api/read-body.ts'
import { applicationShape, checkApplication } from '../oauth/app-form.ts'
import { type AppDecision, applyForApp, decideApp, isDecided, issueSecret, requireApp } from '../oauth/apps.ts'
import { idFrom, toType } from '../settings/called-as.ts'
import { allScopes } from '../settings/scopes.ts'
import { inBlock } from './columns.ts'
import { hint, OutputCommand, printDone, printList, printResult, printSecret } from './output.ts'
import type { WithDependencies } from './token.ts'

interface ApplyOptions {
  owner: string
  name: string
  purpose: string
  homepage: string
  redirectUri: string[]
  scopes: string
  origin: string[]
  postLogoutRedirectUri: string[]
  backchannelLogoutUri?: string
  expiringTokens: boolean
  s256Only: boolean
  publicClient: boolean
  subjectType: string
}

const LISTED_ID = idFrom('app list')

const collect = (value: string, before: string[]) => [...before, value]

/** `questboard app …`: apps that sign users in (docs/oauth.md). */
export function appCommand(withDependencies: WithDependencies): Command {
  const app = new OutputCommand('app')

  app
    .command('list')
    .description('all apps')
    .addOption(
      new Option('--status <status>', 'only apps with this status; waiting: pending, or with proposed changes').choices(
        ['waiting', 'pending', 'approved', 'refused', 'suspended'],
      ),
    )
    .action(({ status }: { status?: AppFilter }) =>
      withDependencies(async ({ database }) => {
        const apps = await listApps(database, status === undefined ? {} : { status })
        printList(apps, { none: 'No apps.', lines: block })
      }),
    )

  app
    .command('apply')
    .description('register an app for an account; an operator then reviews it')
    .requiredOption('--owner <account id>', `id of the account that owns the app: ${toType('account list')}`)
    .requiredOption('--name <name>', 'name that users see')
    .requiredOption('--purpose <text>', 'purpose of the app, for the operator')
    .requiredOption('--redirect-uri <uri>', 'URI that users return to; may be repeated', collect, [])
    .option('--homepage <url>', 'https address of the app', '')
    .option('--scopes <list>', `scopes that it may request, comma separated: ${allScopes.join(',')}`, '')
    .option('--origin <origin>', 'origin whose scripts may call the token endpoint; may be repeated', collect, [])
    .option('--post-logout-redirect-uri <uri>', 'URI for users who signed out; may be repeated', collect, [])
    .option('--backchannel-logout-uri <uri>', 'URI that receives a logout token when a session of a user ends')
    .option('--expiring-tokens', 'access tokens expire after a day and have a refresh token', false)
    .option('--s256-only', 'require PKCE with S256', true)
    .option('--no-s256-only', 'also accept sign-ins without PKCE, for clients that do not send it')
    .option('--public-client', 'the app has no server and no secret; requires --expiring-tokens', false)
    .addOption(
      new Option('--subject-type <type>', 'pairwise: apps at different hosts get a different `sub` for the same user')
        .choices(subjectTypes)
        .default('public'),
    )
    .action((options: ApplyOptions) =>
      withDependencies(async (deps) => {
        if ((await findOwner(deps.database.kysely, options.owner)) === undefined)
          throw new ApiError(
            'not_found',
            `No account has the id "${options.owner}". \`questboard account list\` lists the accounts.`,
          )
        const { owner, redirectUri, origin, postLogoutRedirectUri, scopes, ...rest } = options
        const form = readBody(applicationShape, {
          ...rest,
          redirectUris: redirectUri,
          allowedOrigins: origin,
          postLogoutRedirectUris: postLogoutRedirectUri,
          scopes: scopes.split(',').flatMap((scope) => (scope.trim() === '' ? [] : [scope.trim()])),
        })
        const aliases = deps.config.identity.serviceIdAliases
        const applied = await applyForApp(createServices(deps), owner, checkApplication(form, aliases))
        printResult(applied, block(applied))
      }),
    )

  for (const [decision, description] of Object.entries(decisions) as [AppDecision, string][])
    app
      .command(decision)
      .description(description)
      .addArgument(new Argument('<client id>', LISTED_ID))
      .option('--reason <text>', 'shown to the owner', '')
      .option('--revision <number>', 'fail if the owner has changed the app since this revision', Number)
      .action((clientId: string, options: { reason: string; revision?: number }) =>
        withDependencies(async (deps) => {
          const services = createServices(deps)
          const found = await requireApp(services, clientId)
          if (isDecided(found, decision) && (options.revision ?? found.revision) === found.revision)
            return printDone(found, `The app is already ${found.status}; nothing was changed.`)
          for (const [name, value] of Object.entries(reviewedFields(found))) hint(`${name}: ${value}`)
          const revision = options.revision ?? (isApproval(decision) ? found.revision : undefined)
          const decided = await decideApp(services, clientId, decision, { reason: options.reason, revision })
          printDone(decided, block(decided))
        }),
      )

  app
    .command('secret')
    .description('create a new secret, printed once; the previous one ends after a day')
    .addArgument(new Argument('<client id>', LISTED_ID))
    .action((clientId: string) =>
      withDependencies(async (deps) => {
        const services = createServices(deps)
        const found = await requireApp(services, clientId)
        if (found.status !== 'approved') throw notApproved(found)
        const { secret } = await issueSecret(services, found)
        printSecret({ clientId, secret }, secret, 'Keep this secret now: it is not stored and cannot be shown again.')
      }),
    )

  return app
}

const decisions: Record<AppDecision, string> = {
  approve: 'let an app sign users in',
  refuse: 'reject an app',
  suspend: 'stop an app at once: its sign-ins and all its tokens',
  resume: 'end a suspension; tokens that have not expired work again',
  'accept-changes': 'accept the changes that the owner of an approved app proposes',
  'refuse-changes': 'refuse the changes that the owner of an approved app proposes',
}

function notApproved({ clientId, status }: App): ApiError {
  const decision = status === 'suspended' ? 'resume' : 'approve'
  return new ApiError(
    'app_not_approved',
    `The app is ${status}, and only approved apps can have secrets. Run \`questboard app ${decision} ${clientId}\` first.`,
  )
}

const isApproval = (decision: AppDecision) => decision === 'approve' || decision === 'accept-changes'

function findOwner(kysely: Parameters<typeof findAccountName>[0], accountId: string): Promise<string | undefined> {
  const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(accountId)
  return isUuid ? findAccountName(kysely, accountId) : Promise.resolve(undefined)
}

const text = (value: string | string[]) => (Array.isArray(value) ? value.join(' ') : value)

/** The fields of an app that an operator sees before a decision. */
const reviewedFields = (app: App) => ({
  name: app.name,
  homepage: app.homepage,
  purpose: app.purpose,
  'redirect URIs': app.redirectUris.join(' '),
  ...(app.proposedRedirectUris && { 'proposed redirect URIs': app.proposedRedirectUris.join(' ') }),
  ...(app.backchannelLogoutUri !== null && { 'back-channel logout URI': app.backchannelLogoutUri }),
  ...(app.proposedBackchannelLogoutUri !== null && {
    'proposed back-channel logout URI': app.proposedBackchannelLogoutUri,
  }),
  scopes: app.scopes.join(' '),
  kind: app.publicClient ? 'without a server (public client)' : 'with a server',
  'subject type': app.subjectType,
  ...(app.metadataUrl !== null && { 'metadata document': app.metadataUrl }),
  logo: app.hasLogo ? `/app-logos/${app.clientId}` : 'none',
  ...Object.fromEntries(
    Object.entries(app.proposedDetails ?? {}).map(([field, value]) => [`proposed ${field}`, text(value)]),
  ),
  ...(app.hasProposedLogo && { 'proposed logo': `/api/apps/${app.clientId}/proposed-logo` }),
  revision: app.revision,
})

function block(app: App): string {
  const { clientId, status, name, redirectUris, scopes, revision } = app
  const proposed = [
    ...(app.proposedRedirectUris ?? []),
    ...(app.proposedBackchannelLogoutUri === null ? [] : [app.proposedBackchannelLogoutUri]),
    ...Object.entries(app.proposedDetails ?? {}).map(([field, value]) => `${field}: ${text(value)}`),
    ...(app.hasProposedLogo ? ['a logo'] : []),
  ]
  const waiting = proposed.map((change) => `proposes ${change}`)
  const document = app.metadataUrl === null ? [] : [app.metadataUrl]
  return inBlock(
    [clientId, status, name],
    [...document, ...redirectUris, scopes.join(','), `revision ${revision}`, ...waiting],
  )
}
