import { credentialExamples } from './examples/credential-examples.ts'
import type { Example } from './examples/example.ts'
import { questExamples } from './examples/quest-examples.ts'
import { spaceExamples } from './examples/space-examples.ts'
import { starboardExamples } from './examples/starboard-examples.ts'

/** An example of each operation, with the demo data. */
export const examples: Example[] = [...starboardExamples, ...spaceExamples, ...credentialExamples, ...questExamples]
