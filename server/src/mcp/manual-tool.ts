import { z } from 'zod'
import type { Tool } from './tool.ts'

const inputSchema = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(200)
    .describe('Words to find, at most 10; a word also finds longer words that begin with it'),
  limit: z.int().min(1).max(10).default(5).describe('Number of sections'),
})

export const manualTool: Tool = {
  name: 'search_manual',
  title: 'Search the manual',
  description:
    'Search the manual of Questboard: how the service works, its APIs, commands, settings, errors and limits. Returns whole sections, the best match first.',
  inputSchema,
  outputSchema: z.object({
    sections: z.array(
      z.object({
        title: z.string(),
        page: z.string().describe('Title of the page'),
        url: z.string(),
        text: z.string().describe('Text of the section, cut after 3,000 characters'),
      }),
    ),
  }),
  run: async (args, { searchManual }) => {
    const { query, limit } = args as z.infer<typeof inputSchema>
    return { sections: await searchManual(query, limit) }
  },
}
