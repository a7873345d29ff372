import { z } from 'zod'
import { readText } from '../../outgoing/read.ts'
import { parseJson } from '../lists/json-entries.ts'
import { type SourceContext, MAX_PAGE_BYTES, withRetries } from '../reading.ts'
import { requireSuccess, SourceError } from '../source-error.ts'

export interface Node {
  url: string
  headers: Record<string, string> | undefined
}

/** The node understood the call and refused it. */
export class RpcError extends SourceError {
  override name = 'RpcError'
}

const response = z.looseObject({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number().optional(), message: z.string().optional() }).nullish(),
})
type Response = z.infer<typeof response>

/** Calls a method of a node (JSON-RPC 2.0). @throws RpcError if the node refuses the call */
export async function call(context: SourceContext, node: Node, method: string, params: unknown[]): Promise<unknown> {
  const body = await post(context, node, { jsonrpc: '2.0', id: 1, method, params })
  return resultOf(readResponse(body, node), 1, method, node)
}

/** Calls a method with several sets of parameters in one request; results in the same order. */
export async function callBatch(
  context: SourceContext,
  node: Node,
  method: string,
  calls: readonly unknown[][],
): Promise<unknown[]> {
  const requests = calls.map((params, id) => ({ jsonrpc: '2.0', id, method, params }))
  const body = await post(context, node, requests)
  // A node that does not support batches returns one error for the whole batch.
  if (!Array.isArray(body)) return [resultOf(readResponse(body, node), undefined, method, node)]
  const byId = new Map(body.map((one) => readResponse(one, node)).map((one) => [one.id, one]))
  return requests.map(({ id }) => {
    const found = byId.get(id)
    if (!found) throw new SourceError(`${hostOf(node)} did not respond to a call of a batch`, { temporary: true })
    return resultOf(found, id, method, node)
  })
}

async function post(context: SourceContext, node: Node, payload: unknown): Promise<unknown> {
  return withRetries(context, async () => {
    const answer = await readText(context.outgoing, {
      url: node.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...node.headers },
      body: JSON.stringify(payload),
      maxBytes: MAX_PAGE_BYTES,
      timeout: context.timeout,
      signal: context.signal,
    })
    // Some nodes refuse a call with status 400 and say why in the body.
    if (answer.status !== 400) requireSuccess(answer)
    return parseJson(answer.text, hostOf(node))
  })
}

function readResponse(body: unknown, node: Node): Response {
  const parsed = response.safeParse(body)
  if (!parsed.success) throw new SourceError(`${hostOf(node)} sent a response that is not JSON-RPC`)
  return parsed.data
}

function resultOf({ id, result, error }: Response, expected: number | undefined, method: string, node: Node): unknown {
  if (error)
    throw new RpcError(
      `${hostOf(node)} refused ${method}: ${(error.message ?? '').slice(0, 300)} (${error.code ?? 'no code'})`,
      { temporary: true },
    )
  if (id !== expected || result === undefined)
    throw new SourceError(`${hostOf(node)} sent a response that is not JSON-RPC`)
  return result
}

export function hostOf(node: Node): string {
  return new URL(node.url).host
}

/** Reads a JSON-RPC quantity, such as `0x1a`. @throws SourceError if it is not one, or is 2^53 or more */
export function readQuantity(value: unknown, what: string, node: Node): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? Number(BigInt(value)) : NaN
  if (!Number.isSafeInteger(number)) throw new SourceError(`${hostOf(node)} returned no ${what}`)
  return number
}

export function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
