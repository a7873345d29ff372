import { invalidArgument, type ServiceError } from '../errors.ts'

/** The fields of a JSON-RPC message that the route reads; the SDK validates the others. */
export interface Message {
  /** Undefined for notifications and responses. */
  id: string | number | undefined
  method: string | undefined
  /** The name of the tool of `tools/call`. */
  tool: string | undefined
  content: object
}

/** JSON-RPC 2.0, 5.1, and the code that the SDK uses for failures of the transport. */
export const RPC_CODES = { internal: -32_603, server: -32_000 } as const

/** @throws INVALID_ARGUMENT */
export function readMessage(text: string): Message {
  const content = parse(text)
  if (Array.isArray(content))
    throw invalidArgument('The request body is a batch', 'allowed: one JSON-RPC message for each request')
  if (typeof content !== 'object' || content === null)
    throw invalidArgument('The request body must be a JSON-RPC message', 'allowed: a JSON object')
  const { id, method, params } = content as Record<string, unknown>
  // A server without tasks ignores the wish for one; the SDK would refuse the finished result.
  if (typeof params === 'object' && params !== null) delete (params as Record<string, unknown>).task
  const isRequest = (typeof id === 'string' || typeof id === 'number') && typeof method === 'string'
  return {
    id: isRequest ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    tool: isRequest && method === 'tools/call' ? nameIn(params) : undefined,
    content,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidArgument('The request body is not JSON', `reason: ${(error as Error).message}`)
  }
}

function nameIn(params: unknown): string {
  const name = typeof params === 'object' && params !== null ? (params as Record<string, unknown>).name : undefined
  return typeof name === 'string' ? name : ''
}

/** A failure of the whole request, for the clients that read bodies of errors. */
export function failureOf(error: ServiceError, id: Message['id'] | null, requestId: string): string {
  const { code, status, message, details } = error
  const data = { code, http_status: status, request_id: requestId, ...(details && { details }) }
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code: RPC_CODES.server, message, data } })
}

/** A failed tool: the model reads the text, so it contains what the errors of a query contain. */
export function toolFailure(errors: readonly ServiceError[]) {
  const text = errors.map(({ message, code, details = [] }) => [message, `code: ${code}`, ...details].join('\n'))
  return { content: [{ type: 'text' as const, text: text.join('\n\n') }], isError: true }
}
