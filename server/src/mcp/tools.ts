import { credentialTools } from './credential-tools.ts'
import { manualTool } from './manual-tool.ts'
import { questTools } from './quest-tools.ts'
import { spaceTools } from './space-tools.ts'
import { starboardTools } from './starboard-tools.ts'
import type { Tool } from './tool.ts'

/** All tools, in the order in which clients list them. */
export const tools: readonly Tool[] = [...spaceTools, ...starboardTools, ...credentialTools, ...questTools, manualTool]
