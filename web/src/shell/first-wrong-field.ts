import { FIELD, leadTo } from './lead-to.ts'

const MESSAGE = '.mantine-InputWrapper-error, [aria-invalid="true"]'
const NOTICE = '[role="alert"]'

/**
 * After a submit that the page or the service refuses, scrolls to the first wrong field of the form and focuses it,
 * because the field can be above the window. Returns a function that ends this.
 */
export function showWrongFields(): () => void {
  let stop = () => {}
  const onSubmit = ({ target }: SubmitEvent) => {
    stop()
    if (target instanceof HTMLFormElement) stop = waitForRefusal(target)
  }
  document.addEventListener('submit', onSubmit)
  return () => {
    stop()
    document.removeEventListener('submit', onSubmit)
  }
}

/** Scrolls to the first field with a message in a part of the page and focuses it, unless the user is in a field. */
export function showFirstWrongField(part: Element): void {
  if (document.activeElement?.matches(FIELD)) return
  const wrong = part.querySelector(`${MESSAGE}, .bad`)
  if (wrong) leadTo(wrong.closest('.mantine-InputWrapper-root') ?? wrong)
}

/** Waits for messages until the user continues. Returns a function that ends this. */
function waitForRefusal(form: HTMLFormElement): () => void {
  const end = new AbortController()
  const { signal } = end
  const before = new Set(form.querySelectorAll(NOTICE))
  const look = () => {
    const notice = [...form.querySelectorAll(NOTICE)].find((one) => !before.has(one))
    const wrong = form.querySelector(MESSAGE) ?? notice
    if (!wrong) return
    end.abort()
    leadTo(wrong.closest('.mantine-InputWrapper-root') ?? wrong)
  }
  const messages = new MutationObserver(look)
  signal.addEventListener('abort', () => messages.disconnect())
  // A late message must not take the focus from the field that the user is in.
  for (const type of ['pointerdown', 'keydown', 'input'])
    document.addEventListener(type, () => end.abort(), { signal, capture: true })
  // The messages of the last submit are still shown in the first frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (signal.aborted) return
      messages.observe(form, { childList: true, subtree: true, attributeFilter: ['aria-invalid'] })
      look()
    }),
  )
  return () => end.abort()
}
