import { type Connection, createConnection } from './connection.ts'
import { type CredentialReader, readCredential } from './credential.ts'
import type { AnyData, ResultOf, TypedDocument, VariablesOf } from './document-types.ts'
import { decideSettings, type QuestboardOptions, type RequestOptions } from './options.ts'
import type { List, ListOptions } from './paging.ts'
import { type QuestReader, readQuest } from './quest.ts'
import { type QuestFilter, questList, type QuestPage, questPage } from './quest-list.ts'
import type { QuestInfo } from './quest.ts'
import {
  type LoyaltyPointsOptions,
  type LoyaltyPointsPage,
  readSpace,
  spaceLoyaltyPointsRanks,
  type SpaceReader,
} from './space.ts'
import { readStarboard, type StarboardReader } from './starboard.ts'

export interface QueryOptions extends RequestOptions {
  /** Which operation to run, in a document with several. */
  operationName?: string
  /** How long to use the answer again, in milliseconds. Default 0: every time asks anew. */
  cacheMs?: number
}

/** Variables may be left out when a document needs none. */
type QueryArguments<Variables> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: QueryOptions]
    : [variables: Variables, options?: QueryOptions]

/** A service that speaks the Questboard interface. Every method fails with a QuestboardError. */
export interface Questboard {
  starboard(id: string | number): StarboardReader
  space(id: string | number): SpaceReader
  credential(id: string | number | bigint): CredentialReader
  quest(id: string | number): QuestReader
  /** All quests that pass the filter. */
  quests(filter?: QuestFilter, options?: ListOptions): List<QuestInfo, QuestPage>
  /** One page of quests; `after` is the `pageInfo.endCursor` of the page before, where the service takes one. */
  questPage(filter?: QuestFilter & { after?: string | null }, options?: RequestOptions): Promise<QuestPage>
  /** One page of a space's loyalty points board, by the root field. */
  spaceLoyaltyPointsRanks(
    options: { spaceId: number } & Omit<LoyaltyPointsOptions, 'cursorBefore'>,
  ): Promise<LoyaltyPointsPage>
  /** Sends a document that carries the types of its data and variables, as code generators make them. */
  query<Data, Variables = AnyData>(
    document: TypedDocument<Data, Variables> & object,
    ...rest: QueryArguments<Variables>
  ): Promise<Data>
  /** Sends a document as text, with the type of its data given by the caller: `query<Data>(text)`. */
  query<Data = never>(
    document: [Data] extends [never] ? never : string,
    variables?: AnyData,
    options?: QueryOptions,
  ): Promise<Data>
  /** Sends a document as text. The types of its data and variables are read from the text, where it is a literal. */
  query<const Text extends string>(document: Text, ...rest: QueryArguments<VariablesOf<Text>>): Promise<ResultOf<Text>>
}

/**
 * Opens a client.
 * @throws TypeError when an option cannot be right
 * @example
 * const questboard = createQuestboard({ baseUrl: 'https://api.example.com', accessToken: process.env.QUESTBOARD_TOKEN })
 * for await (const member of questboard.space(40).members()) console.log(member.rank, member.points)
 */
export function createQuestboard(options: QuestboardOptions): Questboard {
  const connection: Connection = createConnection(decideSettings(options))
  return {
    starboard: (id) => readStarboard(connection, id),
    space: (id) => readSpace(connection, id),
    credential: (id) => readCredential(connection, id),
    quest: (id) => readQuest(connection, id),
    quests: (filter = {}, listOptions = {}) => questList(connection, filter, listOptions),
    questPage: (filter = {}, requestOptions) => questPage(connection, filter, requestOptions),
    spaceLoyaltyPointsRanks: (ranksOptions) => spaceLoyaltyPointsRanks(connection, ranksOptions),
    async query(document: string | TypedDocument<unknown, unknown>, variables?: object, queryOptions?: QueryOptions) {
      const { operationName, cacheMs = 0, ...requestOptions } = queryOptions ?? {}
      const question = { query: String(document), variables, operationName }
      return connection.send(question, cacheMs, requestOptions) as Promise<never>
    },
  }
}
