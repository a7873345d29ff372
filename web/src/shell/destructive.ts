/** The look of buttons that delete or end something, in every place. */
export const destructive = { variant: 'default', c: 'var(--mantine-color-red-light-color)' } as const
