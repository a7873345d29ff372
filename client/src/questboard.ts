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
  /** The operation to run, in a document with several. */
  operationName?: string
  /** The cache lifetime of the response in milliseconds. Default 0: not cached. */
  cacheMs?: number
}

/** Variables are optional if the document needs none. */
type QueryArguments<Variables> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: QueryOptions]
    : [variables: Variables, options?: QueryOptions]

/** A client of a Questboard service. All methods fail with QuestboardError. */
export interface Questboard {
  starboard(id: string | number): StarboardReader
  space(id: string | number): SpaceReader
  credential(id: string | number | bigint): CredentialReader
  quest(id: string | number): QuestReader
  /** All quests that match the filter. */
  quests(filter?: QuestFilter, options?: ListOptions): List<QuestInfo, QuestPage>
  /** One page of quests; `after` is the `pageInfo.endCursor` of the previous page, if the service supports it. */
  questPage(filter?: QuestFilter & { after?: string | null }, options?: RequestOptions): Promise<QuestPage>
  /** One page of a space's loyalty points board, by the root field. */
  spaceLoyaltyPointsRanks(
    options: { spaceId: number } & Omit<LoyaltyPointsOptions, 'cursorBefore'>,
  ): Promise<LoyaltyPointsPage>
  /** Sends a document with types from a code generator. */
  query<Data, Variables = AnyData>(
    document: TypedDocument<Data, Variables> & object,
    ...rest: QueryArguments<Variables>
  ): Promise<Data>
  /** Sends a document as text, with the type of its data as a type argument: `query<Data>(text)`. */
  query<Data = never>(
    document: [Data] extends [never] ? never : string,
    variables?: AnyData,
    options?: QueryOptions,
  ): Promise<Data>
  /** Sends a document as text. If the text is a literal, the types of data and variables are derived from it. */
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
