/** Thrown by a transaction at an owning node that needs the coordinator. It is rolled back; repeat it there. */
export class CoordinatorNeeded extends Error {
  override name = 'CoordinatorNeeded'

  constructor(why: string) {
    super(`only the coordinator can do this: ${why}`)
  }
}
