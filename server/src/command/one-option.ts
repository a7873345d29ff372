import { InvalidArgumentError } from 'commander'

/** @param options two options by name, such as `account` @throws InvalidArgumentError unless exactly one is given */
export function requireOneOption(options: Record<string, string | undefined>): void {
  const [one, other] = Object.keys(options).map((name) => `--${name}`)
  const count = Object.values(options).filter((value) => value !== undefined).length
  if (count === 0) throw new InvalidArgumentError(`${one} or ${other} is missing.`)
  if (count > 1) throw new InvalidArgumentError(`${one} and ${other} are both given; name one of them.`)
}
