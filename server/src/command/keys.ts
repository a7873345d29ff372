import type { Command } from 'commander'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { toType } from '../settings/called-as.ts'
import { createServices, type Dependencies } from '../services.ts'
import { addToSecretFile, newSecret, secretSource } from '../secrets/installation-secret.ts'
import { countAllSealed } from '../doctor/sealed.ts'
import { readSealing, sayBehind, type SealingProcess } from '../doctor/sealing-processes.queries.ts'
import { audit, INSTALLATION, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'
import type { SealedCount } from '../secrets/resealing.ts'
import { listSigningKeys } from '../oauth/signing-key.queries.ts'
import { rotateSigningKey, withEnds } from '../oauth/signing-keys.ts'
import { hint, OutputCommand, printResult, printSecret } from './output.ts'
import { requireSecretOfService } from './secret-of-service.ts'
import type { WithDependencies } from './token.ts'

const NONE_SEEN =
  'No running process of the service was found; processes behind a connection pooler cannot be found. If a process runs with another secret, restart it: it cannot decrypt the values that this command encrypts.'

const KEPT = 'there is nothing else to do'
const WITHDRAWN = 'apps that cache the published keys reject the old ones after their next refresh'

const STEPS = `A new secret; nothing has changed yet. The steps:
  1. Add the value below to QUESTBOARD_OTHER_SECRETS of every instance of the service, and restart them.
  2. Put the value into QUESTBOARD_SECRET, and the current secret into QUESTBOARD_OTHER_SECRETS. Restart every instance.
  3. Run ${toType('keys reseal')}. The old secret is then no longer needed.`

/** Some values were encrypted with an unknown secret. */
export class LostKeysError extends Error {
  override name = 'LostKeysError'
}

/** Continuing would break a running process of the service. */
export class NotResealedError extends Error {
  override name = 'NotResealedError'
}

/** `questboard keys …`: lists and rotates the keys of the installation (docs/security.md, "Keys"). */
export function keysCommand(withDependencies: WithDependencies): Command {
  const keys = new OutputCommand('keys')

  keys
    .command('status')
    .description(
      'count the values that are encrypted with the current secret and with others; list the signing keys, and the running processes that use another secret',
    )
    .action(() =>
      withDependencies(async (deps) => {
        const signingKeys = withEnds(await listSigningKeys(deps.database)).map(({ keyId, createdAt, endsAt }) => ({
          keyId,
          createdAt,
          endsAt,
        }))
        const lines = signingKeys.map(
          ({ keyId, createdAt, endsAt }) =>
            `signing key ${keyId}, made ${createdAt.toISOString()}${endsAt ? `, published until ${endsAt.toISOString()}` : ''}`,
        )
        report({ signingKeys }, lines, await countAllSealed(createServices(deps)), await runningInstances(deps))
      }),
    )

  keys
    .command('rotate-signing-key')
    .description(
      'create a new key for id_tokens, logout tokens and statements; the previous key stays published for two days',
    )
    .option('--withdraw-others', 'for a leaked key: makes all earlier id_tokens, logout tokens and statements invalid')
    .action(({ withdrawOthers = false }: { withdrawOthers?: boolean }) =>
      withDependencies(async (deps) => {
        await requireSecretOfService(deps)
        const { keyId } = await rotateSigningKey(createServices(deps), {
          withdrawOthers,
          note: (transaction, made) =>
            note(
              deps,
              'keys.signing-key-rotated',
              { keyId: made, ...(withdrawOthers && { others: 'withdrawn' }) },
              transaction,
            ),
        })
        const next = withdrawOthers ? WITHDRAWN : KEPT
        printSecret({ keyId }, keyId, `The id of the new signing key; ${next}:`)
      }),
    )

  keys
    .command('new-secret')
    .description(
      'create a new installation secret. If the secret is in a file, the command adds the new one to the file. If it is in QUESTBOARD_SECRET, the command prints a new one and changes nothing',
    )
    .action(() =>
      withDependencies(async (deps) => {
        const { config, random } = deps
        if (secretSource(config) === 'QUESTBOARD_SECRET') {
          const secret = newSecret(random)
          return printSecret({ secret }, secret, STEPS)
        }
        // Writes the audit entry first, so that no secret is created without one.
        const path = await deps.database.kysely.transaction().execute(async (transaction) => {
          await note(deps, 'keys.secret-made', {}, transaction)
          return addToSecretFile(config.dataDir, random)
        })
        const steps = `Restart the service, then run ${toType('keys reseal')}. The old secret is the next line of:`
        printSecret({ file: path }, path, steps)
      }),
    )

  keys
    .command('reseal')
    .description('encrypt all values with the current secret, so that other secrets are no longer needed')
    .option('--force', 'encrypt even if a running process uses another secret')
    .action(({ force }: { force?: true }) =>
      withDependencies(async (deps) => {
        const running = await runningInstances(deps)
        const behind = sayBehind(running)
        if (behind !== '' && !force)
          throw new NotResealedError(
            `Nothing was resealed: a running process of the service uses another secret (${behind}). It may be unable to decrypt the values. Restart it with the current secret and repeat this command, or use --force. If the secret of this command is wrong, run it with the settings of the service.`,
          )
        if (running.length === 0) hint(NONE_SEEN)
        const before = await countAllSealed(createServices(deps))
        await countAllSealed(createServices(deps), { reseal: true })
        const resealed = before.reduce((sum, { other }) => sum + other, 0)
        if (resealed > 0)
          await deps.database.kysely
            .transaction()
            .execute((transaction) => note(deps, 'keys.resealed', { values: String(resealed) }, transaction))
        // Includes values and processes that are new since the first count.
        report({ resealed }, [], await countAllSealed(createServices(deps)), await runningInstances(deps))
      }),
    )

  return keys
}

const note = (
  deps: Dependencies,
  event: SecurityEvent,
  details: Record<string, string>,
  transaction: Transaction<DB>,
) =>
  audit(
    deps,
    { accountId: INSTALLATION, event, network: NO_NETWORK, details: { ...details, by: 'command' } },
    transaction,
  )

const runningInstances = (deps: Dependencies) => readSealing(deps.database.kysely, createServices(deps).secret)

/** @throws LostKeysError */
function report(
  record: object,
  lines: readonly string[],
  counts: SealedCount[],
  running: readonly SealingProcess[],
): void {
  const sealed = counts.map(
    ({ name, current, other, lost }) =>
      `${name}: ${current} with the current secret, ${other} with another known secret, ${lost.length} with an unknown secret`,
  )
  const needed = conclusion(counts, sayBehind(running))
  const lost = counts.flatMap(({ name, lost: names }) => names.map((which) => `  ${name}: ${which}`))
  printResult(
    { ...record, sealed: counts, conclusion: needed },
    [...lines, ...sealed, ...(lost.length > 0 ? [] : [needed])].join('\n'),
  )
  if (lost.length > 0)
    throw new LostKeysError(
      `These values were encrypted with an unknown secret; add it to QUESTBOARD_OTHER_SECRETS:\n${lost.join('\n')}`,
    )
}

function conclusion(counts: readonly SealedCount[], behind: string): string {
  const needed = 'The other secrets are still needed'
  const reseal = toType('keys reseal')
  if (behind !== '')
    return `${needed}: a running process of the service uses another secret (${behind}). Restart it with the current secret, then run ${reseal}.`
  if (counts.some(({ other }) => other > 0)) return `${needed}: run ${reseal}.`
  return 'Only the current secret is needed.'
}
