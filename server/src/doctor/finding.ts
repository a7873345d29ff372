/** What was found out about one part of the installation. */
export interface Finding {
  name: string
  /** `note`: works, but the operator should know; only `problem` makes the examination fail. */
  state: 'ok' | 'off' | 'note' | 'problem'
  says: string
  /** What to do about it. */
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
