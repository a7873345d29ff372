import type { ComponentProps } from 'react'

/**
 * The default element of `Button` (theme.ts). While it is disabled or shows progress, it ignores clicks but can have the
 * focus: a button with `disabled` loses it, and the keyboard would start again at the top of the page. Enter in a field
 * clicks the submit button of the form, so a disabled one also blocks Enter.
 */
export function FocusableButton({
  type = 'button',
  disabled,
  onClick,
  'data-loading': loading,
  ...others
}: ComponentProps<'button'> & { 'data-loading'?: boolean }) {
  return (
    <button
      {...others}
      type={type}
      data-loading={loading}
      aria-disabled={disabled || undefined}
      aria-busy={loading}
      onClick={disabled ? (event) => event.preventDefault() : onClick}
    />
  )
}
