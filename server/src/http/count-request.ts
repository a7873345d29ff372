import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MonotonicClock } from '../clock.ts'
import type { Metrics } from './metrics.ts'

const AREAS = ['api', 'assets', 'docs', 'identity', 'ingest', 'live', 'oauth', 'operators'] as const
export type Area = (typeof AREAS)[number] | 'pages'
const OPERATORS = /^\/(healthz|readyz|metrics)$/

/** Counts a request other than a query when its response has ended or was aborted. */
export function countRequest(
  { metrics, clock }: { metrics: Metrics; clock: MonotonicClock },
  area: Area,
  response: ServerResponse,
): void {
  const started = clock.monotonic()
  response.on('close', () => {
    // A client that closed the connection before the response counts as 499, as in nginx.
    const status = response.writableFinished ? response.statusCode : 499
    metrics.request(area, status, (clock.monotonic() - started) / 1000)
  })
}

/** Whether it goes to the GraphQL endpoint. */
export const isQuery = ({ url = '' }: IncomingMessage): boolean => url === '/query' || OTHER_SPELLINGS.test(url)

/** Accepts additional slashes, because some base URLs end with one and some clients add one. */
const OTHER_SPELLINGS = /^\/{1,2}query\/?(?:\?|$)/

/** Whether it goes to the endpoint of the Model Context Protocol. */
export const isMcp = ({ url = '' }: IncomingMessage): boolean => MCP.test(url)
const MCP = /^\/mcp\/?(?:\?|$)/

/** The area of a path. Unknown paths belong to `pages`, which bounds the labels of metrics. */
export function areaOf({ url = '' }: Pick<IncomingMessage, 'url'>): Area {
  if (OPERATORS.test(url)) return 'operators'
  const [, first = ''] = url.split(/[/?#]/, 2)
  if (first === '.well-known') return 'oauth'
  return AREAS.find((area) => area === first) ?? 'pages'
}
