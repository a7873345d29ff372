// Objects of the demo data that the examples query.
export const starboard = '1'
export const handle = 'kineticLynx'
export const evmAddress = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
export const space = 40
/** The first member of the board. */
export const leader = '0xc4e39b47c5e125d669e04cce942f669f6ab248ca'
export const credential = '312969464'
export const quest = 'GChdWUjXX3'
