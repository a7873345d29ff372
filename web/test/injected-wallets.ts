import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js'
import { base58, bech32 } from '@scure/base'
import type { BrowserContext } from 'playwright-core'
import { adr036Document } from '../../server/src/identity/wallet/adr036.ts'
import { accountProofBytes } from '../../server/src/identity/wallet/flow-signature.ts'
import type { FlowNode } from '../../server/test/identity/upstreams/flow-node.ts'

/** Registers a wallet by the Wallet Standard, whether page or wallet loads first. */
const REGISTER = `
  const register = (wallet) => {
    const whole = { version: '1.0.0', icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>', accounts: [], ...wallet }
    const callback = (api) => api.register(whole)
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => callback(detail))
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }))
  }
  const fromHex = (hex) => Uint8Array.from(hex.match(/../g).map((pair) => parseInt(pair, 16)))`

/** A Solana wallet with `solana:signIn`. Returns its address. */
export async function injectSolana(profile: BrowserContext): Promise<string> {
  const key = randomBytes(32)
  const address = base58.encode(ed25519.getPublicKey(key))
  await profile.exposeFunction('solanaSigns', (text: string) =>
    Buffer.from(ed25519.sign(Buffer.from(text), key)).toString('hex'),
  )
  await profile.addInitScript(`{${REGISTER}
    const account = { address: '${address}', chains: ['solana:mainnet'] }
    const signIn = async (input) => {
      const text = input.domain + ' wants you to sign in with your Solana account:\\n${address}\\n\\n' + input.statement +
        '\\n\\nURI: ' + input.uri + '\\nVersion: ' + input.version + '\\nChain ID: ' + input.chainId + '\\nNonce: ' + input.nonce +
        '\\nIssued At: ' + input.issuedAt + '\\nExpiration Time: ' + input.expirationTime
      return [{ account, signature: fromHex(await window.solanaSigns(text)) }]
    }
    register({ name: 'Sol Wallet', chains: ['solana:mainnet'], features: { 'solana:signIn': { signIn } } })}`)
  return address
}

/** Two Aptos wallets with one key: only `aptos:signMessage`, on network `wallet.chainId`, and with `aptos:signIn`. */
export async function injectAptos(profile: BrowserContext, wallet: { chainId: number }): Promise<string> {
  const key = randomBytes(32)
  const publicKey = ed25519.getPublicKey(key)
  const address = `0x${Buffer.from(sha3_256(Buffer.concat([publicKey, Buffer.of(0)]))).toString('hex')}`
  await profile.exposeFunction('aptosChain', () => wallet.chainId)
  await profile.exposeFunction('aptosSigns', (text: string) =>
    Buffer.from(ed25519.sign(Buffer.from(text), key)).toString('hex'),
  )
  await profile.exposeFunction('aptosSignsIn', (text: string) => {
    const prefix = sha3_256(Buffer.from('SIGN_IN_WITH_APTOS::'))
    return Buffer.from(ed25519.sign(Buffer.concat([prefix, Buffer.from(text)]), key)).toString('hex')
  })
  await profile.addInitScript(`{${REGISTER}
    const serialised = (hex) => ({ bcsToHex: () => ({ toString: () => '0x' + hex }) })
    const address = { toString: () => '${address}' }
    const connect = async () => ({
      status: 'Approved',
      args: { address, publicKey: serialised('${Buffer.from(publicKey).toString('hex')}') },
    })
    const network = async () => ({ chainId: await window.aptosChain(), name: 'somewhere' })
    const signMessage = async ({ message, nonce }) => {
      const fullMessage = 'APTOS\\naddress: ${address}\\napplication: ' + location.origin + '\\nchainId: ' +
        (await window.aptosChain()) + '\\nmessage: ' + message + '\\nnonce: ' + nonce
      return { status: 'Approved', args: { fullMessage, signature: serialised(await window.aptosSigns(fullMessage)) } }
    }
    register({
      name: 'Apt Wallet',
      chains: ['aptos:mainnet'],
      features: { 'aptos:connect': { connect }, 'aptos:network': { network }, 'aptos:signMessage': { signMessage } },
    })
    const signIn = async (input) => {
      const text = input.domain + ' wants you to sign in with your Aptos account:\\n${address}\\n\\n' + input.statement +
        '\\n\\nURI: ' + input.uri + '\\nVersion: ' + input.version + '\\nNonce: ' + input.nonce + '\\nIssued At: ' +
        input.issuedAt + '\\nExpiration Time: ' + input.expirationTime + '\\nChain ID: ' + input.chainId
      const { args: account } = await connect()
      return { status: 'Approved', args: { account, signature: serialised(await window.aptosSignsIn(text)) } }
    }
    register({ name: 'New Apt Wallet', chains: ['aptos:mainnet'], features: { 'aptos:signIn': { signIn } } })}`)
  return address
}

