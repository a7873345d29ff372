import { describeFault as describe } from '../../../server/src/texts/faults.ts'
import type { FieldProblem } from '../api/call.ts'
import { faultTexts } from '../texts/faults.ts'
import { atTime } from './dates.ts'
import { number } from './numbers.ts'

/** Why a field is refused, in the language of the page; the message of the service, if the page has no text. */
export const describeFault = ({ message, fault }: Pick<FieldProblem, 'message' | 'fault'>): string =>
  textOfFault(fault) ?? message

/** Undefined if the page has no text for the fault. */
export function textOfFault(fault: FieldProblem['fault']): string | undefined {
  const texts = faultTexts()
  return fault && texts && describe(fault, texts, show)
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

function show(value: string | number): string {
  if (typeof value === 'number') return number(value)
  return TIME.test(value) ? atTime(value) : value
}
