import { type Language, saveChoice } from '../texts/language.ts'
import { forgetUnsaved, mayLeave } from './unsaved.ts'

/** Saves the choice and loads the page again, because texts are read when it starts. Asks for unsaved input and values that are shown once before both. */
export function changeLanguage(language: Language): void {
  if (!mayLeave()) return
  forgetUnsaved()
  saveChoice(language)
  location.reload()
}
