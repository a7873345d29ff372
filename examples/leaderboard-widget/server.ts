import { readFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createQuestboard, type Questboard, QuestboardError } from '@questboard/client'
import { examplePort, needed, run } from '../run.ts'

const PLACES = 10

/** A site with a leaderboard. The token stays here; pages get the ten places and nothing else. */
export function createSite(questboard: Questboard, spaceId: number): Server {
  const file = (name: string) => readFile(join(import.meta.dirname, name))

  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    if (path === '/') response.setHeader('content-type', 'text/html; charset=utf-8').end(await file('page.html'))
    else if (path === '/widget.js') response.setHeader('content-type', 'text/javascript').end(await file('widget.js'))
    else if (path === '/leaderboard.json') {
      // The client asks the service at most every 30 seconds, however many visitors come.
      const body = JSON.stringify(await leaderboard(questboard, spaceId))
      response.setHeader('content-type', 'application/json').setHeader('cache-control', 'max-age=30').end(body)
    } else response.writeHead(404).end()
  }

  return createServer((request, response) => {
    answer(request.url, response).catch((error: unknown) => {
      const reference = error instanceof QuestboardError ? error.requestId : undefined
      console.error('the leaderboard cannot be shown', reference, error)
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"unavailable"}')
    })
  })
}

async function leaderboard(questboard: Questboard, spaceId: number) {
  const space = questboard.space(spaceId)
  const [{ name }, { totalCount, list }] = await Promise.all([space.info(), space.loyaltyPointsRanks()])
  const places = list.slice(0, PLACES).map(({ rank, points, address }) => ({ rank, points, name: address?.username }))
  return { name, totalCount, places }
}

if (import.meta.main) {
  const { QUESTBOARD_TOKEN: accessToken } = needed('QUESTBOARD_TOKEN')
  const questboard = createQuestboard({
    baseUrl: process.env.QUESTBOARD_URL ?? 'http://localhost:4000',
    accessToken,
  })
  run(createSite(questboard, Number(process.env.SPACE ?? 40)), examplePort())
}
