import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import type { Outgoing, Sender } from '../outgoing/outgoing.ts'
import { type InstallationSecret, loadInstallationSecret } from '../secrets/installation-secret.ts'
import type { SealedStore } from '../secrets/resealing.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { Random } from '../random.ts'
import { concealed, kindOf, parseSource, type Source } from './source.ts'
import { listSources, replaceSource } from './sources.queries.ts'

/** Headers and URLs of a source often carry a key, so that a source is stored encrypted. */
const PURPOSE = 'sources'

/** The stored form: the kind and the host are readable. Sources of older versions are stored in clear text. */
export interface StoredSource {
  kind: string
  host: string
  sealed: string
  /** Requests go to public hosts only, because no operator set the source. */
  publicOnly?: boolean | undefined
}

const storedShape = z.object({
  kind: z.string(),
  host: z.string(),
  sealed: z.base64(),
  publicOnly: z.boolean().optional(),
})
const clearShape = z.object({ kind: z.string(), url: z.string().optional(), rpcUrl: z.string().optional() })

export type SealingSettings = Pick<Config, 'secret' | 'otherSecrets' | 'dataDir'>

const label = (credentialId: string) => `source of ${credentialId}`

export function sealSource(
  { config, random }: { config: SealingSettings; random: Random },
  credentialId: string,
  source: Source,
  { publicOnly = false } = {},
): StoredSource {
  const key = loadInstallationSecret(config).key(PURPOSE)
  const sealed = seal(key, label(credentialId), Buffer.from(JSON.stringify(concealed(source, random))), random)
  const shown = { kind: source.kind, host: kindOf(source.kind).host(source) }
  return { ...shown, sealed: sealed.toString('base64'), ...(publicOnly && { publicOnly }) }
}

/** Whether a stored source may use public hosts only. */
export const isPublicOnly = (stored: unknown): boolean => storedShape.safeParse(stored).data?.publicOnly ?? false

export const senderFor = (outgoing: Outgoing, { kind }: Source, { publicOnly }: { publicOnly: boolean }): Sender =>
  publicOnly && !kindOf(kind).platform ? outgoing.publicOnly : outgoing

/** The source was encrypted with an unknown secret. The message is for the operator. */
export class UnreadableSourceError extends Error {
  override name = 'UnreadableSourceError'
}

/** @throws UnreadableSourceError, SourceRefusedError */
export function openSource(secret: InstallationSecret, credentialId: string, stored: unknown): Source {
  const { data } = storedShape.safeParse(stored)
  if (!data) return parseSource(stored)
  let text: Buffer
  try {
    text = unseal(secret.keys(PURPOSE), label(credentialId), Buffer.from(data.sealed, 'base64'))
  } catch (error) {
    throw new UnreadableSourceError(
      `The source of the credential ${credentialId} was encrypted with another QUESTBOARD_SECRET: restore that setting, or set the source again`,
      { cause: error },
    )
  }
  return parseSource(JSON.parse(text.toString()))
}

/** The public parts of a source, stored or not: its kind and its host. */
export function shownSource(source: unknown): Pick<StoredSource, 'kind' | 'host'> {
  const stored = storedShape.safeParse(source)
  if (stored.success) return { kind: stored.data.kind, host: stored.data.host }
  const { kind, url, rpcUrl } = clearShape.parse(source)
  return { kind, host: URL.parse(url ?? rpcUrl ?? '')?.host ?? '' }
}

/** All sources, for sealing them again; sources in clear text are sealed then. */
export function sealedSources({ database }: { database: Pick<Database, 'kysely'> }): SealedStore {
  return {
    name: 'sources',
    purpose: PURPOSE,
    list: async () =>
      (await listSources(database.kysely)).map(({ credentialId, source }) => {
        const { data } = storedShape.safeParse(source)
        return {
          name: `of the credential ${credentialId}`,
          label: label(credentialId),
          sealed: Buffer.from(data?.sealed ?? '', 'base64'),
          ...(!data && { clear: Buffer.from(JSON.stringify(source)) }),
          replace: (anew) => {
            const publicOnly = isPublicOnly(source) && { publicOnly: true }
            const stored = { ...shownSource(source), sealed: anew.toString('base64'), ...publicOnly }
            return replaceSource(database.kysely, credentialId, source, stored)
          },
        }
      }),
  }
}
