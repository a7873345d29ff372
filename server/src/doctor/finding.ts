/** The result of one check. */
export interface Finding {
  name: string
  /** `note`: works, but needs attention; only `problem` fails the examination. */
  state: 'ok' | 'off' | 'note' | 'problem'
  says: string
  /** What to do. */
  advice?: string
}

export const ok = (name: string, says: string): Finding => ({ name, state: 'ok', says })
export const off = (name: string, says: string): Finding => ({ name, state: 'off', says })
export const note = (name: string, says: string, advice: string): Finding => ({ name, state: 'note', says, advice })
export const problem = (name: string, says: string, advice: string): Finding => ({
  name,
  state: 'problem',
  says,
  advice,
})