/** Keplr with one key, which has different addresses on Sei and Injective. Returns both. */
export async function injectKeplr(profile: BrowserContext): Promise<{ sei: string; injective: string }> {
  const key = randomBytes(32)
  const publicKey = secp256k1.getPublicKey(key, true)
  const evm = keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12)
  const addresses = {
    sei: bech32.encode('sei', bech32.toWords(ripemd160(sha256(publicKey)))),
    injective: bech32.encode('inj', bech32.toWords(evm)),
  }
  await profile.exposeFunction('keplrSigns', (chainId: string, signer: string, text: string) => {
    const bytes = adr036Document(signer, text)
    const signature =
      chainId === 'injective-1'
        ? secp256k1.sign(keccak_256(bytes), key, { prehash: false })
        : secp256k1.sign(bytes, key)
    return {
      pub_key: { type: 'tendermint/PubKeySecp256k1', value: Buffer.from(publicKey).toString('base64') },
      signature: Buffer.from(signature).toString('base64'),
    }
  })
  await profile.addInitScript(`window.keplr = {
    enable: async () => undefined,
    getKey: async (chainId) => ({ bech32Address: chainId === 'injective-1' ? '${addresses.injective}' : '${addresses.sei}' }),
    signArbitrary: (chainId, signer, text) => window.keplrSigns(chainId, signer, text),
  }`)
  return addresses
}

/** A Flow wallet as an extension that uses FCL's messages; the node has its account. */
export async function injectFlow(profile: BrowserContext, node: FlowNode): Promise<string> {
  const address = '0x1654653399040a61'
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const raw = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('hex')
  node.accounts.set(address.slice(2), [
    {
      index: '0',
      public_key: `0x${raw}`,
      signing_algorithm: 'ECDSA_P256',
      hashing_algorithm: 'SHA3_256',
      sequence_number: '0',
      weight: '1000',
      revoked: false,
    },
  ])
  await profile.exposeFunction('flowSigns', (appIdentifier: string, nonce: string) => {
    const bytes = accountProofBytes(appIdentifier, address, nonce)
    return sign('sha3-256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('hex')
  })
  const id = createHash('sha256').update(raw).digest('hex').slice(0, 8)
  await profile.addInitScript(`
    window.fcl_extensions = [
      { f_type: 'Service', type: 'authn', method: 'EXT/RPC', uid: 'flow-${id}', provider: { name: 'Lily' } },
    ]
    window.addEventListener('message', async ({ data }) => {
      if (data.service && !data.type) window.postMessage({ type: 'FCL:VIEW:READY' }, '*')
      if (data.type !== 'FCL:VIEW:READY:RESPONSE') return
      const { appIdentifier, nonce } = data.body
      const signature = await window.flowSigns(appIdentifier, nonce)
      const signatures = [{ f_type: 'CompositeSignature', addr: '${address}', keyId: 0, signature }]
      const proof = { type: 'account-proof', data: { address: '${address}', nonce, signatures } }
      const answer = { f_type: 'PollingResponse', status: 'APPROVED', data: { addr: '${address}', services: [proof] } }
      window.postMessage({ type: 'FCL:VIEW:RESPONSE', ...answer }, '*')
    })`)
  return address
}
