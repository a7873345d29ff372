import { useMergedRef } from '@mantine/hooks'
import { type ComponentProps, useLayoutEffect, useRef } from 'react'

/** The text of a focused submit button that React has just removed. */
let lost: string | undefined

/**
 * The default element of `Button` (theme.ts). While it is disabled or shows progress, it ignores clicks but can have the
 * focus: a button with `disabled` loses it, and the keyboard would start again at the top of the page. Enter in a field
 * clicks the submit button of the form, so a disabled one also blocks Enter.
 *
 * A form with new saved values is a new form. If its submit button had the focus, the new one takes it.
 */
export function FocusableButton({
  type = 'button',
  disabled,
  onClick,
  'data-loading': loading,
  ref: given,
  ...others
}: ComponentProps<'button'> & { 'data-loading'?: boolean }) {
  const own = useRef<HTMLButtonElement>(null)
  const ref = useMergedRef(own, given)
  useLayoutEffect(() => {
    const button = type === 'submit' ? own.current : null
    if (!button) return
    if (lost !== undefined && lost === button.textContent) button.focus()
    lost = undefined
    return () => {
      if (button !== document.activeElement) return
      lost = button.textContent
      // The new button is there in the same commit, or not at all.
      queueMicrotask(() => (lost = undefined))
    }
  }, [type])
  return (
    <button
      {...others}
      ref={ref}
      type={type}
      data-loading={loading}
      aria-disabled={disabled || undefined}
      aria-busy={loading}
      onClick={disabled ? (event) => event.preventDefault() : onClick}
    />
  )
}
