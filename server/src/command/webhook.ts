import { type Command, InvalidArgumentError } from 'commander'
import { idFrom, PROGRAM, toType } from '../settings/called-as.ts'
import { ACCOUNT_OPTION, namedAccount } from './named-account.ts'
import type { Dependencies } from '../services.ts'
import { invalidField } from '../errors.ts'
import { audit, NO_NETWORK } from '../audit/audit.ts'
import { loadInstallationSecret } from '../secrets/installation-secret.ts'
import { readUuid } from '../api/read-body.ts'
import { readEndpointChanges, readEndpointForm } from '../webhooks/endpoint-form.ts'
import {
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  listEndpoints,
  type NewSecret,
  requireEndpoint,
  rotateSecret,
  sendTest,
  updateEndpoint,
  type WebhookDependencies,
} from '../webhooks/endpoints.ts'
import { BOARDS, EVENT_TYPES } from '../webhooks/events.ts'
import { readLog, readLogQuery, readMessage, redeliver, redeliverFailed } from '../webhooks/log.ts'
import type { LoggedMessage } from '../webhooks/log.queries.ts'
import { inBlock } from './columns.ts'
import { OutputCommand, printDone, printList, printResult, printSecret } from './output.ts'
import { requireSecretOfService } from './secret-of-service.ts'
import type { WithDependencies } from './token.ts'
import { fault, wrongFormat } from '../texts/faults.ts'

const LISTED_ID = idFrom('webhook list')

interface FormOptions {
  url?: string
  description?: string
  events?: string
  space?: number[]
  starboard?: string[]
  credential?: string[]
  minPoints?: number
  top?: number
  boards?: string
}

/** `questboard webhook …`: webhooks and their delivery log (docs/webhooks.md). */
export function webhookCommand(withDependencies: WithDependencies): Command {
  const webhook = new OutputCommand('webhook')
  const run = (work: (deps: WebhookDependencies & Dependencies) => Promise<void>) =>
    withDependencies((deps) => work({ ...deps, secret: loadInstallationSecret(deps.config), note: noting(deps) }))

  withForm(webhook.command('create'), { showDefaults: true })
    .description('create a webhook; its secret is printed once and cannot be shown again')
    .option('--account <account>', ACCOUNT_OPTION, 'default')
    .action(({ account, ...options }: FormOptions & { account: string }) =>
      run(async (deps) => {
        await requireSecretOfService(deps)
        const accountId = await namedAccount(deps, account)
        const created = await createEndpoint(deps, accountId, readEndpointForm(formOf(options)), 'operator')
        showSecret(created)
      }),
    )

  webhook
    .command('list')
    .description('all webhooks')
    .action(() =>
      run(async (deps) => {
        printList(await listEndpoints(deps), {
          none: `No webhooks yet. ${toType('webhook create --url URL …')} creates one.`,
          lines: describe,
        })
      }),
    )

  withForm(webhook.command('update').argument('<id>', LISTED_ID), { showDefaults: false })
    .description('change a webhook; omitted options keep their values')
    .option('--enable', 'enable the webhook')
    .option('--disable', 'disable the webhook')
    .action((id: string, { enable, disable, ...options }: FormOptions & { enable?: true; disable?: true }) =>
      run(async (deps) => {
        if (enable && disable) throw invalidField('enable', 'and --disable exclude each other', fault('one_of_two'))
        const enabled = enable ? true : disable ? false : undefined
        const before = await find(deps, id)
        const changes = readEndpointChanges({ ...formOf(options), ...(enabled !== undefined && { enabled }) })
        const endpoint = await updateEndpoint(deps, before, changes, 'operator')
        printDone(endpoint, describe(endpoint))
      }),
    )

  webhook
    .command('delete')
    .argument('<id>', LISTED_ID)
    .description('delete a webhook with its log; pending messages are not sent')
    .action((id: string) =>
      run(async (deps) => {
        const endpoint = await find(deps, id)
        await deleteEndpoint(deps, endpoint)
        printDone({ id: endpoint.id, url: endpoint.url, deleted: true }, `Deleted the webhook to ${endpoint.url}.`)
      }),
    )

  webhook
    .command('rotate')
    .argument('<id>', LISTED_ID)
    .description('create a new secret, printed once; messages are also signed with the previous one for a day')
    .action((id: string) =>
      run(async (deps) => {
        await requireSecretOfService(deps)
        const rotated = await rotateSecret(deps, await find(deps, id))
        showSecret(rotated)
      }),
    )

  webhook
    .command('test')
    .argument('<id>', LISTED_ID)
    .description('send a test event; `deliveries` shows the result')
    .action((id: string) =>
      run(async (deps) => {
        const message = await sendTest(deps, await find(deps, id))
        printSecret(
          { webhook: id, message },
          message,
          `A running service sends the message; ${toType(`webhook deliveries ${id}`)} shows the result. The id of the message:`,
        )
      }),
    )

  webhook
    .command('deliveries')
    .argument('<id>', LISTED_ID)
    .argument('[message]', idFrom('webhook deliveries'))
    .description('the newest messages with their last attempts; or one message with all attempts')
    .option('--state <state>', 'only messages in this state: pending, delivered or failed')
    .option('--limit <number>', 'number of messages', '50')
    .action((id: string, message: string | undefined, options: { state?: string; limit: string }) =>
      run(async (deps) => {
        const endpoint = await find(deps, id)
        if (message !== undefined) return showMessage(await readMessage(deps, endpoint, message))
        const { deliveries } = await readLog(deps, endpoint, readLogQuery(options))
        printList(deliveries, { none: 'No deliveries.', lines: line })
      }),
    )

  webhook
    .command('redeliver')
    .argument('<id>', LISTED_ID)
    .argument('[message]', idFrom('webhook deliveries'))
    .description('send one message again, or all messages that failed since a time')
    .option('--since <time>', 'send all messages that failed since this time, such as 2026-11-21T12:00:00Z')
    .action((id: string, message: string | undefined, { since }: { since?: string }) =>
      run(async (deps) => {
        const endpoint = await find(deps, id)
        if ((message === undefined) === (since === undefined))
          throw invalidField(
            'message',
            message === undefined
              ? 'is missing; name a message, or --since'
              : 'and --since are both given; name one of them',
            fault('one_of_two'),
          )
        if (message !== undefined) await redeliver(deps, endpoint, message)
        const count = since === undefined ? 1 : await redeliverFailed(deps, endpoint, timeOf(since))
        printDone({ queued: count }, `${count} queued; a running service sends them at once.`)
      }),
    )

  return webhook
}

