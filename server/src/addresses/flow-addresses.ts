export type FlowNetwork = 'mainnet' | 'testnet' | 'emulator'

/** The offset of each network's addresses against the linear code (flow-go, model/flow/address.go). */
const shifts: Record<FlowNetwork, bigint> = {
  mainnet: 0n,
  testnet: 0x6834ba37b3980209n,
  emulator: 0x1cb159857af02018n,
}

/** Columns of the parity-check matrix of Flow's [64,45,7] linear code; lowest bit first. */
const parityColumns = `
  00001 00002 00004 00008 00010 00020 00040 00080 00100 00200 00400 00800 01000 02000 04000 08000
  10000 20000 40000 7328d 6689a 6112f 6084b 433fd 42aab 41951 233ce 22a81 21948 1ef60 1deca 1c639
  1bdd8 1a535 194ac 18c46 1632b 1529b 14a43 13184 12942 118c1 0f812 0e027 0d00e 0c83c 0b01d 0a831
  0982b 07034 0682a 05819 03807 007d2 00727 0068e 0067c 0059d 004eb 003b4 0036a 002d9 001c7 0003f`
  .trim()
  .split(/\s+/)
  .map((column) => Number.parseInt(column, 16))

/** Whether a canonical address belongs to this network. */
export function isFlowAddressOf(network: FlowNetwork, address: string): boolean {
  const word = BigInt(address) ^ shifts[network]
  const parity = parityColumns.reduce((sum, column, bit) => ((word >> BigInt(bit)) & 1n ? sum ^ column : sum), 0)
  return word !== 0n && parity === 0
}

/**
 * Whether a canonical address belongs to any network. Random 16 hex digits do with a probability below 1 in 150,000.
 */
export function isFlowAddress(address: string): boolean {
  return NETWORKS.some((network) => isFlowAddressOf(network, address))
}

const NETWORKS = Object.keys(shifts) as FlowNetwork[]
