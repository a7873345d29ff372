/**
 * The look of buttons that delete or end something, in every place. The colour is a variable of the button, because the
 * property `c` would also colour disabled buttons.
 */
export const destructive = {
  variant: 'default',
  vars: () => ({ root: { '--button-color': 'var(--mantine-color-red-light-color)' } }),
} as const
