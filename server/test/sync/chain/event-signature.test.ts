import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../../src/sync/chain/event-signature.ts'
import { STAKED } from '../../support/evm-node.ts'

describe('the signature of an event', () => {
  it('has the topic of its canonical form', () => {
    const event = parseEvent('event Staked(address indexed user, uint256 amount)')
    expect(event).toEqual({
      canonical: 'Staked(address,uint256)',
      topic: STAKED,
      parameters: [
        { name: 'user', type: 'address', indexed: true },
        { name: 'amount', type: 'uint256', indexed: false },
      ],
    })
    expect(parseEvent('Transfer(address indexed from, address indexed to, uint value)').topic).toBe(
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    )
  })

  it.each([
    '  event   Staked( address   indexed user ,uint amount )  ;  ',
    'Staked(address indexed user,uint256 amount)',
    'event Staked(\n  address indexed user,\n  uint256 amount\n);',
  ])('may contain any spaces: %j', (text) => {
    expect(parseEvent(text).topic).toBe(STAKED)
  })

  it('has all types of a fixed length', () => {
    const types = 'address a, bool b, uint8 c, uint248 d, int e, int16 f, bytes1 g, bytes32 h'
    expect(parseEvent(`event E(${types})`).canonical).toBe('E(address,bool,uint8,uint248,int256,int16,bytes1,bytes32)')
    expect(parseEvent('event Ping()').parameters).toEqual([])
  })

  it.each([
    ['', 'must be an event such as'],
    ['event', 'must be an event such as'],
    ['Staked', 'must be an event such as'],
    ['function stake(address user)', 'must be an event such as'],
    ['event 1st(address user)', 'must be an event such as'],
    ['event A(address user) B(address user)', 'must be an event such as'],
    ['event A((address user) owner)', 'must be an event such as'],
    ['event A(address indexed user) anonymous', 'must not be anonymous'],
    ['event A(address user, string memo)', 'has the type "string" for parameter 2; allowed are address, bool'],
    ['event A(address[] users)', 'has the type "address[]" for parameter 1'],
    ['event A(bytes data)', 'has the type "bytes" for parameter 1'],
    ['event A(bytes33 data)', 'has the type "bytes33"'],
    ['event A(bytes0 data)', 'has the type "bytes0"'],
    ['event A(uint7 data)', 'has the type "uint7"'],
    ['event A(uint264 data)', 'has the type "uint264"'],
    ['event A(uint08 data)', 'has the type "uint08"'],
    ['event A(address user,)', 'has the type "" for parameter 2'],
    ['event A(address)', 'must have a type and a name for parameter 1'],
    ['event A(address indexed)', 'must have a type and a name for parameter 1'],
    ['event A(address user indexed)', 'must have a type and a name for parameter 1'],
    ['event A(address a, address a)', 'has two parameters with the name "a"'],
    ['event A(bool indexed a, bool indexed b, bool indexed c, bool indexed d)', 'more than 3 indexed parameters'],
  ])('fails if it is %j', (text, reason) => {
    expect(() => parseEvent(text)).toThrow(reason)
  })
})
