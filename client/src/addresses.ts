/** Compares addresses: EVM addresses in upper or lower case, with or without `EVM:`; others exactly. */
export function sameAddress(one: string, other: string): boolean {
  return canonical(one) === canonical(other)
}

function canonical(address: string): string {
  const evm = /^(?:EVM:)?(0x[0-9a-f]{40})$/i.exec(address.trim())?.[1]
  return evm?.toLowerCase() ?? address.trim()
}
