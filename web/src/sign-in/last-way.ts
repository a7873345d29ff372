import { keepChoice, readChoice } from '../shell/local-choice.ts'

const KEY = 'questboard.last-way'

/** The last sign-in method. Only its name is stored, and only in this browser. */
export const lastWay = (): string | undefined => readChoice(KEY)

export const rememberWay = (id: string): void => keepChoice(KEY, id)
