/** Widens literal types, because the types of a JSON file have plain strings and numbers. */
type Loose<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends object
      ? { [Key in keyof T]?: Loose<T[Key]> }
      : T

/** The fields of an object besides its constants, recursively. */
type Given<T, Constants> = Omit<T, keyof Constants> & {
  [Key in keyof T & keyof Constants]?:
    | T[Key]
    | (Constants[Key] extends Part ? GivenPart<T[Key], Constants[Key]> : never)
}
type GivenPart<T, Constants> = T extends Part ? Given<T, Constants> : never
export type Part = { [key: string]: unknown }

/**
 * Completes objects: fields that are the same in all objects of a kind come from `constants`, a JSON file; the others are given.
 * `Kinds` has the types of the processor's SDK. Both parts are checked against them, so no required field can be missing.
 */
export const completer =
  <Kinds>() =>
  <Constants extends { [Kind in keyof Kinds]: Loose<Kinds[Kind]> }>(constants: Constants) =>
  <Kind extends keyof Kinds>(kind: Kind, given: Given<Kinds[Kind], Constants[Kind]>): Kinds[Kind] =>
    overlaid(constants[kind], given) as Kinds[Kind]

function overlaid(constants: unknown, given: object): object {
  const under = Object(constants)
  const parts = Object.entries(given).map(([name, value]) => {
    const part = under[name]
    return [name, isPart(part) && isPart(value) ? overlaid(part, value) : value]
  })
  return { ...under, ...Object.fromEntries(parts) }
}

export const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
