// What the demo data has and the examples ask about.
export const starboard = '1'
export const handle = 'ada_onchain'
export const evmAddress = '0x0000000000000000000000000000000000000001'
export const space = 40
export const credential = '312969464'
export const quest = 'GChdWUjXX3'
