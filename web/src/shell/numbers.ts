const whole = new Intl.NumberFormat('en')

/** A count with its thousands apart. */
export const number = (count: number) => whole.format(count)