const noting = (deps: Dependencies): NonNullable<WebhookDependencies['note']> => {
  return (trx, event, { id, accountId }) =>
    audit(deps, { accountId, event, network: NO_NETWORK, details: { webhook: id, by: 'command' } }, trx)
}

/** @param showDefaults whether the help shows defaults: an update keeps the values of omitted options */
function withForm(command: Command, { showDefaults }: { showDefaults: boolean }): Command {
  const needed = showDefaults ? 'required; ' : ''
  const neededFor = (what: string) => (showDefaults ? `required for events of ${what}; ` : '')
  const byDefault = (value: string) => (showDefaults ? ` (default: ${value})` : '')
  const collect = <Value>(parse: (text: string) => Value) => {
    return (text: string, before: Value[] | undefined) => [...(before ?? []), parse(text)]
  }
  const whole = (text: string) => {
    if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
    return Number(text)
  }
  return command
    .option('--url <url>', `${needed}https URL that receives the events`)
    .option('--description <text>', 'description of the webhook')
    .option('--events <list>', `${needed}events to send, comma separated: ${EVENT_TYPES.join(',')}`)
    .option('--space <id>', `${neededFor('spaces')}only events of this space; may be repeated`, collect(whole))
    .option(
      '--starboard <id>',
      `${neededFor('starboards')}only events of this starboard; may be repeated`,
      collect(String),
    )
    .option(
      '--credential <id>',
      `${neededFor('credentials')}only events of this credential; may be repeated`,
      collect(String),
    )
    .option('--min-points <number>', `for points.awarded: minimum points of an award${byDefault('1')}`, whole)
    .option('--top <number>', `for rank.* events: how many top places to watch${byDefault('10')}`, whole)
    .option('--boards <which>', `for rank.* events: which boards of spaces: ${BOARDS.join(', ')}${byDefault('all')}`)
}

function formOf({ events, space, starboard, credential, ...rest }: FormOptions): object {
  return {
    ...rest,
    ...(events !== undefined && { events: events.split(',').map((event) => event.trim()) }),
    ...(space && { spaceIds: space }),
    ...(starboard && { starboardIds: starboard }),
    ...(credential && { credentialIds: credential }),
  }
}

function find(deps: WebhookDependencies, id: string): Promise<Endpoint> {
  return requireEndpoint(deps, readUuid(id, 'Webhook'))
}

function showSecret({ endpoint, secret }: NewSecret): void {
  printSecret(
    { ...endpoint, secret },
    secret,
    `${describe(endpoint)}\nKeep its secret now: it cannot be shown again.\nTo try it: ${PROGRAM} webhook test ${endpoint.id}`,
  )
}

function describe(endpoint: Endpoint): string {
  const { id, url, description, events, minPoints, top, boards, failingSince, disabledReason } = endpoint
  const about = [
    ...endpoint.spaceIds.map((space) => `space ${space}`),
    ...endpoint.starboardIds.map((starboard) => `starboard ${starboard}`),
    ...endpoint.credentialIds.map((credential) => `credential ${credential}`),
  ]
  const state =
    disabledReason !== null
      ? `disabled: ${disabledReason}`
      : failingSince
        ? `failing since ${iso(failingSince)}`
        : 'enabled'
  const limits = [`at least ${minPoints} points`, `top ${top}`, `boards ${boards}`]
  return inBlock(
    [id, url, ...(description === '' ? [] : [description])],
    [...events, about.join(', '), limits.join(', '), state],
  )
}

function line({ id, event, state, createdAt, attempts, lastStatus, lastError, nextAttemptAt }: LoggedMessage): string {
  const last = lastError ?? (lastStatus === null ? 'not sent yet' : `status ${lastStatus}`)
  const next = nextAttemptAt ? `next ${iso(nextAttemptAt)}` : ''
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return inBlock([id, iso(createdAt), event, state], [tries, last, next])
}

function showMessage({ payload, log, ...message }: Awaited<ReturnType<typeof readMessage>>): void {
  const attempts = log.flatMap(({ attempt, startedAt, durationMs, status, error, response }) => [
    `    ${attempt}  ${iso(startedAt)}  ${durationMs} ms  ${error ?? `status ${status}`}`,
    ...(response === '' ? [] : [`       ${JSON.stringify(response)}`]),
  ])
  printResult({ ...message, payload, log }, [line(message), ...attempts, payload].join('\n'))
}

function timeOf(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw invalidField('since', 'must be a time such as 2026-11-21T12:00:00Z', wrongFormat('time'))
  return time
}

function iso(date: Date): string {
  return date.toISOString().slice(0, 19) + 'Z'
}
