import { concat, getCreate2Address, type Hex, pad } from 'viem'

/** Runtime code of a contract wallet with one owner: EIP-1271 with the ecrecover precompile on r, s, v. */
export function ownedWallet(owner: Hex): Hex {
  const copyArguments = '600435600052' + '60a43560001a602052' + '606435604052' + '608435606052'
  const recover = '6020608060806000600' + '15afa50'
  const compare = `60805173${owner.slice(2).toLowerCase()}14`
  const answer = '631626ba7e60e01b02' + '60005260206000f3'
  return `0x${copyArguments}${recover}${compare}${answer}`
}

/** The CREATE2 factory github.com/Arachnid/deterministic-deployment-proxy. Calldata is salt and code. */
export const factoryCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'
export const factory: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

/** The address of a wallet that the factory would deploy for an owner, and the call that deploys it. */
export function undeployedWallet(owner: Hex): { address: Hex; factoryCall: Hex } {
  const runtime = ownedWallet(owner)
  const length = (runtime.length / 2 - 1).toString(16).padStart(2, '0')
  const creation = concat([`0x60${length}8060093d393df3`, runtime])
  const salt = pad('0x01')
  return {
    address: getCreate2Address({ from: factory, salt, bytecode: creation }),
    factoryCall: concat([salt, creation]),
  }
}

/** Code that returns these bytes. */
export function answering(data: Hex): Hex {
  const length = data.length / 2 - 1
  const push = (number: number) => `60${number.toString(16).padStart(2, '0')}`
  // Copies the code after these 12 bytes to memory (CODECOPY) and returns it.
  return `0x${push(length)}${push(12)}${push(0)}39${push(length)}${push(0)}f3${data.slice(2)}`
}

export const reverting: Hex = '0x60006000fd'
export const looping: Hex = '0x5b600056'
export const destroying: Hex = '0xfe'
