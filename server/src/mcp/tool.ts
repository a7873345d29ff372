import { z } from 'zod'
import { outputShape } from './output-shape.ts'

/** A tool, as clients list it. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: z.ZodObject
  outputSchema: z.ZodObject
  run: (args: object, caller: ToolCaller) => Promise<unknown>
}

export interface ToolCaller {
  /** Runs a query with the token, the quota and the log entry of the request. @throws RequestFailure */
  query: (query: string, variables: object) => Promise<unknown>
  searchManual: (words: string, limit: number) => Promise<unknown>
}

interface QueryTool {
  name: string
  title: string
  description: string
  /** The variables of the document. */
  input: z.ZodRawShape
  document: string
}

/** A tool that is one GraphQL document: its result is `data`, and its output schema comes from the schema. */
export function queryTool({ input, document, ...tool }: QueryTool): Tool {
  return {
    ...tool,
    inputSchema: z.strictObject(input),
    outputSchema: outputShape(document),
    run: (args, { query }) => query(document, args),
  }
}
