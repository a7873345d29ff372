import { createInterface } from 'node:readline/promises'

/** Asks on standard error and returns whether the user typed `yes`. The end of input means no. */
export async function confirmed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    return (await Promise.race([lines.question(`${question} (yes/no) `), closed])) === 'yes'
  } finally {
    lines.close()
  }
}
