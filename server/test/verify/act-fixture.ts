import { setSource } from '../../src/sync/set-source.ts'
import { type Member, startMemberQuests } from '../claims/member-fixture.ts'

export const QUIZ = {
  kind: 'QUIZ',
  questions: [
    { question: 'Which chain?', type: 'single', options: ['Ethereum', 'Solana', 'Sei'], answers: ['Sei'] },
    { question: 'Which are prime?', type: 'several', options: ['2', '3', '4'], answers: ['2', '3'] },
    { question: 'Who founded it?', type: 'text', answers: ['Ada Lovelace', 'Ada'] },
  ],
  passMark: 2,
}
export const RIGHT = [['Sei'], ['3', '2'], [' ada ']]
export const WRONG = [['Solana'], ['2'], ['Ada']]
export const TARGET = 'https://example.org/welcome?from=quest'

/** Quests with one condition that members meet by an act. */
export async function startActs() {
  const quests = await startMemberQuests()
  const { service } = quests
  let next = 7700
  return {
    ...quests,
    questOn: async (source: object, about: object = {}): Promise<{ questId: string; credentialId: string }> => {
      const credentialId = String(next++)
      const questId = `GCact${credentialId}`
      const credSource = (source as { kind: string }).kind
      await quests.credential(credentialId, [], { credSource, ...about })
      await setSource(service.services, credentialId, source)
      await quests.quest(questId, { credentialGroups: [quests.group('ALL', credentialId)] })
      return { questId, credentialId }
    },
    holders: async (credentialId: string): Promise<string[]> => {
      const rows = await service.database.query<{ address: string; item_count: number }>(
        `SELECT h.address, c.item_count FROM credentials c JOIN credential_holders h
           ON h.credential_id = c.credential_id AND h.generation = c.generation
         WHERE c.credential_id = $1 ORDER BY h.address`,
        [credentialId],
      )
      if (rows.some((row) => row.item_count !== rows.length)) throw new Error('item_count differs from the list')
      return rows.map(({ address }) => address)
    },
  }
}

export interface Asked {
  questId: string
  credentialId: string
}

export const pathOf = ({ questId, credentialId }: Asked) => `/api/quests/${questId}/quizzes/${credentialId}`

export async function versionOf({ browser }: Pick<Member, 'browser'>, asked: Asked): Promise<string> {
  return (await browser.get(pathOf(asked))).json<{ version: string }>().version
}

export async function answer(who: Pick<Member, 'browser'>, asked: Asked, answers: unknown, more: object = {}) {
  const version = await versionOf(who, asked)
  return who.browser.call('POST', `${pathOf(asked)}/attempts`, { version, answers, ...more })
}

export const errorOf = (response: { statusCode: number; json: <T>() => T }) => {
  const { code, field } = response.json<{ error: { code: string; field?: string } }>().error
  return [response.statusCode, code, ...(field === undefined ? [] : [field])]
}
