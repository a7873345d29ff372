import { credentialExamples } from './examples/credential-examples.ts'
import type { Example } from './examples/example.ts'
import { questExamples } from './examples/quest-examples.ts'
import { spaceExamples } from './examples/space-examples.ts'
import { starboardExamples } from './examples/starboard-examples.ts'

/** Every operation of the service (its specification, section 4.2), asked about the demo data. */
export const examples: Example[] = [...starboardExamples, ...spaceExamples, ...credentialExamples, ...questExamples]
