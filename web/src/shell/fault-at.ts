/**
 * The message for a field of the form, by its path in the request: `credentialGroups[0].conditions[1].credentialId`.
 * @param ofEntry for a list whose entries have no fields of their own: the message about one entry, by its number
 */
export type FaultAt<Path extends string = string> = (
  path: Path,
  ofEntry?: (entry: number, message: string) => string,
) => string | undefined
